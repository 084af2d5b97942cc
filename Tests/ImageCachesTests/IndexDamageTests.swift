import Glibc
import ImageCaches
import Synchronization
import TestSupport
import Testing

/// Whatever befalls the index, the store answers with what is right or with nothing.
@Suite("A damaged index", .timeLimit(.minutes(8)))
struct IndexDamageTests {
  /// What is known before the damage.
  private struct Known {
    let objects = (0..<30).map { bytes($0, count: 300) }
    var digests: [ContentDigest] { objects.map(ContentDigest.init(hashing:)) }
    let outputs = Dictionary(
      uniqueKeysWithValues: (0..<40).map { number in
        (
          ContentDigest(hashing: [1, UInt8(number)]),
          NumberRow(digest: ContentDigest(hashing: [2, UInt8(number)]), number: number)
        )
      })
    let fingerprints = Dictionary(
      uniqueKeysWithValues: (0..<20).map { number in
        (
          FileFingerprint(
            path: "/a/\(number)", bytes: number, modifiedNanoseconds: 7, changedNanoseconds: 9, inode: 8),
          ContentDigest(hashing: [3, UInt8(number)])
        )
      })
    static let scope = OutputScope(manifest: "/m", directory: "/o", template: "")
    let registry = (0..<20).map { number in
      RegistryEntry(
        path: "/o/\(number)", scope: Self.scope, digest: ContentDigest(hashing: [4, UInt8(number)]),
        key: ContentDigest(hashing: [5]), recipe: "{}")
    }

    func register(into store: DiskStore) throws {
      for object in objects { try store.insert(object) }
      try store.record(outputs)
      try store.recordDigests(fingerprints)
      try store.register(registry)
      try store.add([.output: CacheSavings(hits: 3, bytes: 4, seconds: 5)])
    }

    /// Everything that a store is asked for; no answer is wrong, and none is an error.
    func check(_ store: DiskStore, _ place: Comment) throws {
      for digest in digests { #expect(try store.object(digest) != nil, place) }
      for (key, output) in try store.rows(of: NumberRow.self, forKeys: Array(outputs.keys)) {
        #expect(output == outputs[key], place)
      }
      for (fingerprint, digest) in try store.digests(forFiles: Array(fingerprints.keys)) {
        #expect(digest == fingerprints[fingerprint], place)
      }
      #expect(Set(try store.registry(of: Self.scope)).isSubset(of: registry), place)
      for entry in registry {
        #expect(try store.registryEntry(ofPath: entry.path).map { $0 == entry } ?? true, place)
      }
      _ = try store.registrySummaries(ofPaths: registry.map(\.path))
      try store.recordSources(["/s/1", "/s/2"])
      #expect(try store.sources(among: ["/s/1", "/s/3"]) == ["/s/1"], place)
      _ = try store.savings()
      _ = try store.list()
      _ = try store.inventory()
      try store.add([.output: CacheSavings(hits: 1, bytes: 1, seconds: 1)])
      try store.record(outputs)
      try store.insert(bytes(77))
      #expect(try store.object(ContentDigest(hashing: bytes(77))) != nil, place)
      _ = try store.verify()
      // A row that a search doesn't come upon is lost until somebody looks for such.
      try store.record(outputs)
      #expect(try store.rows(of: NumberRow.self, forKeys: Array(outputs.keys)) == outputs, place)
      let usage = try store.usage()
      #expect(usage.objects == 31 && usage.bytes == 30 * 300 + 1000, place)
      try store.purge(to: 0)
      #expect(try store.usage().bytes == 0, place)
    }
  }

  @Test("a trigger that lacks a value: the store works on, and knows nothing that is wrong")
  func triggers() throws {
    let known = Known()
    let original = try Directory()
    do {
      let store = try DiskStore(directory: original.path)
      try known.register(into: store)
      store.close()
    }
    let index = read(original.path + "/index.sqlite")
    // A question mark is a parameter, which is NULL if nothing binds it.
    let places = ["bytes + NEW", "objects + 1", "objects - 1", "OLD.bytes + NEW"].flatMap { text in
      index.indices.filter { index[$0...].starts(with: text.utf8) }.flatMap { $0..<($0 + text.utf8.count) }
    }
    #expect(places.count > 40)
    for offset in Set(places).sorted() {
      let directory = try Directory()
      do {
        let store = try DiskStore(directory: directory.path)
        for object in known.objects { try store.insert(object) }
        store.close()
      }
      for suffix in ["-wal", "-shm"] { unlink(directory.path + "/index.sqlite" + suffix) }
      var damaged = index
      damaged[offset] = UInt8(ascii: "?")
      write(damaged, to: directory.path + "/index.sqlite")
      let place: Comment = "byte \(offset)"
      do {
        try known.check(DiskStore(directory: directory.path), place)
      } catch {
        Issue.record("\(place): \(error)")
      }
    }
  }

  @Test("any byte of it changed: the store works on, and knows nothing that is wrong")
  func changedBytes() throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    let known = Known()
    let original = try Directory()
    do {
      let store = try DiskStore(directory: original.path)
      try known.register(into: store)
      store.close()
    }
    let index = read(original.path + "/index.sqlite")
    #expect(index.count > 20_000)
    for round in 0..<150 {
      let directory = try Directory()
      do {
        let store = try DiskStore(directory: directory.path)
        for object in known.objects { try store.insert(object) }
        store.close()
      }
      var damaged = index
      // The header and the schema are small, and more depends on them.
      let offset = Int.random(in: 0..<(round % 3 == 0 ? 4096 : index.count), using: &generator)
      damaged[offset] = UInt8.random(in: 0...255, using: &generator)
      for suffix in ["-wal", "-shm"] { unlink(directory.path + "/index.sqlite" + suffix) }
      write(damaged, to: directory.path + "/index.sqlite")
      let place: Comment = "seed \(seed), round \(round): byte \(offset) as \(damaged[offset])"
      do {
        try known.check(DiskStore(directory: directory.path), place)
      } catch {
        Issue.record("\(place): \(error)")
      }
    }
  }
}
