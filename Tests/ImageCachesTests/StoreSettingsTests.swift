import Glibc
import Testing

@testable import ImageCaches

@Suite("Settings of the disk store", .timeLimit(.minutes(8)))
struct StoreSettingsTests {
  @Test(
    "the directory is the environment's, in its order",
    arguments: [
      ([:], nil), (["HOME": "/h"], "/h/.cache/imagemill"), (["HOME": ""], nil),
      (["HOME": "/h", "XDG_CACHE_HOME": "/x"], "/x/imagemill"),
      (["HOME": "/h", "XDG_CACHE_HOME": ""], "/h/.cache/imagemill"),
      (["HOME": "/h", "XDG_CACHE_HOME": "relative"], "/h/.cache/imagemill"),
      (["XDG_CACHE_HOME": "relative"], nil),
      (["HOME": "/h", "XDG_CACHE_HOME": "/x", "IMAGEMILL_CACHE_DIR": "/i"], "/i"),
      (["HOME": "/h", "IMAGEMILL_CACHE_DIR": ""], "/h/.cache/imagemill"),
      (["IMAGEMILL_CACHE_DIR": "here"], "here"),
    ] as [([String: String], String?)])
  func defaultDirectory(environment: [String: String], directory: String?) {
    #expect(DiskStore.defaultDirectory(environment: environment) == directory)
  }

  @Test("the capacity is no less than what is preferred, and neither is below nothing")
  func capacities() throws {
    let directory = try Directory()
    for capacity in [-1, 0, 1, 100, Int.max] {
      for preferred in [nil, -1, 0, 1, 100, Int.max] as [Int?] {
        let isSound = capacity >= 0 && (preferred ?? 0) >= 0 && (preferred ?? 0) <= capacity
        do {
          let store = try DiskStore(
            directory: directory.path, capacity: capacity, preferredUsageAfterPurge: preferred)
          #expect(isSound, "\(capacity) \(String(describing: preferred))")
          #expect(
            store.capacity == capacity && store.preferredUsageAfterPurge == preferred ?? capacity / 10 * 6)
          #expect(store.preferredUsageAfterPurge <= store.capacity && !store.isReadOnly)
        } catch {
          #expect(
            !isSound && error.code == .badCapacity, "\(capacity) \(String(describing: preferred)): \(error)")
        }
      }
    }
  }

  @Test(
    "a damaged limit is the default one, is reported, and a new limit replaces it",
    arguments: ["", "x", "-1", "12 MB", "99999999999999999999", String(repeating: "1", count: 100)])
  func damagedLimit(text: String) throws {
    let directory = try Directory()
    let file = directory.path + "/limit"
    _ = try DiskStore(directory: directory.path, capacity: 5000)
    write(Array(text.utf8), to: file)
    let store = try DiskStore(directory: directory.path)
    #expect(store.capacity == CacheLimit.initial)
    #expect(store.repairMessages.count == 1 && store.repairMessages.allSatisfy { $0.contains(file) })
    #expect(StoreHealth(directory: directory.path).limit == CacheLimit.initial)
    try store.setLimit(7000)
    let later = try DiskStore(directory: directory.path)
    #expect(later.capacity == 7000 && later.repairMessages.isEmpty, "\(later.repairMessages)")
  }

  @Test("a directory that can't be made is an error of the file system, whose code stays")
  func unmakeable() throws {
    let directory = try Directory()
    write([1], to: directory.path + "/file")
    for path in [directory.path + "/file", directory.path + "/file/cache", "/proc/imagemill"] {
      let error = #expect(throws: CacheError.self) { try DiskStore(directory: path) }
      #expect(error?.code == .fileSystem, "\(path)")
    }
  }

  @Test("an error of the file system names the path, and has a reason by its cause")
  func errors() {
    for number in [ENOSPC, EDQUOT, EACCES, EPERM, EROFS, ENOENT, EIO] {
      let error = CacheError.file("write", "/some/path", errno: number)
      #expect(
        error.code == .fileSystem && error.message.contains("/some/path") && error.message.contains("write"))
      #expect(error.message.contains(String(cString: strerror(number))) && error.description == error.message)
      #expect((error.reason == .noSpace) == (number == ENOSPC || number == EDQUOT))
      #expect((error.reason == .notPermitted) == [EACCES, EPERM, EROFS].contains(number))
    }
  }

  @Test("a store of no bytes holds what is held, and nothing else")
  func nothing() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path, capacity: 0)
    let held = try store.insert(bytes(1))
    _ = try store.insert(bytes(2))
    _ = try store.insert(bytes(3))
    #expect(try store.object(held.digest) != nil && store.usage().objects <= 2)
    #expect(read(held.path) == bytes(1))
    withExtendedLifetime(held) {}
  }

  @Test("an inventory counts what there is of everything, and a cleared store has nothing")
  func inventory() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    #expect(try store.inventory() == DiskStore.Inventory())
    for seed in 0..<4 { try store.insert(bytes(seed)) }
    let temporary = try store.makeTemporaryFile()
    try bytes(9, count: 77).withUnsafeBytes { try temporary.write($0) }
    _ = try store.insert(temporary, digest: ContentDigest(hashing: bytes(9, count: 77)), as: .rendition)
    let fingerprint = FileFingerprint(
      path: "/a", bytes: 1, modifiedNanoseconds: 2, changedNanoseconds: 3, inode: 4)
    try store.recordDigests([fingerprint: ContentDigest(hashing: [1])])
    try store.add([.output: CacheSavings(hits: 2, bytes: 3, seconds: 4)])
    let inventory = try store.inventory()
    #expect(inventory.objects == 5 && inventory.bytes == 4077 && inventory.renditionBytes == 77)
    #expect(
      inventory.files == 1 && inventory.responses == 0 && inventory.outputs == 0 && inventory.renditions == 0)
    #expect(inventory.savings == ["output": CacheSavings(hits: 2, bytes: 3, seconds: 4)])
    #expect(try store.renditionBytes() == 77)
    try store.clear()
    #expect(try store.inventory() == DiskStore.Inventory())
    #expect(directory.files(in: "objects").allSatisfy { directory.files(in: "objects/\($0)").isEmpty })
  }

  @Test("renditions go first, however lately they were used")
  func renditions() throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    var order: [(ContentDigest, ObjectKind)] = []
    for seed in 0..<6 {
      let kind: ObjectKind = seed % 2 == 0 ? .primary : .rendition
      let temporary = try store.makeTemporaryFile()
      try bytes(seed).withUnsafeBytes { try temporary.write($0) }
      order.append(
        (try store.insert(temporary, digest: ContentDigest(hashing: bytes(seed)), as: kind).digest, kind))
    }
    for (digest, kind) in order where kind == .rendition { _ = try store.object(digest) }
    try store.purge(to: 3000)
    for (digest, kind) in order { #expect((try store.object(digest) != nil) == (kind == .primary)) }
    try store.purge(to: 2999)
    #expect(try store.usage().objects == 2 && store.object(order[0].0) == nil)
  }
}
