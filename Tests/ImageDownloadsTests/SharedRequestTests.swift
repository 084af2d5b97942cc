import Glibc
import ImageCaches
import LoopbackServer
import Synchronization
import Testing

@testable import ImageDownloads

/// Two stores on one directory, each with a downloader, are to each other what two processes are: the locks between them
/// belong to the store that opened them.
@Suite("One request of two that share a cache", .timeLimit(.minutes(8)))
struct SharedRequestTests {
  /// Until `condition` holds: there is no event for what another process does.
  private func until(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(400)
    while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
    #expect(condition())
  }

  private func withTwo(
    _ configuration: ImageDownloader.Configuration = Fixture.configuration,
    second: ImageDownloader.Configuration? = nil,
    _ body: @escaping @Sendable (ImageDownloader, ImageDownloader) async throws -> Void
  ) async throws {
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { one in
      try await fixture.withDownloader(second ?? configuration) { two in try await body(one, two) }
    }
  }

  @Test(
    "what is stored afterwards is used without a request; what isn't is asked for",
    arguments: [
      ("max-age=600", 1), ("no-cache", 2), ("no-store", 2),
    ])
  func storability(control: String, requests: Int) async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      var answer = page(1, fields: [("Cache-Control", control), ("ETag", "\"1\"")])
      answer.gate = gate
      return answer
    }
    defer { server.stop() }
    try await withTwo { one, two in
      let url = server.url("/a")
      async let first = one.outcome(url)
      try await until { server.count(of: "/a") == 1 }
      async let second = two.outcome(url)
      let locks = try #require(two.store.requestLocks)
      try await until { locks.waitCount == 1 }
      #expect(server.count(of: "/a") == 1)
      gate.open()
      #expect(contents(try await first.get().path) == imageBytes(1))
      #expect(contents(try await second.get().path) == imageBytes(1))
      #expect(two.totals.requests == requests - 1)
    }
    #expect(server.count(of: "/a") == requests)
    if control == "no-cache" { #expect(server.requests.last?.field("If-None-Match") == "\"1\"") }
  }

  @Test("who waits holds no slot, can be cancelled at once, and ends with its downloader")
  func waiting() async throws {
    let gate = Gate()
    let server = try LoopbackServer { request in
      var answer = page(1, fields: [("Cache-Control", "max-age=600")])
      if request.path == "/a" { answer.gate = gate }
      return answer
    }
    defer {
      gate.open()
      server.stop()
    }
    var narrow = Fixture.configuration
    narrow.activeDownloads = 1
    try await withTwo(second: narrow) { one, two in
      let url = server.url("/a")
      async let first = one.outcome(url)
      try await until { server.count(of: "/a") == 1 }
      let waiting = Task { await two.outcome(url) }
      try await until { two.activeCount == 1 }
      #expect(await two.outcome(server.url("/b")).error == nil)
      waiting.cancel()
      #expect(await waiting.value.error?.isCancelled == true)
      let last = Task { await two.outcome(url) }
      try await until { two.activeCount >= 1 }
      await two.shutDown()
      #expect(await last.value.error?.isCancelled == true)
      #expect(server.count(of: "/a") == 1)
      gate.open()
      #expect(await first.error == nil)
    }
  }

  @Test("where whoever has the request gets no further, the others send it themselves")
  func stuck() async throws {
    let gate = Gate()
    let first = Mutex(true)
    let server = try LoopbackServer { _ in
      var answer = page(1)
      let isFirst = first.withLock { first in
        defer { first = false }
        return first
      }
      if isFirst { answer.gate = gate }
      return answer
    }
    defer { server.stop() }
    var impatient = Fixture.configuration
    impatient.stallTimeout = .seconds(2)
    impatient.retries = 20
    try await withTwo(second: impatient) { one, two in
      let url = server.url("/a")
      async let stuck = one.outcome(url)
      try await until { server.count(of: "/a") == 1 }
      #expect(await two.outcome(url).error == nil)
      // On a busy machine its own request may stall as well, and is repeated.
      #expect(server.count(of: "/a") >= 2)
      gate.open()
      #expect(await stuck.error == nil)
    }
  }

  @Test("another's credentials, another request")
  func credentials() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      var answer = page(1, fields: [("Cache-Control", "max-age=600")])
      answer.gate = gate
      return answer
    }
    defer { server.stop() }
    var other = Fixture.configuration
    other.credential = .init(user: "b", password: "b")
    try await withTwo(second: other) { one, two in
      let url = server.url("/a")
      async let first = one.outcome(url)
      async let second = two.outcome(url)
      try await until { server.count(of: "/a") == 2 }
      gate.open()
      #expect(await first.error == nil)
      #expect(await second.error == nil)
    }
  }

  @Test("three of them download forty at once, each once, redirects included")
  func many() async throws {
    let server = try LoopbackServer { request in
      usleep(3000)
      if request.path.hasPrefix("/r") {
        return Page(
          status: 301,
          fields: [("Location", "/" + request.path.dropFirst(2)), ("Cache-Control", "max-age=600")])
      }
      return page(Int(request.path.dropFirst()) ?? 0, fields: [("Cache-Control", "max-age=600")])
    }
    defer { server.stop() }
    let fixture = try Fixture()
    let urls = (0..<40).flatMap { [server.url("/\($0)"), server.url("/r\($0)")] }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await fixture.withDownloader { downloader in
            await withTaskGroup(of: Bool.self) { group in
              for url in urls { group.addTask { await downloader.outcome(url).error == nil } }
              for await isRight in group { #expect(isRight) }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    // A redirect and a request for its target are two downloads of one downloader: at worst they send one request each.
    for number in 0..<40 {
      #expect(server.count(of: "/r\(number)") == 1, "\(number)")
      #expect((1...2).contains(server.count(of: "/\(number)")), "\(number)")
    }
  }

  @Test("keys are locked and unlocked as often as they are taken")
  func locks() async throws {
    let fixture = try Fixture()
    let (one, two) = (try fixture.store(), try fixture.store())
    let (mine, other) = (try #require(one.requestLocks), try #require(two.requestLocks))
    let key = ContentDigest(hashing: [1])
    #expect(try mine.take(key) && mine.take(key))
    #expect(try !other.take(key))
    mine.release(key)
    #expect(try !other.take(key))
    mine.release(key)
    #expect(try other.take(key))
    #expect(try mine.take(ContentDigest(hashing: [2])))
    #expect(await mine.wait(for: key, seconds: 0.2, patience: 9) { 0 } == false)
    let waited = Task { await mine.wait(for: key, seconds: 100, patience: 100) { 0 } }
    try await until { mine.waitCount == 1 }
    other.release(key)
    #expect(await waited.value)
    // One that has nothing to wait for doesn't.
    #expect(await mine.wait(for: key, seconds: 100, patience: 100) { 0 })
    #expect(try DiskStore.ephemeral().requestLocks == nil)
  }
}
