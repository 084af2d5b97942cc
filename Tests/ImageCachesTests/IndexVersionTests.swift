import GRDB
import Glibc
import Synchronization
import Testing

@testable import ImageCaches

@Suite("The index and its versions", .timeLimit(.minutes(8)))
struct IndexVersionTests {
  private let directory: Directory
  private var index: String { directory.path + "/index.sqlite" }

  init() throws { directory = try Directory() }

  /// A store of some objects that has been closed.
  private func fill(_ count: Int) throws {
    let store = try DiskStore(directory: directory.path)
    for seed in 0..<count { try store.insert(bytes(seed)) }
    store.close()
  }

  private func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: index)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test(
    "one of another version is made anew, with the objects that are there, and that is said",
    arguments: [1, 4, 5, 1000, -1])
  func versions(version: Int) throws {
    try fill(7)
    try execute("PRAGMA user_version = \(version)")
    let store = try DiskStore(directory: directory.path)
    let usage = try store.usage()
    #expect(usage.objects == 7 && usage.bytes == 7000)
    #expect(store.repairMessages.count == 1)
    for seed in 0..<7 { #expect(try store.object(ContentDigest(hashing: bytes(seed))) != nil) }
    store.close()
    let next = try DiskStore(directory: directory.path)
    #expect(try next.usage().objects == 7 && next.repairMessages.isEmpty)
  }

  @Test("one of the present version stays as it is")
  func present() throws {
    try fill(3)
    let scope = OutputScope(manifest: "/m", directory: "/o", template: "")
    let entry = RegistryEntry(
      path: "/o/a", scope: scope, digest: ContentDigest(hashing: [1]), key: ContentDigest(hashing: [2]),
      recipe: "{}")
    for _ in 0..<3 {
      let store = try DiskStore(directory: directory.path)
      try store.register([entry])
      #expect(try store.usage().objects == 3 && store.registry(of: scope) == [entry])
      #expect(store.repairMessages.isEmpty)
      store.close()
    }
  }

  @Test(
    "one that lacks a table, or has another one in its place, is made anew at its first use",
    arguments: [
      "DROP TABLE objects", "DROP TABLE totals", "DELETE FROM totals", "UPDATE totals SET bytes = 'many'",
      "ALTER TABLE objects RENAME COLUMN bytes TO size", "DROP TABLE responses",
    ])
  func tables(sql: String) throws {
    try fill(5)
    try execute(sql)
    let store = try DiskStore(directory: directory.path)
    _ = try store.list()
    let usage = try store.usage()
    #expect(usage.objects == 5 && usage.bytes == 5000)
    #expect(try store.list().count == 5)
    try store.insert(bytes(99))
    #expect(try store.usage().objects == 6)
    #expect(!store.repairMessages.isEmpty)
  }

  @Test("what can't be mended is an error that names the file")
  func hopeless() throws {
    try StoreLayout(root: directory.path).make()
    #expect(mkdir(index, 0o700) == 0)
    write([1], to: index + "/file")
    let store = try DiskStore(directory: directory.path)
    let error = #expect(throws: CacheError.self) { try store.usage() }
    #expect(error?.message.contains(index) == true, "\(String(describing: error))")
  }

  @Test(
    "an object's file that was put there by somebody is found by a check, and by an index that is made anew")
  func foundFiles() throws {
    try fill(2)
    let content = bytes(50)
    let hex = ContentDigest(hashing: content).hex
    let prefix = "\(directory.path)/objects/\(hex.prefix(2))"
    mkdir(prefix, 0o700)
    write(content, to: "\(prefix)/\(hex.dropFirst(2))")
    // These are no objects.
    write(content, to: "\(prefix)/notes")
    mkdir(directory.path + "/objects/longer", 0o700)
    let store = try DiskStore(directory: directory.path)
    #expect(try store.usage().objects == 2)
    #expect(try store.verify().checked == 3)
    let usage = try store.usage()
    #expect(usage.objects == 3 && usage.bytes == 3000)
    store.close()
    for suffix in ["", "-wal", "-shm"] { unlink(index + suffix) }
    #expect(try DiskStore(directory: directory.path).usage().objects == 3)
  }

  @Test("many stores that begin at once make one index")
  func race() async throws {
    for round in 0..<4 {
      if round == 2 { try execute("PRAGMA user_version = 3") }
      if round == 3 { for suffix in ["", "-wal", "-shm"] { unlink(index + suffix) } }
      let path = directory.path
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<6 {
          group.addTask {
            let store = try DiskStore(directory: path)
            try store.insert(bytes(worker))
            #expect(try store.object(ContentDigest(hashing: bytes(worker))) != nil)
            store.close()
          }
        }
        try await group.waitForAll()
      }
      let store = try DiskStore(directory: directory.path)
      let usage = try store.usage()
      #expect(usage.objects == 6 && usage.bytes == 6000, "round \(round)")
      store.close()
    }
  }

  @Test("what was mended is told to whoever asks, past and future, each once")
  func mended() throws {
    try fill(2)
    overwrite(objectPath(0), at: 3, bytes(0)[3] ^ 1)
    overwrite(objectPath(1), at: 3, bytes(1)[3] ^ 1)
    let store = try DiskStore(directory: directory.path)
    #expect(try store.object(ContentDigest(hashing: bytes(0))) == nil)
    let told = Mutex<[String]>([])
    store.onRepair { sentence in told.withLock { $0.append(sentence.message) } }
    #expect(told.withLock { $0 } == store.repairMessages && store.repairMessages.count == 1)
    #expect(try store.object(ContentDigest(hashing: bytes(1))) == nil)
    #expect(told.withLock { $0 } == store.repairMessages && store.repairMessages.count == 2)
    #expect(Set(store.repairMessages).count == 2)
  }

  private func objectPath(_ seed: Int) -> String {
    StoreLayout(root: directory.path).object(ContentDigest(hashing: bytes(seed)))
  }
}
