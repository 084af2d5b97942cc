// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where CI is set, as in imagemill.
let settings: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let package = Package(
  name: "library-examples",
  dependencies: [
    // Another program names a version: .package(url: "…/imagemill", from: "0.1.0").
    .package(name: "imagemill", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "Server",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ImageDownloads", package: "imagemill"),
        .product(name: "ImageFilters", package: "imagemill"),
        .product(name: "ImagePipeline", package: "imagemill"),
        .product(name: "ImageRendering", package: "imagemill"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "MemoryServer", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
      swiftSettings: settings),
    .executableTarget(
      name: "Thumbnails",
      dependencies: [
        .product(name: "ImageBatch", package: "imagemill"),
        .product(name: "ImageDownloads", package: "imagemill"),
        .product(name: "ImageFilters", package: "imagemill"),
        .product(name: "ImageRendering", package: "imagemill"),
      ],
      swiftSettings: settings),
  ]
)
