import Foundation
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import LoopbackServer
import TestSupport
import Testing
import Vips

@testable import ImageBatch

@Suite("Documentation", .timeLimit(.minutes(8)))
struct DocumentationTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
  private static let root = tests + "/../../"

  /// The text after each `// begin NAME [LINES]` up to `// end`, in the examples of this folder.
  private static let examples: [String: (lines: Int?, code: String)] = {
    var examples: [String: (Int?, String)] = [:]
    for name in FileManager.default.enumerator(atPath: tests)?.compactMap({ $0 as? String }) ?? []
    where name.hasSuffix(".swift") {
      guard let data = FileManager.default.contents(atPath: "\(tests)/\(name)") else { continue }
      let text = String(decoding: data, as: UTF8.self)
      for part in text.components(separatedBy: "\n// begin ").dropFirst() {
        guard let line = part.firstIndex(of: "\n"), let end = part.range(of: "// end\n") else { continue }
        let words = part[..<line].split(separator: " ")
        examples[String(words[0])] = (
          words.count > 1 ? Int(words[1]) : nil, String(part[part.index(after: line)..<end.lowerBound])
        )
      }
    }
    return examples
  }()

  static let pages: [String] = {
    let sources = FileManager.default.enumerator(atPath: root + "Sources")?.compactMap { $0 as? String } ?? []
    return ["README.md"] + sources.filter { $0.hasSuffix(".md") }.map { "Sources/" + $0 }.sorted()
  }()

  @Test("the Swift of every page is that of a compiled example, letter for letter", arguments: pages)
  func text(page: String) throws {
    let text = try String(contentsOfFile: Self.root + page, encoding: .utf8)
    for part in text.components(separatedBy: "```swift\n").dropFirst() {
      let printed = part.components(separatedBy: "```").first ?? ""
      #expect(
        Self.examples.values.contains { $0.code == printed },
        "\(page) has code that no test compiles:\n\(printed)")
    }
    for part in text.components(separatedBy: "<!-- example: ").dropFirst() {
      let name = part.components(separatedBy: " -->").first ?? ""
      let code = Self.examples[name]?.code ?? "none"
      #expect(part.hasPrefix("\(name) -->\n```swift\n\(code)```"), "\(page): \(name)")
    }
  }

  @Test(
    "a newcomer's five tasks are short",
    arguments: ["thumbnail", "avatar", "own-filter", "thousand", "cancel-half"])
  func lengths(name: String) throws {
    let example = try #require(Self.examples[name])
    let lines = example.code.split(separator: "\n").count
    #expect(lines <= (try #require(example.lines)), "\(lines) lines")
  }

  @Test("every product has an overview with a picture, and the articles are there")
  func products() throws {
    let manifest = try String(contentsOfFile: Self.root + "Package.swift", encoding: .utf8)
    let products = manifest.matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.1) }
    #expect(products.count == 7)
    for product in products {
      let catalog = "\(Self.root)Sources/\(product)/\(product).docc"
      let page = try String(contentsOfFile: "\(catalog)/\(product).md", encoding: .utf8)
      let picture = try #require(page.firstMatch(of: #/!\[[^\]]{20,}\]\(([\w-]+)\)/#), "\(product)")
      #expect(FileManager.default.fileExists(atPath: "\(catalog)/Resources/\(picture.1).svg"), "\(product)")
    }
    for article in [
      "ImageDownloads/ImageDownloads.docc/From-AlamofireImage",
      "ImagePipeline/ImagePipeline.docc/Writing-a-filter",
      "ImagePipeline/ImagePipeline.docc/Caching", "ImagePipeline/ImagePipeline.docc/Logs-and-metrics",
      "ImageBatch/ImageBatch.docc/Rendering-in-worker-processes",
    ] {
      #expect(Self.pages.contains("Sources/\(article).md"))
    }
  }

  /// The symbols that AlamofireImage's README names (4.4.0).
  static let readmeSymbols = [
    "ImageDownloader.default", "ImageDownloader(configuration:", "downloadPrioritization",
    "maximumActiveDownloads",
    "imageCache", "download(", "RequestReceipt", "cancelRequest(with:", "addAuthentication(user:password:)",
    "addAuthentication(usingCredential:)", "responseImage",
    "af.threadSafeImage(with:", "af.inflate()", "af.imageScaled(to:", "af.imageAspectScaled(toFit:",
    "af.imageAspectScaled(toFill:", "af.imageRounded(withCornerRadius:", "af.imageRoundedIntoCircle()",
    "af.imageFiltered(withCoreImageFilter:", "ImageFilter", "ScaledToSizeFilter",
    "AspectScaledToFitSizeFilter",
    "AspectScaledToFillSizeFilter", "RoundedCornersFilter", "CircleFilter", "BlurFilter", "CoreImageFilter",
    "ScaledToSizeWithRoundedCornersFilter", "AspectScaledToFillSizeWithRoundedCornersFilter",
    "ScaledToSizeCircleFilter", "AspectScaledToFillSizeCircleFilter", "CompositeImageFilter",
    "DynamicImageFilter",
    "DynamicCompositeImageFilter", "ImageCache", "ImageRequestCache", "AutoPurgingImageCache",
    "memoryCapacity",
    "preferredMemoryUsageAfterPurge", "add(_:withIdentifier:)", "image(withIdentifier:)",
    "removeImage(withIdentifier:)",
    "removeAllImages()", "add(_:for:withIdentifier:)", "image(for:withIdentifier:)",
    "removeImage(for:withIdentifier:)",
    "URLCache", "af.setImage(withURL:", "placeholderImage", "imageTransition", "crossDissolve",
    "defaultURLSessionConfiguration()", "URLCredential", ".fifo", ".lifo", "addAcceptableImageContentTypes",
  ]

  @Test("the article has every symbol of AlamofireImage's README")
  func symbols() throws {
    let article = try String(
      contentsOfFile: Self.root + "Sources/ImageDownloads/ImageDownloads.docc/From-AlamofireImage.md",
      encoding: .utf8)
    #expect(Self.readmeSymbols.filter { !article.contains($0) } == [])
  }

  // MARK: The examples run

  @Test("the five tasks do what they say")
  func tasks() async throws {
    let directory = try TestDirectory("tasks")
    try Data(imagePage().body).write(to: URL(filePath: directory["photo.png"]))
    let photo = URL(filePath: directory["photo.png"])
    try makeThumbnail(of: photo, at: URL(filePath: directory["thumbnail.jpg"]))
    #expect(
      try VipsImage(contentsOf: URL(filePath: directory["thumbnail.jpg"])).size
        == Size(width: 200, height: 150))
    #expect(try faded(VipsImage(contentsOf: photo)).size.width == 30)

    let server = try LoopbackServer { request in imagePage(request.path.utf8.count) }
    defer { server.stop() }
    let settings = ImagePipeline.Configuration.forTests()
    for _ in 0..<2 {
      let image = try await cachedAvatar(
        at: server.address("/ada.png"), settings, cache: URL(filePath: directory["cache"]))
      #expect(image.size == Size(width: 96, height: 96))
    }
    #expect(server.count(of: "/ada.png") == 1)
    let urls = (0..<1000).map { server.address("/\($0).png") }
    #expect(
      try await makeThumbnails(
        of: urls, settings.downloads, in: URL(filePath: directory["out"]),
        cache: URL(filePath: directory["cache"])) == 1000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory["out"]).count == 1000)
    try await withPipeline { pipeline, _ in
      let (loaded, cancelled) = await loadHalf(of: urls, with: pipeline)
      #expect(loaded + cancelled == 1000 && loaded >= 500 && cancelled > 0)
    }
  }

  @Test("the examples of the overviews")
  func overviews() async throws {
    let directory = try TestDirectory("overviews")
    let photo = directory["photo.jpg"]
    try VipsImage.plain([90, 120, 200], width: 400, height: 300).write(to: URL(filePath: photo))
    #expect(try half(of: photo).size == Size(width: 200, height: 150))
    let small = try smallVersions(of: VipsImage(contentsOf: URL(filePath: photo)))
    #expect(small.map(\.width) == [100, 400])
    let (images, store) = try remember(small[0], in: URL(filePath: directory["store"]))
    #expect(images.image(withIdentifier: "ada") === small[0])
    try makeAvatarFile(of: URL(filePath: photo), at: URL(filePath: directory["avatar.webp"]))
    let server = try LoopbackServer { _ in imagePage() }
    defer { server.stop() }
    let settings = ImagePipeline.Configuration.forTests()
    let downloader = ImageDownloader(configuration: settings.downloads, store: store)
    #expect(try await size(of: server.address("/a.png"), downloader) == imagePage().body.count)
    await downloader.shutDown()
    var configuration = BatchConfiguration()
    configuration.outputDirectory = URL(filePath: directory["out"])
    let batch = try Batch(
      configuration, cacheDirectory: URL(filePath: directory["store"]), downloads: settings.downloads)
    let urls = (0..<3).map { server.address("/\($0).png") }
    #expect(await makeGallery(of: urls, batch).outputsWritten == 6)
    #expect(FileManager.default.fileExists(atPath: directory["out/large/2.jpg"]))
    try await withPipeline { pipeline, _ in
      try await makePipelineAvatar(at: urls[0], with: pipeline, to: URL(filePath: directory["a.png"]))
    }
    #expect(try VipsImage(contentsOf: URL(filePath: directory["a.png"])).size == Size(width: 96, height: 96))
  }

  @Test("the examples of the article \"From AlamofireImage\"")
  func alamofireImage() async throws {
    let data = Data(imagePage().body)
    #expect(try versions(of: data).count == 7)
    let image = try VipsImage(data: data)
    for filter in filters(Size(width: 20, height: 20)) { #expect(try image.filtered(filter).width > 0) }
    let url = try #require(URL(string: "https://example.invalid/a.jpg"))
    #expect(try useCache(image, for: url) === image)
    await makeDownloader(store: try .ephemeral()).shutDown()
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let avatar = try await avatar(of: server.address("/a.png"), pipeline: pipeline)
      #expect((avatar.width, avatar.height, avatar.hasAlpha) == (100, 100, true) && images.count == 1)
      // The address is never asked: the call is cancelled before.
      pipeline.downloader.holdsNewTransfers = true
      let (cancelled, continuation) = AsyncStream.makeStream(of: Void.self)
      loadAndCancel(url, pipeline: pipeline) { continuation.finish() }
      for await _ in cancelled {}
    }
  }
}
