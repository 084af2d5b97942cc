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
  static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
  static let root = tests + "/../../"

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

  /// The indented code of public doc comments, by file and line.
  private static func commentedCode() -> [(place: String, code: [String])] {
    var found: [(place: String, code: [String])] = []
    let modules = products + ["WebValues"]
    for module in modules {
      let files = FileManager.default.enumerator(atPath: "\(root)Sources/\(module)")
      for name in files?.compactMap({ $0 as? String }) ?? [] where name.hasSuffix(".swift") {
        guard let data = FileManager.default.contents(atPath: "\(root)Sources/\(module)/\(name)") else {
          continue
        }
        let lines = String(decoding: data, as: UTF8.self).split(
          separator: "\n", omittingEmptySubsequences: false
        )
        .map { $0.trimmingCharacters(in: .whitespaces) }
        // A line that goes on a list item is indented too, but follows text.
        for (number, line) in lines.enumerated()
        where line.hasPrefix("///     ") && number > 0 && lines[number - 1] == "///" {
          let declaration = lines[number...].first { !$0.hasPrefix("///") && !$0.hasPrefix("@") } ?? ""
          guard declaration.contains("public ") || declaration.hasPrefix("extension ") else { continue }
          let code = lines[number...].prefix { $0.hasPrefix("///     ") }
          found.append(("\(module)/\(name):\(number + 1)", code.map { trimmed($0.dropFirst(3)) }))
        }
      }
    }
    return found
  }

  private static func trimmed(_ line: some StringProtocol) -> String {
    line.trimmingCharacters(in: .whitespaces)
  }

  @Test("the code of every public doc comment is a piece of a compiled example")
  func comments() {
    let examples = Self.examples.values.map { $0.code.split(separator: "\n").map { Self.trimmed($0) } }
    let comments = Self.commentedCode()
    #expect(comments.count >= 20, "\(comments.map(\.place))")
    for (place, code) in comments {
      // In a list of expressions a piece is followed by a comma.
      let isCompiled = examples.contains { example in
        example.indices.contains { start in
          let piece = example[start...].prefix(code.count)
          return piece.elementsEqual(code) { $0 == $1 || $0 == $1 + "," }
        }
      }
      #expect(isCompiled, "\(place) has code that no test compiles:\n\(code.joined(separator: "\n"))")
    }
  }

  private static let products: [String] = {
    let manifest = FileManager.default.contents(atPath: root + "Package.swift") ?? Data()
    return String(decoding: manifest, as: UTF8.self).matches(of: #/\.library\(name: "(\w+)"/#).map {
      String($0.1)
    }
  }()

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
    #expect(Self.products.count == 7)
    for product in Self.products {
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
    try await openPipeline(cache: URL(filePath: directory["cache"])).shutDown()
    try await withPipeline { pipeline, _ in
      let image = try await cachedAvatar(at: server.address("/ada.png"), with: pipeline)
      #expect(image.size == Size(width: 96, height: 96))
      #expect(try await cachedAvatar(at: server.address("/ada.png"), with: pipeline) === image)
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
    // Equal images would be rendered once: whether their other outputs are written or found depends on the time.
    let server = try LoopbackServer { request in
      imagePage(request.path.first(where: \.isNumber)?.wholeNumberValue ?? 9)
    }
    defer { server.stop() }
    let settings = ImagePipeline.Configuration.forTests()
    let downloader = ImageDownloader(configuration: settings.downloads, store: store)
    #expect(try await size(of: server.address("/a.png"), downloader) == imagePage(9).body.count)
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
}
