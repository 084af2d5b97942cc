import ImageCaches
import LoopbackServer
import Synchronization
import Testing

@testable import ImageDownloads

@Suite("What is held of a host", .timeLimit(.minutes(8)))
struct CircuitBreakerTests {
  private func note(
    _ breaker: inout CircuitBreaker, _ signal: HostSignal, active: Int = 1, limit: Int = 8, at now: Double = 0
  ) -> CircuitBreaker.Verdict? {
    breaker.note(signal, active: active, limit: limit, unreachableTimeout: 30, now: now)
  }

  @Test(
    "overload halves its slots once for all that were under way, and each round of answers gives one back")
  func congestion() {
    var breaker = CircuitBreaker()
    #expect(breaker.slots(of: 8) == 8)
    for active in stride(from: 8, through: 1, by: -1) { _ = note(&breaker, .overloaded, active: active) }
    #expect(breaker.slots(of: 8) == 4)
    for _ in 0..<4 { _ = note(&breaker, .answered) }
    #expect(breaker.slots(of: 8) == 4, "three quarters of a round, and one that was under way")
    _ = note(&breaker, .answered)
    #expect(breaker.slots(of: 8) == 5)
    for _ in 0..<40 { _ = note(&breaker, .answered) }
    #expect(breaker.slots(of: 8) == 8)
    for _ in 0..<100 { _ = note(&breaker, .overloaded) }
    #expect(breaker.slots(of: 8) == 1)
  }

  @Test("ten silent attempts bring one slot and pauses that double; an answer ends that")
  func doubt() {
    var breaker = CircuitBreaker()
    for _ in 0..<9 { #expect(note(&breaker, .silent) == nil) }
    #expect(breaker.slots(of: 8) == 8)
    #expect(note(&breaker, .silent) == .pause(until: 1))
    #expect(breaker.slots(of: 8) == 1)
    #expect(note(&breaker, .silent, at: 0.5) == nil, "it was under way before")
    #expect(note(&breaker, .silent, at: 1) == .pause(until: 3))
    #expect(note(&breaker, .silent, at: 3) == .pause(until: 7))
    #expect(note(&breaker, .silent, at: 7) == .pause(until: 15))
    #expect(note(&breaker, .answered, at: 15) == nil)
    #expect(breaker.slots(of: 8) == 8)
    #expect(note(&breaker, .silent, at: 16) == nil)
  }

  @Test("after silence of the patience's length it is down, then asked once a minute until it answers")
  func down() {
    var breaker = CircuitBreaker()
    for _ in 0..<10 { _ = note(&breaker, .silent) }
    #expect(note(&breaker, .silent, at: 29) == .pause(until: 31))
    #expect(note(&breaker, .silent, at: 31) == .down(until: 91))
    #expect(breaker.downUntil == 91)
    #expect(note(&breaker, .silent, at: 92) == .down(until: 152))
    _ = note(&breaker, .answered, at: 153)
    #expect(breaker.downUntil == nil && breaker.slots(of: 8) == 8)
  }

  @Test("what waits for a host that is down is refused, what comes is too, others go on")
  func queue() {
    var queue = DownloadQueue<Int>(limits: .init())
    for id in 0..<20 { queue.add(id, host: "dead", priority: 0) }
    var now = 0.0
    var tried = 0
    var refused: [Int] = []
    while refused.isEmpty {
      for id in queue.takeReady(now: now) {
        queue.note(.silent, of: "dead", now: now)
        queue.release(id)
        tried += 1
        // Each is tried again, as a download with retries is.
        queue.add(id, host: "dead", priority: 0)
      }
      #expect(queue.activeCount == 0 && tried < 100)
      guard tried < 100 else { return }
      now = queue.nextWake ?? now
      refused = queue.takeRefused(now: now)
    }
    #expect(tried < 30 && now < 60)
    #expect(Set(refused) == Set(0..<20) && refused.count == 20)
    queue.add(50, host: "alive", priority: 0)
    #expect(queue.takeReady(now: now) == [50])
    queue.add(60, host: "dead", priority: 0)
    #expect(queue.takeRefused(now: now + 1) == [60])
    queue.add(61, host: "dead", priority: 0)
    #expect(queue.takeRefused(now: 500).isEmpty, "the rest is over")
    #expect(queue.takeReady(now: 500).contains(61))
  }

  @Test(
    "hundreds of downloads from a host that nobody answers at end soon, with few attempts and a clear reason")
  func deadHost() async throws {
    let server = try LoopbackServer(pages: ["/a.png": page(1)])
    defer { server.stop() }
    let closed = try ClosedPort()
    let dead = closed.url("/")
    var configuration = Fixture.configuration
    configuration.hostPatience = .seconds(2)
    configuration.retries = 3
    let fixture = try Fixture()
    let retries = Mutex(0)
    try await fixture.withDownloader(configuration) { event in
      if case .retrying = event { retries.withLock { $0 += 1 } }
    } _: { downloader in
      let codes = await withTaskGroup(of: DownloadError.Code?.self) { group in
        for number in 0..<300 {
          group.addTask { await downloader.outcome("\(dead)\(number).png").error?.code }
        }
        return await group.reduce(into: [DownloadError.Code: Int]()) { counts, code in
          if let code { counts[code, default: 0] += 1 }
        }
      }
      #expect(codes.values.reduce(0, +) == 300)
      #expect((codes[.hostDown] ?? 0) > 250, "\(codes)")
      #expect(retries.withLock { $0 } < 60)
      #expect(await downloader.outcome(server.url("/a.png")).error == nil)
    }
  }

  @Test("a host that comes back within the patience loses nothing")
  func comeback() async throws {
    let isDown = Mutex(true)
    let server = try LoopbackServer { _ in
      isDown.withLock { $0 } ? Page([], fault: .reset(after: -1)) : page(3)
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.retries = 8
    configuration.retryWait = .seconds(0.3)
    // However long the twelve requests take.
    configuration.hostPatience = .seconds(400)
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      async let failures = withTaskGroup(of: String?.self) { group in
        for number in 0..<40 {
          group.addTask { await downloader.outcome(server.url("/\(number).png")).error?.message }
        }
        return await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
      }
      while server.requests.count < 12 { try await Task.sleep(for: .milliseconds(5)) }
      isDown.withLock { $0 = false }
      #expect(await failures == [])
    }
  }
}
