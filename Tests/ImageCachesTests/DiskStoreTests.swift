import GRDB
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ImageCaches

@Suite("The disk store", .timeLimit(.minutes(8)))
struct DiskStoreTests {
  @Test("what is inserted is found by its digest, now and by another store")
  func roundTrip() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let object = try store.insert(bytes(1))
    #expect(read(object.path) == bytes(1) && object.byteCount == 1000)
    #expect(
      read("\(directory.path)/objects/\(object.digest.hex.prefix(2))/\(object.digest.hex.dropFirst(2))")
        == bytes(1))
    let other = try DiskStore(directory: directory.path)
    #expect(try other.object(object.digest).map { read($0.path) } == bytes(1))
    #expect(try other.object(ContentDigest(hashing: [9])) == nil)
    #expect(
      read(directory.path + "/CACHEDIR.TAG").starts(with: "Signature: 8a477f597d28d172789f06886806bc55".utf8))
    withExtendedLifetime(object) {}
  }

  @Test("a cache directory is its user's alone, with or without a slash at the end of its path")
  func directoryMode() throws {
    let directory = try Directory()
    for path in ["new/cache", "other/cache/"] {
      _ = try DiskStore(directory: "\(directory.path)/\(path)")
      var status = stat()
      #expect(stat("\(directory.path)/\(path)", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700, "\(path)")
    }
  }

  @Test("equal bytes are one object")
  func deduplication() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    for _ in 0..<3 { try store.insert(bytes(1)) }
    let usage = try store.usage()
    #expect(usage.bytes == 1000 && usage.objects == 1)
  }

  @Test("an object that was changed is dropped at its first use, said, and can be made again")
  func damagedObject() throws {
    let directory = try Directory()
    let object = try DiskStore(directory: directory.path).insert(bytes(1))
    overwrite(object.path, at: 500, 0xee)
    let store = try DiskStore(directory: directory.path)
    #expect(try store.object(object.digest) == nil)
    #expect(store.repairMessages.count == 1)
    #expect(try store.usage().objects == 0)
    let again = try store.insert(bytes(1))
    #expect(read(again.path) == bytes(1))
  }

  @Test(
    "an index that was deleted, cut or overwritten is made anew, with the objects that are there",
    arguments: ["delete", "cut", "zero", "text"])
  func damagedIndex(_ damage: String) throws {
    let directory = try Directory()
    var digests: [ContentDigest] = []
    do {
      let store = try DiskStore(directory: directory.path)
      for seed in 0..<20 { digests.append(try store.insert(bytes(seed)).digest) }
      store.close()
    }
    let index = directory.path + "/index.sqlite"
    for suffix in ["-wal", "-shm"] { unlink(index + suffix) }
    switch damage {
    case "delete": unlink(index)
    case "cut": truncate(index, 5000)
    case "zero": for offset in 0..<16000 { overwrite(index, at: offset, 0) }
    default:
      for (offset, byte) in "this is no database, not at all".utf8.enumerated() {
        overwrite(index, at: offset, byte)
      }
    }
    let store = try DiskStore(directory: directory.path)
    for digest in digests { #expect(try store.object(digest) != nil) }
    #expect(try store.usage().objects == 20)
    try store.insert(bytes(99))
    #expect(try store.usage().objects == 21)
    if damage != "delete" { #expect(!store.repairMessages.isEmpty) }
  }

  @Test(
    "temporary files are made again where somebody has removed what is in tmp",
    arguments: ["tmp", "tmp/*", "tmp/*[0-9]", "tmp/*.lock"])
  func removedTemporaries(_ pattern: String) throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    _ = try store.makeTemporaryFile()
    try directory.remove(pattern)
    let object = try store.insert(bytes(1))
    #expect(read(object.path) == bytes(1))
    _ = try DiskStore(directory: directory.path)
    let path = try store.makeTemporaryPath().path
    #expect(access(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)), F_OK) == 0)
  }

  @Test("an abandoned temporary file vanishes; a dead process's is cleared away, a living one's isn't")
  func temporaries() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let living = try store.makeTemporaryFile()
    do { _ = try store.makeTemporaryFile() }
    let abandoned = directory.path + "/tmp/1-1"
    close(open(abandoned + "-1", O_CREAT | O_WRONLY, 0o600))
    close(open(abandoned + ".lock", O_CREAT | O_WRONLY, 0o600))
    mkdir(abandoned, 0o700)
    close(open(abandoned + "/1", O_CREAT | O_WRONLY, 0o600))
    mkdir(directory.path + "/tmp/2-2", 0o700)
    #expect(directory.files(in: "tmp").count == 6)
    _ = try DiskStore(directory: directory.path)
    let own = String(living.path.dropFirst("\(directory.path)/tmp/".count).prefix { $0 != "/" })
    // A file with a name that no process gives stays.
    #expect(Set(directory.files(in: "tmp")) == [own, own + ".lock", "1-1-1"])
    #expect(directory.files(in: "tmp/" + own).count == 1)
    withExtendedLifetime(living) {}
  }

  @Test("a closed store leaves nothing in tmp, and is usable again")
  func closing() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    try store.insert(bytes(1))
    store.close()
    #expect(directory.files(in: "tmp").isEmpty)
    try store.insert(bytes(2))
    store.close()
    #expect(directory.files(in: "tmp").isEmpty)
    #expect(try store.usage().objects == 2)
  }

  @Test("pinned objects and temporary files take no descriptors, and survive another process's purge")
  func pinsWithoutDescriptors() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let before = try OpenDescriptors.count(below: directory.path)
    var held: [StoredObject] = []
    var names: [TemporaryPath] = []
    for seed in 0..<500 {
      held.append(try store.insert(bytes(seed)))
      names.append(try store.makeTemporaryPath())
    }
    #expect(try OpenDescriptors.count(below: directory.path) - before <= 10)
    let other = try DiskStore(directory: directory.path, capacity: 1000)
    try other.purge(to: 0)
    for (seed, object) in held.enumerated() { #expect(read(object.path) == bytes(seed)) }
    // A removed object, as by an older version that knows no such pins, is still readable by whoever holds it.
    unlink("\(directory.path)/objects/\(held[0].digest.hex.prefix(2))/\(held[0].digest.hex.dropFirst(2))")
    #expect(read(held[0].path) == bytes(0))
    held = []
    try other.purge(to: 0)
    // The row of the removed one stays for a while, since its file could be about to come.
    #expect(try other.list().count == 1)
  }

  @Test("an ephemeral store leaves nothing behind")
  func ephemeral() throws {
    var store: DiskStore? = try DiskStore.ephemeral()
    let path = try #require(store?.directory)
    try store?.insert(bytes(1))
    #expect(access(path, F_OK) == 0)
    store = nil
    #expect(access(path, F_OK) != 0)
  }

  @Test(
    "10,000 rows of a module's table are recorded and found"
  )
  func outputs() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    var rows: [ContentDigest: NumberRow] = [:]
    for number in 0..<10_000 {
      let digest = ContentDigest(hashing: Array("\(number)".utf8))
      rows[ContentDigest(hashing: Array("key \(number)".utf8))] = NumberRow(digest: digest, number: number)
    }
    try store.record(rows)
    #expect(try store.rows(forKeys: Array(rows.keys)) == rows)
  }

  @Test("rows of a table that another process has made are found")
  func declaredElsewhere() throws {
    let directory = try Directory()
    let (first, second) = (try DiskStore(directory: directory.path), try DiskStore(directory: directory.path))
    let key = ContentDigest(hashing: [9])
    let row = NumberRow(digest: try first.insert(bytes(1)).digest, number: 7)
    #expect(try first.rows(of: NumberRow.self, forKeys: [key]).isEmpty)
    try second.record([key: row])
    #expect(try first.rows(forKeys: [key]) == [key: row])
    try first.record([key: row])
  }

  @Test("a row goes with its object, and older rows of a table with a limit go first")
  func declared() throws {
    struct Limited: StoreRow, Hashable {
      static let table = StoreTable("limited", [.integer("number")], limit: 10)
      var number: Int
      var values: [StoreValue] { [.integer(number)] }
      init(_ number: Int) { self.number = number }
      init?(_ values: [StoreValue]) {
        guard let number = values.first?.integer else { return nil }
        self.number = number
      }
    }
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let digest = try store.insert(bytes(1)).digest
    let key = ContentDigest(hashing: [9])
    #expect(try store.rows(of: NumberRow.self, forKeys: [key]).isEmpty)
    try store.record([key: NumberRow(digest: digest, number: 7)])
    #expect(try store.rows(of: NumberRow.self, forKeys: [key])[key]?.number == 7)
    let keys = (0..<30).map { ContentDigest(hashing: [UInt8($0)]) }
    for (number, key) in keys.enumerated() { try store.record([key: Limited(number)]) }
    #expect(try Set(store.rows(of: Limited.self, forKeys: keys).values.map(\.number)) == Set(20..<30))
    try store.purge(to: 0)
    #expect(try store.rows(of: NumberRow.self, forKeys: [key]).isEmpty)
    try store.clear()
    #expect(try store.rows(of: Limited.self, forKeys: keys).isEmpty)
  }

  @Test("a file's digest is remembered until the file changes")
  func fingerprints() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let path = directory.path + "/image"
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    overwrite(path, at: 0, 1)
    #expect(try store.digest(ofFile: path) == ContentDigest(hashing: [1]))
    #expect(try store.digest(ofFile: path) == ContentDigest(hashing: [1]))
    overwrite(path, at: 1, 2)
    #expect(try store.digest(ofFile: path) == ContentDigest(hashing: [1, 2]))
    #expect(try store.digest(ofFile: path + "x") == nil)
  }

  @Test("many stores on one directory at once: every object right, the size right")
  func concurrency() async throws {
    let directory = try Directory()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<12 {
        group.addTask {
          do {
            let store = try DiskStore(directory: directory.path)
            for step in 0..<25 {
              let seed = (worker * 7 + step) % 60
              let object = try store.insert(bytes(seed))
              #expect(read(object.path) == bytes(seed))
            }
            store.close()
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    let store = try DiskStore(directory: directory.path)
    let usage = try store.usage()
    #expect(usage.objects <= 60 && usage.bytes == usage.objects * 1000)
    #expect(directory.files(in: "tmp").isEmpty)
  }
}
