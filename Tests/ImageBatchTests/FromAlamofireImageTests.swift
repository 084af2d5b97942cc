import Foundation
import ImageCaches
import ImageDownloads
import ImageFilters
import Testing
import Vips

/// The code of the article "From AlamofireImage", as it is printed there.
@Suite("From AlamofireImage", .timeLimit(.minutes(8)))
struct FromAlamofireImageTests {
  struct NotAPicture: Error {}

  /// Opened by whoever was waited for.
  final class Signal: Sendable {
    private let stream = AsyncStream<Void>.makeStream()
    func open() { stream.continuation.finish() }
    func wait() async { for await _ in stream.stream {} }
  }

  // begin
  func avatar(
    of request: ImageRequest, downloader: ImageDownloader, images: AutoPurgingImageCache
  ) async throws -> VipsImage {
    let filter = try AspectScaledToFillSizeCircleFilter(size: Extent(width: 100, height: 100))
    if let found = images.image(for: request, withIdentifier: filter.identifier) { return found }
    let source = try await downloader.download(request)
    let head = try FileHandle(forReadingFrom: URL(filePath: source.path)).read(upToCount: 4096) ?? Data()
    guard let format = ImageFormat(signature: [UInt8](head)) else { throw NotAPicture() }
    let image = try filter.apply(to: Loader(format).open(source.path, sequential: false)).materialized()
    images.add(image, for: request, withIdentifier: filter.identifier)
    return image
  }
  // end

  private static let repository =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."

  @Test("its code makes an avatar once, and finds it in memory then")
  func code() async throws {
    let store = try DiskStore.ephemeral()
    let downloader = ImageDownloader(store: store)
    let images = try AutoPurgingImageCache()
    let request = ImageRequest(.file(Self.repository + "/Examples/pictures/sunset.jpg"))
    let image = try await avatar(of: request, downloader: downloader, images: images)
    #expect((image.width, image.height, image.hasAlpha) == (100, 100, true))
    #expect(images.count == 1)
    #expect(try await avatar(of: request, downloader: downloader, images: images) === image)
    #expect(images.removeImages(matching: request))
    await downloader.shutDown()
  }

  @Test("its cancelling answers the one who cancelled")
  func cancelling() async throws {
    let store = try DiskStore.ephemeral()
    let downloader = ImageDownloader(store: store)
    let cancelled = Signal()
    // An address that is never asked: the call is cancelled before.
    let request = ImageRequest(.url("https://example.invalid/a.jpg"))
    downloader.holdsNewTransfers = true
    // begin
    let receipt = downloader.download(request) { result in
      if case .failure(let error) = result, error.isCancelled { cancelled.open() }
    }
    downloader.cancel(receipt)
    // end
    await cancelled.wait()
    await downloader.shutDown()
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
    }.filter { $0.contains("downloader") }
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
