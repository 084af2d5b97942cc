import ImageCaches
import Testing
import Vips

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

  @Test("of very many small ones the latest stay")
  func bounded() throws {
    let memory = RenditionMemoryCache(capacity: 100_000_000)
    let dot = try VipsImage.plain([1, 2, 3], width: 1, height: 1)
    func key(_ number: Int) -> ContentDigest { ContentDigest(hashing: "\(number)".utf8) }
    let most = RenditionMemoryCache.mostImages
    for number in 0..<most * 3 { memory.keep(dot, for: key(number)) }
    #expect(memory.count == most)
    #expect(memory.image(key(most * 3 - 1)) != nil && memory.image(key(most * 2)) != nil)
    #expect(memory.image(key(most * 2 - 1)) == nil && memory.image(key(0)) == nil)
  }
}
