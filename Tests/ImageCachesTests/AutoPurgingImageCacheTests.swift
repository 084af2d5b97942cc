import Testing
import Vips

@testable import ImageCaches

@Suite("The auto-purging image cache", .timeLimit(.minutes(8)))
struct AutoPurgingImageCacheTests {
  private struct Request: ImageRequestIdentity {
    let absoluteURL: String
  }

  /// 200 by 205 pixels of four bands: AlamofireImage's unicorn, 164,000 bytes.
  private let unicorn: VipsImage
  private let cache: AutoPurgingImageCache
  private static let mebibyte: UInt64 = 1024 * 1024

  init() throws {
    unicorn = try VipsImage.plain([1, 2, 3, 255], width: 200, height: 205)
    cache = try AutoPurgingImageCache(
      memoryCapacity: 100 * Self.mebibyte, preferredMemoryUsageAfterPurge: 60 * Self.mebibyte)
  }

  @Test("the defaults are AlamofireImage's, and a capacity below the preferred usage is refused")
  func configuration() throws {
    let cache = AutoPurgingImageCache()
    #expect(cache.memoryCapacity == 100_000_000)
    #expect(cache.preferredMemoryUsageAfterPurge == 60_000_000)
    #expect(throws: AutoPurgingImageCache.ConfigurationError.self) {
      try AutoPurgingImageCache(memoryCapacity: 1, preferredMemoryUsageAfterPurge: 2)
    }
  }

  @Test("an image costs four bytes a pixel, whatever it really takes")
  func accounting() throws {
    cache.add(unicorn, withIdentifier: "unicorn")
    #expect(cache.memoryUsage == 164_000)
    #expect(cache.realMemoryUsage == 164_000)
    cache.add(try VipsImage.plain([1, 2, 3], width: 200, height: 205), withIdentifier: "three bands")
    #expect(cache.memoryUsage == 328_000)
    #expect(cache.realMemoryUsage == 164_000 + 123_000)
    cache.add(unicorn, withIdentifier: "unicorn")
    #expect(cache.memoryUsage == 328_000, "a duplicate replaces")
    #expect(cache.removeImage(withIdentifier: "unicorn"))
    #expect(!cache.removeImage(withIdentifier: "unicorn"))
    #expect(cache.memoryUsage == 164_000)
    #expect(cache.removeAllImages())
    #expect(!cache.removeAllImages())
    #expect(cache.memoryUsage == 0)
    #expect(cache.realMemoryUsage == 0)
  }

  @Test("the 640th unicorn starts a purge that leaves 62,812,000 bytes, and takes the oldest 257")
  func purge() {
    for number in 1...639 { cache.add(unicorn, withIdentifier: "\(number)") }
    #expect(cache.memoryUsage == 104_796_000)
    cache.add(unicorn, withIdentifier: "640")
    #expect(cache.memoryUsage == 62_812_000)
    #expect(cache.image(withIdentifier: "257") == nil)
    #expect(cache.image(withIdentifier: "258") != nil)
    #expect(cache.image(withIdentifier: "640") != nil)
  }

  @Test("an image that is fetched counts as used")
  func lastUse() {
    for number in 1...639 { cache.add(unicorn, withIdentifier: "\(number)") }
    #expect(cache.image(withIdentifier: "1") != nil)
    cache.add(unicorn, withIdentifier: "640")
    #expect(cache.image(withIdentifier: "1") != nil)
    for number in [2, 100, 258] { #expect(cache.image(withIdentifier: "\(number)") == nil, "\(number)") }
    #expect(cache.image(withIdentifier: "259") != nil)
  }

  @Test("images are found by request and filter, and a longer URL is another request")
  func requests() {
    let (short, long) = (Request(absoluteURL: "http://a/b.jpg"), Request(absoluteURL: "http://a/b.jpg2"))
    cache.add(unicorn, for: short)
    cache.add(unicorn, for: short, withIdentifier: "circle")
    cache.add(unicorn, for: long, withIdentifier: "circle")
    #expect(cache.image(for: short) != nil)
    #expect(cache.image(for: short, withIdentifier: "blur") == nil)
    #expect(cache.removeImages(matching: short))
    #expect(!cache.removeImages(matching: short))
    #expect(cache.image(for: short, withIdentifier: "circle") == nil)
    #expect(cache.image(for: long, withIdentifier: "circle") != nil)
    #expect(cache.removeImage(for: long, withIdentifier: "circle"))
    #expect(cache.count == 0)
  }

  @Test("a URL and a filter are never read as another pair")
  func keys() {
    cache.add(unicorn, for: Request(absoluteURL: "a-b"), withIdentifier: "c")
    #expect(cache.image(for: Request(absoluteURL: "a"), withIdentifier: "b-c") == nil)
  }

  @Test("memory pressure shrinks the cache, and then empties it")
  func pressure() {
    for number in 1...500 { cache.add(unicorn, withIdentifier: "\(number)") }
    cache.handleMemoryPressure(.warning)
    #expect(cache.memoryUsage <= 60 * Self.mebibyte)
    #expect(cache.count > 0)
    cache.handleMemoryPressure(.critical)
    #expect(cache.count == 0)
  }

  @Test("an image larger than the capacity goes with the rest")
  func oversize() throws {
    let small = try AutoPurgingImageCache(memoryCapacity: 200_000, preferredMemoryUsageAfterPurge: 100_000)
    small.add(unicorn, withIdentifier: "a")
    #expect(small.count == 1)
    small.add(try VipsImage.plain([0], width: 1000, height: 1000), withIdentifier: "b")
    #expect(small.memoryUsage == 0)
  }

  @Test("a hundred tasks may read and write at once")
  func concurrency() async {
    await withTaskGroup(of: Void.self) { tasks in
      for task in 0..<100 {
        tasks.addTask {
          for number in 0..<100 {
            cache.add(unicorn, withIdentifier: "\(task)-\(number % 7)")
            _ = cache.image(withIdentifier: "\((task + 1) % 100)-\(number % 7)")
          }
        }
      }
    }
    #expect(cache.memoryUsage == UInt64(cache.count) * 164_000)
    #expect(cache.memoryUsage <= cache.memoryCapacity)
  }
}
