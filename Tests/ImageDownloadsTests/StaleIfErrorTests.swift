import ImageCaches
import LoopbackServer
import Synchronization
import Testing

@testable import ImageDownloads

@Suite("a stored response in place of an error", .timeLimit(.minutes(8)))
struct StaleIfErrorTests {
  /// How an origin may fail.
  enum Failure: CaseIterable, Sendable {
    case disconnect, shortBody, status429, status500, status502, status503, status504

    var status: Int? {
      switch self {
      case .disconnect, .shortBody: nil
      case .status429: 429
      case .status500: 500
      case .status502: 502
      case .status503: 503
      case .status504: 504
      }
    }

    var page: Page {
      switch self {
      case .disconnect: Page(text: "", type: "").with(fault: .reset(after: -1))
      case .shortBody: Page(imageBytes(9), framing: .announced(900), fault: .close(after: 100))
      default: Page(text: "new", status: status ?? 0)
      }
    }
  }

  private static var configuration: ImageDownloader.Configuration {
    var configuration = Fixture.configuration
    configuration.retries = 0
    configuration.staleIfError = .seconds(3600)
    return configuration
  }

  /// What a client of the cache sees: the status and the body; nil if there is no response.
  private func fetch(_ downloader: ImageDownloader, _ url: String) async -> (status: Int, body: [UInt8])? {
    do {
      let response = try await downloader.fetch(ImageRequest(.url(url)))
      return (response.status, contents(response.body.path))
    } catch {
      return nil
    }
  }

  @Test(
    "only a success stands in, whatever fails",
    arguments: [200, 203, 299, 404, 410, 429, 500, 501, 502, 503, 504, 599], Failure.allCases)
  func everyPair(stored: Int, failure: Failure) async throws {
    let fails = Mutex(false)
    let server = try LoopbackServer { _ in
      if fails.withLock(\.self) { return failure.page }
      return Page(
        Array("old".utf8), status: stored, fields: [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")])
    }
    defer { server.stop() }
    try await Fixture().withDownloader(Self.configuration) { downloader in
      #expect(await fetch(downloader, server.url("/a"))?.status == stored)
      fails.withLock { $0 = true }
      let second = await fetch(downloader, server.url("/a"))
      if stored < 400 {
        #expect(
          second?.status == stored && second?.body == Array("old".utf8), "\(String(describing: second))")
      } else {
        #expect(second?.status == failure.status, "\(String(describing: second))")
        #expect(second.map { $0.body == Array("new".utf8) } ?? true)
      }
    }
  }

  @Test("a stored redirect leads to what is stored at its target")
  func redirect() async throws {
    let fails = Mutex(false)
    let server = try LoopbackServer { request in
      if fails.withLock(\.self) { return Failure.disconnect.page }
      let fields = [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")]
      if request.path == "/a" {
        return Page(Array("moved".utf8), status: 301, fields: fields + [("Location", "/b")])
      }
      return page(3, fields: fields)
    }
    defer { server.stop() }
    try await Fixture().withDownloader(Self.configuration) { downloader in
      #expect(await downloader.outcome(server.url("/a")).error == nil)
      fails.withLock { $0 = true }
      let source = try await downloader.download(ImageRequest(.url(server.url("/a"))))
      #expect(contents(source.path) == imageBytes(3) && source.disposition == .stale)
    }
  }

  @Test("stored bytes that aren't the pinned ones don't stand in")
  func pinned() async throws {
    let fails = Mutex(false)
    let server = try LoopbackServer { _ in
      fails.withLock(\.self)
        ? Page(text: "no", status: 503) : page(3, fields: [("Cache-Control", "max-age=0")])
    }
    defer { server.stop() }
    try await Fixture().withDownloader(Self.configuration) { downloader in
      let url = server.url("/a")
      #expect(await downloader.outcome(url).error == nil)
      fails.withLock { $0 = true }
      #expect(
        await downloader.outcome(url, pinned: ContentDigest(hashing: imageBytes(4))).error?.status == 503)
      #expect(await downloader.outcome(url, pinned: ContentDigest(hashing: imageBytes(3))).error == nil)
    }
    #expect(server.requests.count == 3)
  }
}

extension Page {
  fileprivate func with(fault: Fault) -> Page {
    var page = self
    page.fault = fault
    return page
  }
}
