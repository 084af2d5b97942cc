import Testing

@testable import ImageRendering

@Suite("Renditions in memory", .timeLimit(.minutes(8)))
struct RenditionMemoryTests {
  @Test("one is worth keeping that takes 50 ms and three times as long as reading it back")
  func worth() {
    let memory = RenditionMemoryCache(capacity: 0)
    #expect(!memory.isWorthKeeping(seconds: 0.049, bytes: 1))
    #expect(memory.isWorthKeeping(seconds: 0.051, bytes: 1 << 30))
    memory.learn(seconds: 0.1, bytes: 1_000)
    #expect(!memory.isWorthKeeping(seconds: 0.29, bytes: 1_000))
    #expect(memory.isWorthKeeping(seconds: 0.31, bytes: 1_000))
    #expect(!memory.isWorthKeeping(seconds: 0.01, bytes: 1))
  }
}
