// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where CI is set, and only in this package.
let strictness: [SwiftSetting] =
  Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ] + strictness

// `make fuzz` builds the program that libFuzzer drives; otherwise the same functions are tests.
let fuzzedModules: [Target.Dependency] = [
  "ImageBatch", "ImageCaches", "ImageDownloads", "ImageFilters", "ImageRendering", "Manifests", "SystemIO",
  "TestSupport",
  "Vips", "WebValues",
]
let fuzzing: Target =
  Context.environment["IMAGEMILL_FUZZ"] == nil
  ? .testTarget(
    name: "FuzzTests", dependencies: fuzzedModules, exclude: ["Corpus", "Dictionaries", "Fuzzer", "fuzz"],
    swiftSettings: settings)
  : .executableTarget(
    name: "fuzz", dependencies: fuzzedModules, path: "Tests/FuzzTests",
    exclude: ["Corpus", "Dictionaries", "FuzzTests.swift", "fuzz"],
    // libFuzzer has the main function.
    swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])

let package = Package(
  name: "imagemill",
  products: [
    .executable(name: "imagemill", targets: ["imagemill"]),
    .library(name: "Vips", targets: ["Vips"]),
    .library(name: "ImageFilters", targets: ["ImageFilters"]),
    .library(name: "ImageCaches", targets: ["ImageCaches"]),
    .library(name: "ImageDownloads", targets: ["ImageDownloads", "WebValues"]),
    .library(name: "ImageRendering", targets: ["ImageRendering"]),
    .library(name: "ImagePipeline", targets: ["ImagePipeline"]),
    .library(name: "ImageBatch", targets: ["ImageBatch"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // The headers alone: CVipsLibrary loads the library when it is called. Their own dependencies are GLib's.
    .systemLibrary(name: "CVips", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
    .target(name: "CVipsLibrary", dependencies: ["CVips"]),
    // The headers alone: CCurlLibrary loads the library when it is called.
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "CCurlLibrary", dependencies: ["CCurl"]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    // The resampler's inner loops, compiled for several processors.
    .target(name: "CReduce"),
    // libjpeg without longjmp(3).
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    // seccomp, whose macros Swift can't import.
    .target(name: "CSandbox"),

    .target(name: "SystemIO", swiftSettings: settings),
    .target(name: "Vips", dependencies: ["CVips", "CVipsLibrary", "SystemIO"], swiftSettings: settings),
    // The values of the Web that are in public signatures: header fields, addresses and networks.
    .target(name: "WebValues", swiftSettings: settings),
    .target(
      name: "Curl", dependencies: ["CCurl", "CCurlLibrary", "SystemIO", "WebValues"], swiftSettings: settings),
    .target(
      name: "ImageFilters", dependencies: ["CReduce", "Vips"], swiftSettings: settings),
    .target(
      name: "ImageCaches",
      dependencies: [
        "Vips", "SystemIO",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    // Amazon S3's protocol: addresses, credentials, signatures and answers, without a transfer.
    .target(
      name: "ObjectStorage",
      dependencies: ["SystemIO", "WebValues", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: settings),
    .target(
      name: "ImageDownloads",
      dependencies: [
        "ImageCaches", "Curl", "ObjectStorage", "Vips", "SystemIO", "WebValues",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Collections", package: "swift-collections"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .target(
      name: "ImageRendering",
      dependencies: [
        "ImageFilters", "ImageCaches", "SystemIO", "Vips", "CJPEG", "CSandbox", "CZlib",
        .product(name: "Collections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "ImagePipeline",
      dependencies: [
        "ImageRendering", "ImageDownloads", "ImageFilters", "ImageCaches", "SystemIO", "Vips",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .target(
      name: "ImageBatch",
      dependencies: [
        "ImageRendering", "ImageFilters", "ImageCaches", "ImageDownloads", "Curl", "ObjectStorage",
        "SystemIO", "Vips", "WebValues",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Collections", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .target(name: "TerminalText", swiftSettings: settings),
    .target(
      name: "Manifests",
      dependencies: [
        "ImageBatch", "ImageRendering", "ImageCaches", "ImageDownloads", "ImageFilters", "SystemIO",
        "TerminalText", "WebValues", "CYAML", "CZlib",
      ],
      swiftSettings: settings),
    .target(
      name: "Reports",
      dependencies: [
        "ImageBatch", "ImageRendering", "ImageCaches", "SystemIO", "TerminalText",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "imagemill",
      dependencies: [
        "Manifests", "Reports", "ImageBatch", "ImageRendering", "ImageCaches", "ImageDownloads",
        "ImageFilters", "Curl", "ObjectStorage", "WebValues",
        "SystemIO", "TerminalText", "Vips",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings,
      // A static Swift starts in a quarter less time. Foundation's static parts are named, since the compiler
      // names them only for `--static-swift-stdlib`, which a manifest can't ask for. Packages that depend on a
      // library of this one don't build this target.
      linkerSettings: [
        .unsafeFlags(
          [
            "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims",
            "-l_FoundationCollections",
            // Nobody links against the command: a table of all its symbols would be loaded with it for nothing.
            "-Xlinker", "--no-export-dynamic",
          ], .when(configuration: .release))
      ]),

    .target(
      name: "TestSupport", dependencies: ["ImageCaches", "ImageRendering"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(
      name: "LoopbackServer",
      dependencies: [
        "ObjectStorage", "SystemIO", "TestSupport", "WebValues",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      path: "Tests/LoopbackServer",
      swiftSettings: settings),
    .testTarget(name: "VipsTests", dependencies: ["CVips", "TestSupport", "Vips"], swiftSettings: settings),
    .testTarget(
      name: "SystemIOTests", dependencies: ["SystemIO", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "CurlTests", dependencies: ["Curl", "LoopbackServer", "SystemIO", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ObjectStorageTests", dependencies: ["ObjectStorage", "WebValues"],
      swiftSettings: settings),
    .testTarget(
      name: "ImageFiltersTests", dependencies: ["ImageFilters", "TestSupport", "Vips"],
      swiftSettings: settings),
    .testTarget(
      name: "ImageCachesTests",
      dependencies: [
        "ImageCaches", "SystemIO", "TestSupport", "Vips", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ImageDownloadsTests",
      dependencies: [
        "Curl", "ImageCaches", "ImageDownloads", "LoopbackServer", "ObjectStorage", "SystemIO", "TestSupport",
        "Vips", "WebValues",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ImageRenderingTests",
      dependencies: [
        "CZlib", "ImageCaches", "ImageFilters", "ImageRendering", "LoopbackServer", "SystemIO", "TestSupport",
        "Vips",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ImagePipelineTests",
      dependencies: [
        "Curl", "ImageBatch", "ImageCaches", "ImageDownloads", "ImageFilters", "ImagePipeline",
        "ImageRendering", "LoopbackServer", "TestSupport", "Vips",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ImageBatchTests",
      dependencies: [
        "ObjectStorage",
        "ImageBatch", "ImageRendering", "ImageCaches", "ImageDownloads", "ImageFilters", "LoopbackServer",
        "SystemIO", "TestSupport", "Vips",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ManifestsTests",
      dependencies: [
        "ImageBatch", "ImageRendering", "ImageCaches", "ImageDownloads", "ImageFilters", "Manifests",
        "SystemIO",
        "TerminalText",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "ImageBatch", "ImageRendering", "ImageCaches", "Reports", "TerminalText", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "imagemill", "ImageBatch", "ImageRendering", "ImageCaches", "ImageDownloads", "ImageFilters",
        "LoopbackServer",
        "Manifests", "Reports", "SystemIO", "TerminalText", "TestSupport", "Vips",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Golden", "Tasks.md"], swiftSettings: settings),
    fuzzing,
  ]
)
