import Foundation
import ImageDownloads
import ImageFilters
import ImagePipeline
import LoopbackServer
import Testing
import Vips

/// The code of the article "From AlamofireImage", as it is printed there.
@Suite("From AlamofireImage", .timeLimit(.minutes(8)))
struct FromAlamofireImageTests {
  /// Opened by whoever was waited for.
  final class Signal: Sendable {
    private let stream = AsyncStream<Void>.makeStream()
    func open() { stream.continuation.finish() }
    func wait() async { for await _ in stream.stream {} }
  }

  // begin
  func avatar(of url: URL, pipeline: ImagePipeline) async throws -> VipsImage {
    let filter = AspectScaledToFillSizeCircleFilter(size: Size(width: 100, height: 100))
    return try await pipeline.image(for: url, filters: filter)
  }
  // end

  private static let repository =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."

  @Test("its code makes an avatar once, and finds it in memory then")
  func code() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let url = server.address("/a.png")
      let image = try await avatar(of: url, pipeline: pipeline)
      #expect((image.width, image.height, image.hasAlpha) == (100, 100, true))
      #expect(try await avatar(of: url, pipeline: pipeline) === image)
      #expect(images.count == 1 && pipeline.removeImages(at: url))
    }
  }

  @Test("its cancelling answers the one who cancelled")
  func cancelling() async throws {
    let cancelled = Signal()
    let url = try #require(URL(string: "https://example.invalid/a.jpg"))
    try await withPipeline { pipeline, _ in
      // The address is never asked: the call is cancelled before.
      pipeline.downloader.holdsNewTransfers = true
      // begin
      let receipt = pipeline.load(ImageRequest(url), filters: CircleFilter()) { result in
        if case .failure(let error) = result, error.isRequestCancelledError { cancelled.open() }
      }
      if let receipt { pipeline.cancel(receipt) }
      // end
      await cancelled.wait()
    }
  }

  @Test("the article prints this code, letter for letter")
  func text() throws {
    let article = try String(
      contentsOfFile: Self.repository + "/Sources/ImageDownloads/ImageDownloads.docc/From-AlamofireImage.md",
      encoding: .utf8)
    let printed = article.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let compiled = source.components(separatedBy: "// begin\n").dropFirst().compactMap { part in
      part.components(separatedBy: "// end\n").first.map(Self.withoutIndentation)
    }.filter { $0.contains("pipeline") }
    #expect(printed == Array(compiled.prefix(2)))
    #expect(printed.count == 2)
  }

  private static func withoutIndentation(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let depth = lines.first?.prefix { $0 == " " }.count ?? 0
    return lines.map { $0.dropFirst(min(depth, $0.prefix { $0 == " " }.count)) }.joined(separator: "\n")
      + "\n"
  }
}
