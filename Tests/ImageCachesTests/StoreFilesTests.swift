import Glibc
import SystemIO
import Testing

@testable import ImageCaches

@Suite("Files of the store", .timeLimit(.minutes(8)))
struct StoreFilesTests {
  private let directory: Directory

  init() throws { directory = try Directory() }

  @Test("are opened, or nil where there is none; anything else is an error")
  func opening() throws {
    let path = directory.path + "/file"
    #expect(try FileDescriptor.open(path, O_RDONLY) == nil)
    #expect(try FileDescriptor.open(directory.path + "/none/file", O_RDONLY) == nil)
    write([1, 2], to: path)
    let file = try #require(try FileDescriptor.open(path, O_RDONLY))
    #expect(file.status.st_size == 2 && file.isLinked)
    // A child process gets none of them.
    #expect(fcntl(file.number, F_GETFD) & FD_CLOEXEC != 0)
    let error = #expect(throws: CacheError.self) { try FileDescriptor.open(path + "/inside", O_RDONLY) }
    #expect(error?.code == .fileSystem && error?.message.contains(path) == true)
    #expect(throws: CacheError.self) { try FileDescriptor.open(directory.path, O_WRONLY) }
    unlink(path)
    #expect(!file.isLinked)
  }

  @Test(
    "are read whole, in part and in pieces, without moving their position",
    arguments: [0, 1, 65_535, 262_144, 262_145, 600_000])
  func reading(count: Int) throws {
    let path = directory.path + "/file"
    let content = bytes(3, count: count)
    write(content, to: path)
    let file = try #require(try FileDescriptor.open(path, O_RDWR))
    var pieces: [UInt8] = []
    #expect(try file.forEachPiece { pieces += $0 } == count)
    #expect(pieces == content)
    let (digest, length) = try file.digest(path: path)
    #expect(digest == ContentDigest(hashing: content) && length == count)
    var (hasher, _) = try file.hash(path: path)
    hasher.update(data: [7])
    #expect(ContentDigest(hasher.finalize()) == ContentDigest(hashing: content + [7]))
    for limit in [0, 1, count / 2, count, count + 1, 1 << 20] {
      #expect(try file.contents(path: path, limit: limit) == Array(content.prefix(limit)))
    }
    try file.write([1, 2, 3], path: path)
    #expect(read(path) == [1, 2, 3] + content.dropFirst(3))
  }

  @Test("are locked by one, or by many that share")
  func locks() throws {
    let path = directory.path + "/lock"
    func open() throws -> FileDescriptor { try #require(try FileDescriptor.open(path, O_RDWR | O_CREAT)) }
    let (first, second) = (try open(), try open())
    do {
      let third = try open()
      #expect(third.lock(exclusive: true))
      #expect(!first.lock(exclusive: false, waits: false) && !second.lock(exclusive: true, waits: false))
    }
    #expect(first.lock(exclusive: false, waits: false) && second.lock(exclusive: false, waits: false))
    #expect(!second.lock(exclusive: true, waits: false))
  }

  @Test("locks of bytes exclude other openings, byte by byte")
  func ranges() throws {
    let path = directory.path + "/ranges"
    var first: RangeLockFile? = try RangeLockFile(path: path)
    let second = try RangeLockFile(path: path)
    let offsets: [Int64] = [0, 1, 5, 1 << 40, .max >> 2]
    for offset in offsets {
      #expect(first?.lock(offset, exclusive: true) == true)
      #expect(!second.lock(offset, exclusive: true) && !second.lock(offset, exclusive: false))
      #expect(second.isLockedByOthers(offset) && first?.isLockedByOthers(offset) == false)
      #expect(!second.isLockedByOthers(offset + 1))
    }
    first?.unlock(5)
    #expect(second.lock(5, exclusive: true) && !second.isLockedByOthers(5))
    first?.ring()
    // The openings' locks go with it.
    first = nil
    for offset in offsets { #expect(second.lock(offset, exclusive: true), "\(offset)") }
    second.unlock(0)
    let third = try RangeLockFile(path: path)
    #expect(third.lock(0, exclusive: false) && second.lock(0, exclusive: false))
    #expect(second.isLockedByOthers(0))
    #expect(throws: CacheError.self) { try RangeLockFile(path: directory.path + "/none/file") }
  }

  @Test("have their places, which are made where they are missing")
  func layout() throws {
    let layout = StoreLayout(root: directory.path + "/a/b/c")
    for _ in 0..<2 { try layout.make() }
    for place in [layout.objects, layout.temporaries, layout.partials, layout.tag] {
      #expect(access(place, F_OK) == 0, "\(place)")
    }
    var status = stat()
    #expect(stat(layout.root, &status) == 0 && status.st_mode & 0o777 == 0o700)
    let digest = ContentDigest(hashing: [1])
    #expect(layout.object(digest) == "\(layout.objects)/\(digest.hex.prefix(2))/\(digest.hex.dropFirst(2))")
    #expect(try Set(StoreLayout.names(in: layout.root)) == ["objects", "tmp", "partial", "CACHEDIR.TAG"])
    #expect(try StoreLayout.names(in: directory.path + "/none").isEmpty)
    #expect(throws: CacheError.self) { try StoreLayout.names(in: layout.tag) }
    // A file in the way.
    #expect(throws: CacheError.self) { try StoreLayout(root: layout.tag + "/cache").make() }
    // The tag is somebody's own once it has any text.
    write(Array("mine".utf8), to: layout.tag)
    try layout.make()
    #expect(read(layout.tag) == Array("mine".utf8))
  }

  @Test("are removed with their directory, but nothing that a link leads to")
  func trees() throws {
    let (tree, other) = (directory.path + "/tree", directory.path + "/other")
    for path in [tree, tree + "/a", tree + "/a/b", other] { mkdir(path, 0o700) }
    write([1], to: tree + "/a/b/file")
    write([1], to: other + "/file")
    #expect(symlink(other, tree + "/a/link") == 0 && symlink("/nonexistent", tree + "/dangling") == 0)
    try StoreLayout.removeTree(tree)
    #expect(access(tree, F_OK) != 0 && read(other + "/file") == [1])
    try StoreLayout.removeTree(tree)
  }

  @Test("of a scratch directory go with it, and those of a dead process with the next")
  func scratch() throws {
    var path = ""
    do {
      let first = try ScratchDirectory()
      path = first.path
      write([1], to: path + "/file")
      let second = try ScratchDirectory()
      #expect(second.path != path && access(path + "/file", F_OK) == 0, "the living keep theirs")
      // As a killed process leaves it: its lock is free.
      let dead = path + "-dead"
      mkdir(dead, 0o700)
      write([], to: dead + "/lock")
      write([1], to: dead + "/file")
      _ = try ScratchDirectory()
      #expect(access(dead, F_OK) != 0)
    }
    #expect(access(path, F_OK) != 0)
  }
}

@Suite("An ephemeral store", .timeLimit(.minutes(8)))
struct EphemeralStoreTests {
  @Test("leaves nothing when it is ended, even while it is referred to")
  func end() throws {
    let store = try DiskStore.ephemeral()
    try store.insert(bytes(1))
    let path = store.directory
    #expect(access(path + "/objects", F_OK) == 0)
    store.end()
    #expect(access(path, F_OK) != 0)
    withExtendedLifetime(store) {}
  }
}

@Suite("A look at a store", .timeLimit(.minutes(8)))
struct StoreHealthTests {
  @Test("changes nothing, and tells what there is")
  func states() throws {
    let directory = try Directory()
    let place = directory.path + "/deep/cache"
    let absent = StoreHealth(directory: place)
    #expect(!absent.exists && absent.isWritable && absent.index == .absent)
    #expect(absent.bytes == nil && absent.objects == nil && (absent.freeBytes ?? 0) > 0)
    #expect(access(directory.path + "/deep", F_OK) != 0)
    do {
      let store = try DiskStore(directory: place)
      let empty = StoreHealth(directory: place)
      #expect(empty.exists && empty.index == .absent, "the index is made at its first use")
      for seed in 0..<3 { try store.insert(bytes(seed)) }
      let full = StoreHealth(directory: place)
      #expect(full.index == .sound && full.bytes == 3000 && full.objects == 3)
      store.close()
    }
    #expect(StoreHealth(directory: place).objects == 3)
    for content in [
      [UInt8](repeating: 0x61, count: 5000), Array("SQLite format 3\0".utf8) + bytes(1, count: 4080),
    ] {
      for suffix in ["-wal", "-shm"] { unlink(place + "/index.sqlite" + suffix) }
      write(content, to: place + "/index.sqlite")
      let broken = StoreHealth(directory: place)
      guard case .broken(let reason) = broken.index else {
        Issue.record("\(broken.index)")
        return
      }
      #expect(!reason.isEmpty && broken.bytes == nil && broken.objects == nil)
      #expect(read(place + "/index.sqlite") == content)
    }
  }

  @Test("isn't misled by access(2), which calls procfs writable for root")
  func impossible() {
    let health = StoreHealth(directory: "/proc/imagemill-none/cache")
    #expect(!health.exists && !health.isWritable && health.index == .absent)
  }

  @Test("asks the file system how much is free")
  func free() {
    #expect((StoreHealth.freeBytes(at: "/tmp") ?? 0) > 0)
    #expect(StoreHealth.freeBytes(at: "/nonexistent/place") == nil)
  }
}
