import Glibc
import TestSupport
import Testing

@testable import ImageCaches

/// The store beside a list of what it should hold.
@Suite("The disk store and its model", .timeLimit(.minutes(8)))
struct DiskStoreModelTests {
  private struct Item {
    let digest: ContentDigest
    let size: Int
    var isRendition: Bool
    /// Higher is later.
    var use: Int
  }

  private struct Model {
    var items: [Int: Item] = [:]
    var clock = 0
    var bytes: Int { items.values.reduce(0) { $0 + $1.size } }

    mutating func touch(_ seed: Int) {
      clock += 1
      items[seed]?.use = clock
    }

    /// Renditions first, then the least recently used, but for what is pinned.
    mutating func purge(to target: Int, pinned: Set<Int>) {
      let order = items.sorted {
        ($0.value.isRendition ? 0 : 1, $0.value.use) < ($1.value.isRendition ? 0 : 1, $1.value.use)
      }
      for (seed, _) in order where !pinned.contains(seed) {
        if bytes <= target { return }
        items[seed] = nil
      }
    }
  }

  private static func content(_ seed: Int) -> [UInt8] { bytes(seed, count: 200 + seed * 37) }

  private static func insert(_ seed: Int, isRendition: Bool, into store: DiskStore) throws -> StoredObject {
    let content = content(seed)
    let temporary = try store.makeTemporaryFile()
    try content.withUnsafeBytes { try temporary.write($0) }
    return try store.insert(
      temporary, digest: ContentDigest(hashing: content), as: isRendition ? .rendition : .primary)
  }

  @Test(
    "agree on every object after each of hundreds of random steps",
    arguments: [(20_000, 8_000), (6_000, 5_900), (Int.max, 3_000)])
  func oneStore(capacity: Int, preferred: Int) throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let directory = try Directory()
    var store = try DiskStore(
      directory: directory.path, capacity: capacity, preferredUsageAfterPurge: preferred)
    var model = Model()
    var pins: [Int: StoredObject] = [:]
    for step in 0..<400 {
      let place: Comment = "seed \(seed), step \(step)"
      let number = Int.random(in: 0..<30, using: &random)
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<9:
        let isRendition = Int.random(in: 0..<3, using: &random) == 0
        let isKnown = model.items[number] != nil
        let object = try Self.insert(number, isRendition: isRendition, into: store)
        #expect(read(object.path) == Self.content(number), place)
        if isKnown {
          model.touch(number)
        } else {
          model.clock += 1
          model.items[number] = Item(
            digest: object.digest, size: object.byteCount, isRendition: isRendition, use: model.clock)
          if model.bytes > capacity {
            model.purge(to: preferred, pinned: Set(pins.keys).union([number]))
          }
        }
        withExtendedLifetime(object) {}
      case 9..<14:
        let object = try store.object(ContentDigest(hashing: Self.content(number)))
        #expect((object != nil) == (model.items[number] != nil), place)
        if let object { #expect(read(object.path) == Self.content(number), place) }
        model.touch(number)
      case 14..<16:
        if let object = try store.object(ContentDigest(hashing: Self.content(number))) {
          model.touch(number)
          pins[number] = object
        }
      case 16..<18: if let pinned = pins.keys.sorted().first { pins[pinned] = nil }
      case 18:
        let target = [0, 1000, 4000, nil][Int.random(in: 0..<4, using: &random)]
        let before = model.bytes
        let freed = try store.purge(to: target)
        model.purge(to: target ?? preferred, pinned: Set(pins.keys))
        #expect(freed == before - model.bytes, place)
      case 19:
        try store.trim()
        if model.bytes > capacity { model.purge(to: preferred, pinned: Set(pins.keys)) }
      case 20:
        let report = try store.verify()
        #expect(report.checked == model.items.count && report.damaged == 0 && !report.hadBadIndex, place)
        // The order in which files were read is the order of use now, which nobody knows.
        model.items = [:]
        try store.purge(to: 0)
        pins = [:]
        try store.purge(to: 0)
      case 21: store.close()
      default:
        guard pins.isEmpty else { continue }
        // Another process: its predecessor has written down what it used.
        store.close()
        store = try DiskStore(
          directory: directory.path, capacity: capacity, preferredUsageAfterPurge: preferred)
      }
      let usage = try store.usage()
      #expect(usage.bytes == model.bytes && usage.objects == model.items.count, place)
      let listed = try Set(store.list().map(\.digest))
      #expect(listed == Set(model.items.values.map(\.digest.hex)), place)
      for (number, object) in pins { #expect(read(object.path) == Self.content(number), place) }
    }
    #expect(store.repairMessages.isEmpty, "\(store.repairMessages)")
  }

  @Test("two stores on one directory see one content, and neither loses what the other holds")
  func twoStores() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let directory = try Directory()
    let stores = try (0..<2).map { _ in try DiskStore(directory: directory.path) }
    var known: Set<Int> = []
    var pins: [[Int: StoredObject]] = [[:], [:]]
    for step in 0..<300 {
      let place: Comment = "seed \(seed), step \(step)"
      let which = Int.random(in: 0..<2, using: &random)
      let number = Int.random(in: 0..<12, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let object = try Self.insert(number, isRendition: false, into: stores[which])
        if Bool.random(using: &random) { pins[which][number] = object }
        known.insert(number)
      case 4..<7:
        let object = try stores[which].object(ContentDigest(hashing: Self.content(number)))
        #expect((object != nil) == known.contains(number), place)
      case 7: pins[which][number] = nil
      case 8:
        try stores[which].purge(to: 0)
        known = Set(pins[0].keys).union(pins[1].keys)
      default: stores[which].close()
      }
      for store in stores {
        let usage = try store.usage()
        #expect(usage.objects == known.count, place)
        #expect(usage.bytes == known.reduce(0) { $0 + Self.content($1).count }, place)
      }
      for (number, object) in pins[0].merging(pins[1], uniquingKeysWith: { first, _ in first }) {
        #expect(read(object.path) == Self.content(number), place)
      }
    }
  }

  @Test("objects that are damaged, cut, emptied or gone at random are dropped and nothing else is")
  func damage() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for round in 0..<12 {
      let directory = try Directory()
      let contents = (0..<20).map { Self.content($0) }
      let digests = contents.map { ContentDigest(hashing: $0) }
      do {
        let store = try DiskStore(directory: directory.path)
        for content in contents { try store.insert(content) }
        store.close()
      }
      var bad: Set<Int> = []
      for _ in 0..<5 {
        let number = Int.random(in: 0..<20, using: &random)
        let path =
          "\(directory.path)/objects/\(digests[number].hex.prefix(2))/\(digests[number].hex.dropFirst(2))"
        bad.insert(number)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let offset = Int.random(in: 0..<contents[number].count, using: &random)
          overwrite(path, at: offset, contents[number][offset] ^ 1)
        case 1: truncate(path, off_t(Int.random(in: 1..<contents[number].count, using: &random)))
        case 2: truncate(path, 0)
        default: unlink(path)
        }
      }
      let store = try DiskStore(directory: directory.path)
      let comment: Comment = "seed \(seed), round \(round)"
      if round % 2 == 0 {
        _ = try store.verify()
        #expect(try store.usage().objects == 20 - bad.count, comment)
      }
      for (number, digest) in digests.enumerated() {
        let object = try store.object(digest)
        #expect((object == nil) == bad.contains(number), comment)
        if let object { #expect(read(object.path) == contents[number], comment) }
      }
      for content in contents {
        let object = try store.insert(content)
        #expect(read(object.path) == content, comment)
      }
      let usage = try store.usage()
      #expect(usage.objects == 20 && usage.bytes == contents.reduce(0) { $0 + $1.count }, comment)
      #expect(try store.verify().damaged == 0)
    }
  }
}
