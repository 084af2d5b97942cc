import ImageDownloads
import LoopbackServer
import Synchronization
import Testing

/// What some servers do, and what is made of it.
@Suite("Odd answers", .timeLimit(.minutes(8)))
struct OddAnswerTests {
  @Test("an error that says in its body that it may pass is tried again, whatever its status")
  func storageErrors() async throws {
    let turn = Mutex(0)
    let body = "<?xml version=\"1.0\"?>\n<Error><Code>RequestTimeout</Code><Message>…</Message></Error>"
    let server = try LoopbackServer { request in
      if request.path == "/bad.png" {
        return Page(Array("<Error><Code>InvalidArgument</Code></Error>".utf8), status: 400)
      }
      let number = turn.withLock { turn in
        turn += 1
        return turn
      }
      return number < 3 ? Page(Array(body.utf8), type: "application/xml", status: 400) : page(1)
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      #expect(await downloader.outcome(server.url("/a.png")).error == nil)
      #expect(await downloader.outcome(server.url("/bad.png")).error?.status == 400)
    }
    #expect(server.count(of: "/a.png") == 3)
    #expect(server.count(of: "/bad.png") == 1)
  }

  @Test("a coding that nobody asked for is a failure in words; an image under a wrong label is taken")
  func codings() async throws {
    let zipped: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 7, count: 90)
    let server = try LoopbackServer { request in
      Page(
        request.path == "/zipped.png" ? zipped : imageBytes(1), type: "image/png",
        fields: [("Content-Encoding", "gzip")])
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let refused = await downloader.outcome(server.url("/zipped.png")).error
      #expect(refused?.code == .notAnImage)
      #expect(refused?.message.contains("'Content-Encoding: gzip'") == true)
      #expect(await downloader.outcome(server.url("/labelled.png")).error == nil)
    }
    #expect(server.requests.allSatisfy { $0.field("Accept-Encoding") == nil })
  }

  @Test("where its origin fails, a stale answer is used for as long as it is allowed, and no longer")
  func standingIn() async throws {
    let fails = Mutex(false)
    let server = try LoopbackServer { request in
      if fails.withLock({ $0 }) { return Page([], status: 503) }
      let control =
        switch request.path {
        case "/strict.png": "max-age=0, must-revalidate"
        case "/own.png": "max-age=0, stale-if-error=600"
        default: "max-age=0"
        }
      return page(1, fields: [("Cache-Control", control), ("ETag", "\"1\"")])
    }
    defer { server.stop() }
    let fixture = try Fixture()
    let names = ["/plain.png", "/strict.png", "/own.png"]
    try await fixture.withDownloader { downloader in
      for name in names { #expect(await downloader.outcome(server.url(name)).error == nil) }
    }
    fails.withLock { $0 = true }
    var configuration = Fixture.configuration
    configuration.retries = 1
    for (allowance, served) in [(0.0, [false, false, true]), (600, [true, false, true])] {
      configuration.staleIfError = .seconds(allowance)
      try await fixture.withDownloader(configuration) { downloader in
        for (name, isServed) in zip(names, served) {
          let outcome = await downloader.outcome(server.url(name))
          #expect((outcome.error == nil) == isServed, "\(name), \(allowance)")
          if isServed, case .success(let source) = outcome { #expect(source.disposition == .stale) }
        }
      }
    }
  }
}
