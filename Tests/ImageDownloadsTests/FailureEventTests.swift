import Glibc
import ImageCaches
import LoopbackServer
import Synchronization
import Testing

@testable import ImageDownloads

@Suite("failures told as events", .timeLimit(.minutes(8)))
struct FailureEventTests {
  private final class Events: Sendable {
    private let state = Mutex<[DownloadEvent]>([])
    func note(_ event: DownloadEvent) { state.withLock { $0.append(event) } }
    /// The URL and the error of each transfer that has ended.
    var ends: [(url: String, error: DownloadError?)] {
      state.withLock { events in
        events.compactMap {
          if case .finished(_, let url, _, _, let error) = $0 { (url, error) } else { nil }
        }
      }
    }
  }

  @Test("carry the error and the URL that failed, retries and redirects included")
  func ends() async throws {
    let turns = Mutex(0)
    let server = try LoopbackServer { request in
      switch request.path {
      case "/moved": return .redirect(to: "/missing")
      case "/flaky":
        let turn = turns.withLock { turns in
          turns += 1
          return turns
        }
        return turn == 1 ? Page(text: "busy", status: 503) : page(1)
      case "/page": return Page(text: "<!doctype html><p>x", type: "text/html")
      case "/short":
        return Page(imageBytes(1), type: "image/png", framing: .announced(900), fault: .close(after: 200))
      case "/large": return Page([UInt8](repeating: 1, count: 3 << 20), status: 404)
      default: return .notFound
      }
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.retries = 1
    func ends(_ path: String) async throws -> [(url: String, error: DownloadError?)] {
      let events = Events()
      try await Fixture().withDownloader(configuration, report: { events.note($0) }) { downloader in
        _ = await downloader.outcome(server.url(path))
      }
      return events.ends
    }
    let moved = try await ends("/moved")
    #expect(moved.map(\.url) == [server.url("/moved"), server.url("/missing")])
    #expect(moved.map { $0.error?.status } == [nil, 404] && moved[1].error?.code == .httpStatus)
    let flaky = try await ends("/flaky")
    #expect(flaky.map { $0.error?.status } == [503, nil] && flaky[0].error?.isTemporary == true)
    #expect(try await ends("/page").map { $0.error?.code } == [.notAnImage])
    #expect(try await ends("/short").map { $0.error?.code } == [.truncated, .truncated])
    #expect(try await ends("/large").map { $0.error?.status } == [404])
  }

  @Test(
    "an error status with a long body is that status: tried again where it may pass",
    arguments: [404, 429, 500, 503])
  func longErrorBody(status: Int) async throws {
    let server = try LoopbackServer(pages: [
      "/long": Page([UInt8](repeating: 1, count: 2 << 20), status: status),
      "/endless": Page(
        [UInt8](repeating: 1, count: 1 << 16), status: status, framing: .close, fault: .endless),
      "/short": Page(text: "x", status: status),
    ])
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.retries = 2
    let isTemporary = status != 404
    for path in ["/short", "/long", "/endless"] {
      try await Fixture().withDownloader(configuration) { downloader in
        let error = await downloader.outcome(server.url(path)).error
        #expect(error?.code == .httpStatus && error?.status == status, "\(path): \(error?.message ?? "")")
        #expect(error?.isTemporary == isTemporary, "\(path)")
        #expect(downloader.totals.downloads == 0 && downloader.totals.bytes == 0)
      }
      #expect(server.count(of: path) == (isTemporary ? 3 : 1), "\(path)")
    }
  }

  @Test("a named pipe or a device is no source, and never blocks; an inherited pipe is read")
  func pipes() async throws {
    let fixture = try Fixture()
    let named = fixture.directory + "/pipe"
    try #require(mkfifo(named, 0o600) == 0)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let bytes = imageBytes(2)
    try #require(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    try await fixture.withDownloader { downloader in
      for path in [named, "/dev/zero", "/dev/null"] {
        do throws(DownloadError) {
          _ = try await downloader.download(ImageRequest(.file(path)))
          Issue.record("\(path) was read")
        } catch {
          #expect(error.code == .unreadable, "\(path): \(error.message)")
          #expect(error.message.contains("not a regular file"), "\(error.message)")
        }
      }
      let source = try await downloader.download(ImageRequest(.file("/dev/fd/\(ends[0])")))
      #expect(contents(source.path) == bytes)
    }
  }
}

@Suite("added credentials", .timeLimit(.minutes(8)))
struct AddedCredentialTests {
  /// Basic's form of `me:secret` and `you:other`.
  private let mine = "Basic bWU6c2VjcmV0"
  private let yours = "Basic eW91Om90aGVy"

  @Test("hold for later requests, at the source's own origin, until others are added")
  func later() async throws {
    let other = try LoopbackServer(pages: ["/b": page(2)])
    defer { other.stop() }
    let away = other.url("/b")
    let server = try LoopbackServer { request in
      request.path == "/away" ? .redirect(to: away) : page(1, fields: [("Cache-Control", "no-store")])
    }
    defer { server.stop() }
    func sent() -> String? { server.requests.last?.field("Authorization") }
    try await Fixture().withDownloader { downloader in
      let url = server.url("/a")
      #expect(await downloader.outcome(url).error == nil)
      #expect(sent() == nil)
      downloader.addAuthentication(user: "me", password: "secret")
      #expect(await downloader.outcome(url).error == nil)
      #expect(sent() == mine)
      downloader.addAuthentication(usingCredential: .init(user: "you", password: "other"))
      #expect(await downloader.outcome(url).error == nil)
      #expect(sent() == yours)
      #expect(await downloader.outcome(server.url("/away")).error == nil)
      #expect(sent() == yours && other.requests.last?.field("Authorization") == nil)
      let own = url.replacing("http://", with: "http://me:secret@")
      #expect(await downloader.outcome(own).error == nil)
      #expect(sent() == mine)
    }
  }

  @Test("leave requests in flight as they are, and those with others apart")
  func inFlight() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      var answer = page(1, fields: [("Cache-Control", "max-age=60")])
      answer.gate = gate
      return answer
    }
    defer { server.stop() }
    try await Fixture().withDownloader { downloader in
      let url = server.url("/a")
      async let first = downloader.outcome(url)
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      downloader.addAuthentication(user: "me", password: "secret")
      async let second = downloader.outcome(url)
      while server.requests.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
      gate.open()
      #expect(await first.error == nil)
      #expect(await second.error == nil)
    }
    #expect(server.requests.map { $0.field("Authorization") } == [nil, mine])
  }
}
