import LoopbackServer
import TestSupport
import Testing

@testable import Curl

@Suite("Byte rates", .timeLimit(.minutes(8)))
struct ByteRateTests {
  @Test("whatever arrives when, no more passes in any time than the rate, a quarter second and one piece")
  func bucket() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      let rate = Double.random(in: 1...1e6, using: &random)
      var bucket = ByteBucket(rate: rate, at: 0)
      var (now, taken, largest) = (0.0, 0.0, 0.0)
      for _ in 0..<100 {
        now += Double.random(in: 0...0.4, using: &random)
        let wait = bucket.wait(at: now)
        now += Bool.random(using: &random) ? wait : 0
        guard bucket.wait(at: now) <= 0 else { continue }
        let piece = Int.random(in: 1...20_000, using: &random)
        bucket.take(piece)
        (taken, largest) = (taken + Double(piece), max(largest, Double(piece)))
        #expect(taken <= rate * (now + 0.25) + largest + 1, "seed \(seed)")
      }
    }
  }

  @Test("waiting as long as is said is enough")
  func waits() {
    var bucket = ByteBucket(rate: 1_000, at: 0)
    #expect(bucket.wait(at: 0) == 0)
    bucket.take(1_250)
    #expect(abs(bucket.wait(at: 0) - 1) < 1e-9)
    #expect(bucket.wait(at: 1) <= 0)
    // What isn't taken collects for a quarter second only.
    bucket.take(0)
    #expect(bucket.wait(at: 1_000) == 0)
    bucket.take(251)
    #expect(bucket.wait(at: 1_000) > 0)
  }

  private static let body = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }

  @Test("a limited body is whole, and takes its time; two of one key share the rate", arguments: [1, 3])
  func transfers(count: Int) async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page(Self.body, type: "image/png"), "/b": Page(Self.body, framing: .chunked(700)),
    ])
    defer { server.stop() }
    let rate = 60_000
    let clock = ContinuousClock()
    let time = try await clock.measure {
      try await withEngine { engine in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<count {
            group.addTask {
              var options = TransferOptions(url: server.url(number.isMultiple(of: 2) ? "/a" : "/b"))
              options.rateLimit = .init(key: "host", bytesPerSecond: rate)
              let sink = MemorySink()
              _ = try await engine.perform(options, into: sink)
              #expect(sink.body == Self.body)
            }
          }
          try await group.waitForAll()
        }
      }
    }
    // At most a quarter second's bytes come at once, and the last piece isn't waited for.
    let least = (Double(count * Self.body.count) - 16_384) / Double(rate) - 0.25
    #expect(time / .seconds(1) >= least, "\(time)")
  }

  @Test("a transfer that waits for its rate can be cancelled, and another of its key goes on")
  func cancelled() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(Self.body, type: "image/png")])
    defer { server.stop() }
    try await withEngine { engine in
      var slow = TransferOptions(url: server.url("/a"))
      slow.rateLimit = .init(key: "host", bytesPerSecond: 20_000)
      let first = Task { [slow] in try await engine.perform(slow, into: MemorySink()) }
      let sink = MemorySink { count in if count > 2_000 { first.cancel() } }
      _ = try await engine.perform(slow, into: sink)
      #expect(sink.body == Self.body)
      await #expect(throws: (any Error).self) { try await first.value }
    }
  }
}
