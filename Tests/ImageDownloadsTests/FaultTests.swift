import Curl
import Glibc
import ImageCaches
import ImageDownloads
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@Suite("Faults", .timeLimit(.minutes(8)))
struct FaultTests {
  /// A server that breaks off `times` times and serves ranges of `body`, whose validator may change.
  private func resumable(
    _ body: [UInt8], breaks: Int, at count: Int, tags: [String] = ["\"v1\""], bodies: [[UInt8]] = [],
    answersRangesWith status: Int = 206
  ) throws -> LoopbackServer {
    let number = Mutex(0)
    return try LoopbackServer { request in
      let index = number.withLock { number in
        defer { number += 1 }
        return number
      }
      let body = bodies.isEmpty ? body : bodies[min(index, bodies.count - 1)]
      let tag = tags[min(index, tags.count - 1)]
      var page = Page(body, type: "image/png", fields: [("ETag", tag), ("Accept-Ranges", "bytes")])
      if let range = request.field("Range"), request.field("If-Range") == tag,
        let start = Int(range.dropFirst("bytes=".count).dropLast())
      {
        page = Page(
          Array(body[start...]), type: "image/png", status: status, reason: "Partial Content",
          fields: [("ETag", tag), ("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)")])
      }
      if index < breaks { page.fault = .reset(after: count) }
      return page
    }
  }

  @Test("a body that breaks off is gone on with, however often", arguments: [206, 200])
  func resume(_ status: Int) async throws {
    let body = imageBytes(1, count: 400_000)
    let server = try resumable(body, breaks: 3, at: 90_000, answersRangesWith: status)
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let source = try await downloader.outcome(server.url("/a.png")).get()
      #expect(contents(source.path) == body)
    }
    #expect(server.requests.count == 4)
    #expect(server.requests.dropFirst().allSatisfy { $0.field("If-Range") == "\"v1\"" })
    #expect(server.requests.dropFirst().allSatisfy { $0.field("Range").map { $0 != "bytes=0-" } ?? false })
  }

  @Test("a representation that changes in mid-download is downloaded anew, never mixed")
  func changed() async throws {
    let old = imageBytes(1, count: 300_000)
    let new = imageBytes(2, count: 300_000)
    let server = try resumable(old, breaks: 1, at: 100_000, tags: ["\"v1\"", "\"v2\""], bodies: [old, new])
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let source = try await downloader.outcome(server.url("/a.png")).get()
      #expect(contents(source.path) == new)
    }
  }

  @Test("a server that sends another range than was asked for is asked for the whole")
  func wrongRange() async throws {
    let body = imageBytes(1, count: 300_000)
    let number = Mutex(0)
    let server = try LoopbackServer { request in
      let index = number.withLock { number in
        defer { number += 1 }
        return number
      }
      guard request.field("Range") != nil else {
        var page = Page(body, type: "image/png", fields: [("ETag", "\"v1\"")])
        if index == 0 { page.fault = .close(after: 100_000) }
        return page
      }
      return Page(
        Array(body[50_000...]), type: "image/png", status: 206, reason: "Partial Content",
        fields: [("ETag", "\"v1\""), ("Content-Range", "bytes 50000-299999/300000")])
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let source = try await downloader.outcome(server.url("/a.png")).get()
      #expect(contents(source.path) == body)
    }
    #expect(server.requests.count == 3)
  }

  @Test("an interrupted body is gone on with by the next run, where its validator still holds")
  func resumeAcrossRuns() async throws {
    let body = imageBytes(1, count: 400_000)
    let server = try resumable(body, breaks: 1, at: 200_000)
    defer { server.stop() }
    let fixture = try Fixture()
    var configuration = Fixture.configuration
    configuration.retries = 0
    try await fixture.withDownloader(configuration) { downloader in
      let error = await downloader.outcome(server.url("/a.png")).error
      #expect(error?.isTemporary == true)
    }
    try await fixture.withDownloader(configuration) { downloader in
      let source = try await downloader.outcome(server.url("/a.png")).get()
      #expect(contents(source.path) == body)
    }
    #expect(server.requests.count == 2)
    #expect(server.requests.last?.field("Range") != nil)
  }

  /// Refuses its first request, with a wait of so many seconds.
  private func busyServer(_ status: Int, seconds: Int) throws -> LoopbackServer {
    let refused = Mutex(false)
    return try LoopbackServer { _ in
      let isFirst = refused.withLock { refused in
        defer { refused = true }
        return !refused
      }
      return isFirst ? Page(status: status, reason: "Busy", fields: [("Retry-After", "\(seconds)")]) : page()
    }
  }

  @Test("429 and 503 with Retry-After pause the host for that long", arguments: [429, 503])
  func retryAfter(_ status: Int) async throws {
    let busy = try busyServer(status, seconds: 3)
    defer { busy.stop() }
    try await Fixture().withDownloader { downloader in
      let start = ContinuousClock.now
      _ = try await downloader.outcome(busy.url("/a.png")).get()
      #expect(ContinuousClock.now - start >= .seconds(3))
    }
    #expect(busy.requests.count == 2)
  }

  @Test("while a host is paused, others go on")
  func othersGoOn() async throws {
    // Longer than a busy machine takes for one download from the other.
    let busy = try busyServer(429, seconds: 50)
    defer { busy.stop() }
    let free = try LoopbackServer { request in page(request.path.count) }
    defer { free.stop() }
    let paused = Gate()
    try await Fixture().withDownloader(
      report: { event in if case .hostPaused = event { paused.open() } },
      { downloader in
        async let slow = downloader.outcome(busy.url("/a.png"))
        await paused.passed()
        _ = try await downloader.outcome(free.url("/b.png")).get()
        #expect(busy.requests.count == 1)
        downloader.cancelAll()
        #expect(await slow.error?.isCancelled == true)
      })
    #expect(busy.requests.count == 1)
  }

  @Test("a wait that is too long is a failure that says so")
  func throttled() async throws {
    let server = try LoopbackServer { _ in
      Page(status: 503, reason: "Busy", fields: [("Retry-After", "3600")])
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let error = await downloader.outcome(server.url("/a.png")).error
      #expect(
        error?.code == .throttled && error?.isTemporary == true && error?.message.contains("3600 s") == true)
    }
    #expect(server.requests.count == 1)
  }

  @Test("redirects: followed, counted, never from https to http, never to a refused address")
  func redirects() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/circle": .redirect(to: "/circle")
      case "/a": .redirect(to: "b", status: 301)
      case "/b": .redirect(to: "/c.png", status: 308)
      case "/metadata": .redirect(to: "http://169.254.169.254/latest/meta-data")
      case "/file": .redirect(to: "file:///etc/passwd")
      default: page(3)
      }
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let source = try await downloader.outcome(server.url("/a")).get()
      #expect(source.finalURL == server.url("/c.png"))
      #expect(await downloader.outcome(server.url("/circle")).error?.code == .tooManyRedirects)
      #expect(await downloader.outcome(server.url("/metadata")).error?.code == .notAllowed)
      #expect(await downloader.outcome(server.url("/file")).error?.code == .badRedirect)
    }
    #expect(server.count(of: "/circle") == 11)
  }

  @Test("credentials and custom fields stay with their origin across a redirect")
  func crossOrigin() async throws {
    let other = try LoopbackServer { _ in page(4) }
    defer { other.stop() }
    let target = other.url("/b.png")
    let home = try LoopbackServer { _ in .redirect(to: target) }
    defer { home.stop() }
    var configuration = Fixture.configuration
    configuration.headers = [HeaderField("X-Api-Key", "secret")]
    configuration.credential = .init(user: "me", password: "secret")
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      _ = try await downloader.outcome(home.url("/a.png")).get()
    }
    #expect(home.requests.first?.field("X-Api-Key") == "secret")
    #expect(home.requests.first?.field("Authorization") == "Basic bWU6c2VjcmV0")
    #expect(
      other.requests.first?.fields.contains { $0.value.contains("secret") || $0.name == "Authorization" }
        == false)
  }

  @Test("Digest is answered where it is asked for")
  func digest() async throws {
    let server = try LoopbackServer { request in
      if request.field("Authorization")?.hasPrefix("Digest ") == true { return page(5) }
      return Page(
        Array("no".utf8), type: "text/plain", status: 401, reason: "Unauthorized",
        fields: [("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5")])
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.credential = .init(user: "me", password: "secret")
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      let source = try await downloader.outcome(server.url("/a.png")).get()
      // The challenge's own body is no part of the image.
      #expect(source.digest == ContentDigest(hashing: imageBytes(5)))
      #expect(source.byteCount == imageBytes(5).count)
    }
    #expect(server.requests.last?.field("Authorization")?.contains("response=") == true)
  }

  @Test("a stalled transfer ends with a time-out")
  func stall() async throws {
    let server = try LoopbackServer { _ in
      Page(imageBytes(count: 5000), type: "image/png", fault: .stall(after: 100))
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.timeout = .seconds(0.3)
    configuration.retries = 0
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      let error = await downloader.outcome(server.url("/a.png")).error
      #expect(error?.code == .timedOut && error?.isTemporary == true)
    }
  }

  @Test(
    "2,000 requests over 200 URLs with a fifth of faults: every byte right or a named failure, nothing lost, no limit broken"
  )
  func soak() async throws {
    let seed = SeededRandom.seed
    print("seed \(seed)")
    let generator = Mutex(SeededRandom(seed: seed))
    @Sendable func random(_ range: Range<Int>) -> Int {
      generator.withLock { Int.random(in: range, using: &$0) }
    }
    let server = try LoopbackServer { request in
      let number = Int(request.path.dropFirst().prefix { $0 != "." }) ?? 0
      var page = page(number, count: 1000 + number * 37, fields: [("ETag", "\"\(number)\"")])
      guard random(0..<5) == 0 else { return page }
      switch random(0..<12) {
      case 0: page.fault = .reset(after: -1)
      case 1: page.fault = .reset(after: random(0..<1000))
      case 2: page.fault = .close(after: random(0..<1000))
      case 3: page.fault = .drip(bytes: 700, milliseconds: 2)
      case 4:
        page.framing = .chunked(333)
        page.fault = .badChunk(after: random(1..<900))
      case 5: page.framing = .announced(page.body.count + 50)
      case 6: return Page(status: 503, reason: "Busy", fields: [("Retry-After", "0")])
      case 7: return Page(status: 500, reason: "Oops")
      case 8: return Page(Array("not HTTP at all".utf8), framing: .raw)
      case 9: page.framing = .chunked(100)
      case 10:
        return Page(
          Array("HTTP/1.1 200 OK\r\n\(String(repeating: "X-Flood: y\r\n", count: 30_000))\r\n".utf8),
          framing: .raw)
      default: return Page(text: "<html>maintenance", type: "text/html", status: 502)
      }
      return page
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.retries = 5
    configuration.retryWait = .seconds(0.001)
    let fixture = try Fixture()
    let failures = try await fixture.withDownloader(configuration) { downloader in
      var failed: [DownloadError] = []
      let failures = await withTaskGroup(of: DownloadError?.self) { group in
        for request in 0..<2000 {
          // Few enough at once that most requests are sent, and not merged.
          if request >= 60 { failed += [await group.next()].compactMap { $0 ?? nil } }
          group.addTask {
            let number = (request * 7919) % 200
            switch await downloader.outcome(server.url("/\(number).png")) {
            case .success(let source):
              let expected = imageBytes(number, count: 1000 + number * 37)
              #expect(contents(source.path) == expected, "seed \(seed)")
              return nil
            case .failure(let error): return error
            }
          }
        }
        return await group.reduce(into: failed) { $0 += [$1].compactMap(\.self) }
      }
      #expect(server.requests.count > 1500)
      #expect(downloader.totals.requests == server.requests.count, "seed \(seed)")
      return failures
    }
    let named: Set<DownloadError.Code> = [
      .connectionFailed, .transferFailed, .truncated, .httpStatus, .timedOut,
    ]
    #expect(failures.allSatisfy { named.contains($0.code) }, "seed \(seed)")
    #expect(server.peakConcurrency <= configuration.activeDownloadsPerHost)
  }
}
