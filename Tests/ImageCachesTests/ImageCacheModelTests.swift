import TestSupport
import Testing
import Vips

@testable import ImageCaches

/// The memory cache beside a list that is kept in the order of use.
@Suite("The memory cache and its model", .timeLimit(.minutes(8)))
struct ImageCacheModelTests {
  private struct Request: ImageRequestIdentity, Hashable {
    let absoluteURL: String
  }

  private struct Item {
    let key: String
    let url: String?
    let image: VipsImage
    let nominal: UInt64
    let real: UInt64
  }

  /// From the least recently used to the most recently used.
  private struct Model {
    var items: [Item] = []
    let capacity: UInt64
    let preferred: UInt64

    var nominal: UInt64 { items.reduce(0) { $0 + $1.nominal } }
    var real: UInt64 { items.reduce(0) { $0 + $1.real } }

    mutating func purge(to limit: UInt64) {
      while max(nominal, real) > limit, !items.isEmpty { items.removeFirst() }
    }

    mutating func add(_ item: Item) {
      items.removeAll { $0.key == item.key }
      items.append(item)
      if max(nominal, real) > capacity { purge(to: preferred) }
    }

    mutating func find(_ key: String) -> Item? {
      guard let index = items.firstIndex(where: { $0.key == key }) else { return nil }
      let item = items.remove(at: index)
      items.append(item)
      return item
    }

    mutating func remove(_ matches: (Item) -> Bool) -> Bool {
      let count = items.count
      items.removeAll(where: matches)
      return items.count < count
    }
  }

  /// Images whose real size is more than four bytes a pixel, and less.
  private static func images() throws -> [VipsImage] {
    try [
      VipsImage.plain([1, 2, 3, 4], width: 20, height: 10), VipsImage.plain([1], width: 25, height: 12),
      VipsImage.plain([1, 2, 3], width: 9, height: 30, format: .double),
      VipsImage.plain([1, 2], width: 40, height: 30, format: .ushort),
      // Three frames: nominally the size of one.
      VipsImage.plain([1, 2, 3], width: 15, height: 30).editingMetadata { $0.set("page-height", 10) },
    ]
  }

  @Test(
    "agree after each of thousands of random steps",
    arguments: [(20_000, 12_000), (6_000, 6_000), (9_000, 0), (0, 0)])
  func steps(capacity: UInt64, preferred: UInt64) throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let images = try Self.images()
    let cache = try AutoPurgingImageCache(
      memoryCapacity: capacity, preferredMemoryUsageAfterPurge: preferred,
      places: .init(group: "/nonexistent"))
    var model = Model(capacity: capacity, preferred: preferred)
    let urls = ["http://a/1", "http://a/12", "http://b/", ""]
    for step in 0..<4000 {
      let place: Comment = "seed \(seed), step \(step)"
      let image = images[Int.random(in: 0..<images.count, using: &random)]
      let url = urls[Int.random(in: 0..<urls.count, using: &random)]
      let name = ["circle", "blur", nil][Int.random(in: 0..<3, using: &random)]
      let identifier = "own-\(Int.random(in: 0..<8, using: &random))"
      let requestKey = "\(url)|\(name ?? "none")"
      func item(_ key: String, _ url: String?) -> Item {
        Item(
          key: key, url: url, image: image, nominal: UInt64(image.width * image.pageHeight * 4),
          real: UInt64(image.pixelBytes))
      }
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<6:
        cache.add(image, withIdentifier: identifier)
        model.add(item(identifier, nil))
      case 6..<10:
        cache.add(image, for: Request(absoluteURL: url), withIdentifier: name)
        model.add(item(requestKey, url))
      case 10..<13: #expect(cache.image(withIdentifier: identifier) === model.find(identifier)?.image, place)
      case 13..<16:
        #expect(
          cache.image(for: Request(absoluteURL: url), withIdentifier: name) === model.find(requestKey)?.image,
          place)
      case 16:
        #expect(cache.removeImage(withIdentifier: identifier) == model.remove { $0.key == identifier }, place)
      case 17:
        #expect(
          cache.removeImage(for: Request(absoluteURL: url), withIdentifier: name)
            == model.remove { $0.key == requestKey }, place)
      case 18:
        #expect(
          cache.removeImages(matching: Request(absoluteURL: url)) == model.remove { $0.url == url }, place)
      default:
        if Int.random(in: 0..<10, using: &random) == 0 {
          cache.handleMemoryPressure(.critical)
          model.items = []
        } else {
          cache.handleMemoryPressure(.warning)
          model.purge(to: preferred)
        }
      }
      #expect(cache.count == model.items.count, place)
      #expect(cache.memoryUsage == model.nominal && cache.realMemoryUsage == model.real, place)
      #expect(max(cache.memoryUsage, cache.realMemoryUsage) <= max(capacity, preferred), place)
    }
  }

  @Test("agree on what a cache of any two numbers is: the capacity is the larger, or there is none")
  func configurations() throws {
    for capacity: UInt64 in [0, 1, 100, .max] {
      for preferred: UInt64 in [0, 1, 100, .max] {
        if preferred <= capacity {
          let cache = try AutoPurgingImageCache(
            memoryCapacity: capacity, preferredMemoryUsageAfterPurge: preferred)
          #expect(cache.memoryCapacity == capacity && cache.preferredMemoryUsageAfterPurge == preferred)
        } else {
          #expect(throws: AutoPurgingImageCache.ConfigurationError.self) {
            try AutoPurgingImageCache(memoryCapacity: capacity, preferredMemoryUsageAfterPurge: preferred)
          }
        }
      }
    }
  }

  @Test("an identifier and a request's key never meet")
  func identifiers() throws {
    let cache = AutoPurgingImageCache()
    let image = try VipsImage.plain([1], width: 2, height: 2)
    cache.add(image, for: Request(absoluteURL: "a"), withIdentifier: "b")
    cache.add(image, for: Request(absoluteURL: "a-b"))
    cache.add(image, for: Request(absoluteURL: "a"))
    #expect(cache.count == 3)
    for identifier in ["a", "a-b", "b"] { #expect(cache.image(withIdentifier: identifier) == nil) }
    #expect(cache.removeImages(matching: Request(absoluteURL: "a")))
    #expect(cache.count == 1 && cache.image(for: Request(absoluteURL: "a-b")) != nil)
  }
}
