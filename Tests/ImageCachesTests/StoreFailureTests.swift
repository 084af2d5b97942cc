import Glibc
import Synchronization
import Testing

@testable import ImageCaches

/// What stays right in the store when the file system refuses a part of its work.
@Suite("A store whose files can't all be changed", .timeLimit(.minutes(8)))
struct StoreFailureTests {
  private let directory: Directory

  init() throws { directory = try Directory() }

  private var layout: StoreLayout { StoreLayout(root: directory.path) }

  /// Replaces a directory by a link to itself, below which every call fails, for root too.
  private func breakDirectory(_ path: String) throws {
    try #require(rename(path, path + "-away") == 0)
    try #require(symlink(path, path) == 0)
  }

  private func repairDirectory(_ path: String) throws {
    try #require(unlink(path) == 0)
    try #require(rename(path + "-away", path) == 0)
  }

  private func directory(of digest: ContentDigest) -> String {
    "\(layout.objects)/\(digest.hex.prefix(2))"
  }

  @Test("a purge that can't remove one object removes the others, and says so afterwards", arguments: 0..<5)
  func purge(broken: Int) throws {
    let store = try DiskStore(directory: directory.path)
    let digests = try (0..<5).map { try store.insert(bytes($0)).digest }
    try breakDirectory(directory(of: digests[broken]))
    #expect(throws: CacheError.self) { try store.purge(to: 0) }
    #expect(try store.list().map(\.digest) == [digests[broken].hex])
    #expect(try store.usage().bytes == 1000)
    try repairDirectory(directory(of: digests[broken]))
    #expect(try store.purge(to: 0) == 1000)
    #expect(try store.usage().objects == 0)
  }

  @Test("a purge goes on where interrupted downloads can't be listed")
  func partials() throws {
    let store = try DiskStore(directory: directory.path)
    for seed in 0..<5 { try store.insert(bytes(seed)) }
    try breakDirectory(layout.partials)
    #expect(throws: CacheError.self) { try store.purge(to: 0) }
    #expect(try store.usage().objects == 0)
  }

  @Test("an output is stored even if the store can't be purged, and so are the next ones")
  func insertion() throws {
    let store = try DiskStore(directory: directory.path, capacity: 5000, preferredUsageAfterPurge: 3000)
    let first = try store.insert(bytes(0)).digest
    try breakDirectory(directory(of: first))
    for seed in 1..<30 where directory(of: ContentDigest(hashing: bytes(seed))) != directory(of: first) {
      let object = try store.insert(bytes(seed))
      #expect(read(object.path) == bytes(seed))
      #expect(try store.usage().bytes <= 6000, "after \(seed)")
    }
    #expect(!store.repairMessages.isEmpty)
  }

  @Test("an object that couldn't be moved into place isn't pinned, nor found afterwards")
  func move() async throws {
    let store = try DiskStore(directory: directory.path)
    let digest = ContentDigest(hashing: bytes(1))
    // The index lists the objects when it is made.
    _ = try store.usage()
    try breakDirectory(layout.objects)
    do {
      let temporary = try store.makeTemporaryFile()
      try bytes(1).withUnsafeBytes { try temporary.write($0) }
      let result = await withCheckedContinuation { continuation in
        store.insertGathered(temporary, digest: digest) { _ in
        } completion: {
          continuation.resume(returning: $0)
        }
      }
      #expect(throws: CacheError.self) { try result.get() }
    }
    try repairDirectory(layout.objects)
    #expect(try store.object(digest) == nil)
    store.close()
    #expect(directory.files(in: "tmp").isEmpty)
  }

  @Test("however many repairs there are, their messages take bounded memory, and the observer hears of all")
  func repairs() throws {
    let store = try DiskStore(directory: directory.path)
    let heard = Counter()
    store.onRepair { _ in heard.add() }
    for number in 0..<5000 { store.noteRepair("repair \(number)") }
    #expect(heard.count == 5000)
    #expect(store.repairMessages.count == 1000 && store.repairMessages.first == "repair 0")
  }
}

@Suite("Objects that were checked", .timeLimit(.minutes(8)))
struct VerifiedObjectsTests {
  @Test("are a bounded set: the latest is always in it, and none that never was", arguments: [1, 2, 7, 100])
  func bounded(limit: Int) {
    let digests = (0..<250).map { ContentDigest(hashing: bytes($0, count: 8)) }
    var verified = VerifiedObjects(limit: limit)
    for (number, digest) in digests.enumerated() {
      verified.insert(digest)
      #expect(verified.contains(digest))
      #expect(digests.count(where: verified.contains) <= limit)
      #expect(!digests[(number + 1)...].contains(where: verified.contains))
    }
    verified.subtract(digests)
    #expect(!digests.contains(where: verified.contains))
  }
}

private final class Counter: Sendable {
  private let value = Mutex(0)
  var count: Int { value.withLock(\.self) }
  func add() { value.withLock { $0 += 1 } }
}
