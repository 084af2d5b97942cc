import GRDB
import Glibc
import Synchronization
import Testing
@testable import ImageCaches

@Suite("Purging and verifying", .timeLimit(.minutes(8)))
struct PurgeTests {
  @Test(
    "past its capacity the least recently used go, down to the preferred usage; never what is pinned, in this process or another"
  )
  func purge() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path, capacity: 10_000, preferredUsageAfterPurge: 6000)
    let pinned = try store.insert(bytes(0))
    var digests: [ContentDigest] = []
    for seed in 1..<10 { digests.append(try store.insert(bytes(seed)).digest) }
    #expect(try store.usage().bytes == 10_000)
    // The first of the unpinned is used again, so that the second is the oldest.
    _ = try store.object(digests[0])
    let other = try DiskStore(directory: directory.path, capacity: 10_000, preferredUsageAfterPurge: 6000)
    let held = try #require(try other.object(digests[1]))
    let last = try store.insert(bytes(10))
    #expect(try store.usage().bytes == 6000)
    #expect(try store.object(pinned.digest) != nil && store.object(held.digest) != nil)
    #expect(try store.object(last.digest) != nil && store.object(digests[0]) != nil)
    #expect(try store.object(digests[2]) == nil)
    withExtendedLifetime((pinned.pin, held.pin)) {}
  }

  @Test("what was pinned while the capacity was exceeded goes once it is free")
  func trimming() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path, capacity: 5000, preferredUsageAfterPurge: 3000)
    var pinned = try (0..<9).map { try store.insert(bytes($0)) }
    try store.trim()
    #expect(try store.usage().bytes == 9000)
    pinned.removeAll()
    try store.trim()
    #expect(try store.usage().bytes == 3000)
    for seed in 20..<22 { _ = try store.insert(bytes(seed)) }
    try store.trim()
    #expect(try store.usage().bytes == 5000)
  }

  @Test(
    "a purge leaves the row of an object whose file is about to come, and forgets one whose file never came")
  func arrivals() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    try store.index.write { database in
      for (seed, age) in [(1, 5.0), (2, 3600.0)] {
        try database.execute(
          sql: "INSERT INTO objects (digest, bytes, last_used) VALUES (?, 1000, ?)",
          arguments: [ContentDigest(hashing: bytes(seed)).hex, Double(time(nil)) - age])
      }
    }
    try store.purge(to: 0)
    #expect(try store.list().map(\.digest) == [ContentDigest(hashing: bytes(1)).hex])
  }

  @Test(
    "a check beside other stores takes nothing that they purge for damaged, and no row of what they store")
  func verifyAgainstOthers() async throws {
    let directory = try Directory()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          let store = try DiskStore(directory: directory.path, capacity: 9000, preferredUsageAfterPurge: 2000)
          for step in 0..<150 { try store.insert(bytes((worker * 5 + step) % 40)) }
        }
      }
      group.addTask {
        for _ in 0..<40 {
          let store = try DiskStore(directory: directory.path)
          let report = try store.verify()
          #expect(report.damaged == 0 && !report.hadBadIndex)
        }
      }
      try await group.waitForAll()
    }
    // Every file has its row, so that a purge can find it.
    let store = try DiskStore(directory: directory.path)
    let files = try StoreLayout.objectFiles(in: StoreLayout(root: directory.path)).map(\.digest.hex)
    #expect(Set(files).isSubset(of: Set(try store.list().map(\.digest))))
    try store.purge(to: 0)
    #expect(try StoreLayout.objectFiles(in: StoreLayout(root: directory.path)).isEmpty)
  }

  @Test(
    "what is no file in an object's place is removed and made again: by its use, a check, a purge, an insert",
    arguments: ["directory", "pipe", "link"], ["object", "verify", "purge", "insert", "gathered"])
  func foreignObject(_ kind: String, _ step: String) async throws {
    let directory = try Directory()
    let digest = try DiskStore(directory: directory.path).insert(bytes(1)).digest
    let path = StoreLayout(root: directory.path).object(digest)
    #expect(unlink(path) == 0)
    switch kind {
    case "directory":
      #expect(mkdir(path, 0o700) == 0)
      write([1], to: path + "/inside")
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    default: #expect(symlink("/etc/passwd", path) == 0)
    }
    let store = try DiskStore(directory: directory.path)
    switch step {
    case "object": #expect(try store.object(digest) == nil)
    case "verify": #expect(try store.verify().damaged == 1)
    case "purge": try store.purge(to: 0)
    case "insert": try store.insert(bytes(1))
    default:
      let temporary = try store.makeTemporaryFile()
      try bytes(1).withUnsafeBytes { try temporary.write($0) }
      let object = await withCheckedContinuation { continuation in
        store.insertGathered(temporary, digest: digest) { _ in
        } completion: {
          continuation.resume(returning: $0)
        }
      }
      #expect(read(try object.get().path) == bytes(1))
    }
    let object = try store.insert(bytes(1))
    #expect(read(object.path) == bytes(1) && read(path) == bytes(1))
    #expect(try store.verify() == (1, 0, false))
  }

  @Test("stores that insert the same bytes and purge at once never lose what is held", arguments: 0..<8)
  func insertAgainstPurge(_ round: Int) async throws {
    let directory = try Directory()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let store = try DiskStore(directory: directory.path, capacity: 3000, preferredUsageAfterPurge: 0)
          for step in 0..<60 {
            let seed = (worker + step * 3 + round) % 7
            let object = try store.insert(bytes(seed))
            #expect(read(object.path) == bytes(seed))
            if let found = try store.object(ContentDigest(hashing: bytes((seed + 1) % 7))) {
              #expect(read(found.path) == bytes((seed + 1) % 7))
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
