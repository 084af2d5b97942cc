import Glibc
import TestSupport
import Testing

@testable import ImageCaches

@Suite("Temporary files", .timeLimit(.minutes(8)))
struct TemporaryFileTests {
  private let directory: Directory
  private let store: DiskStore

  init() throws {
    directory = try Directory()
    store = try DiskStore(directory: directory.path)
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test("have what was written to them, piece by piece")
  func written() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let file = try store.makeTemporaryFile()
    var all: [UInt8] = []
    for step in 0..<40 {
      let piece = bytes(step, count: Int.random(in: 0...3000, using: &random))
      try piece.withUnsafeBytes { try file.write($0) }
      all += piece
      #expect(file.byteCount == all.count, "seed \(seed)")
    }
    #expect(read(file.path) == all)
    let (digest, count) = try file.file.digest(path: file.path)
    #expect(digest == ContentDigest(hashing: all) && count == all.count)
  }

  @Test("vanish with their last reference, unless they were moved or are kept")
  func vanish() throws {
    var paths: [String] = []
    do {
      let (left, moved, kept) = (
        try store.makeTemporaryFile(), try store.makeTemporaryFile(), try store.makeTemporaryFile()
      )
      paths = [left.path, moved.path, kept.path]
      for path in paths { #expect(exists(path)) }
      try moved.move(to: directory.path + "/moved")
      kept.keep()
    }
    #expect(!exists(paths[0]) && !exists(paths[1]) && exists(paths[2]))
    #expect(exists(directory.path + "/moved"))
  }

  @Test("can't be moved to where there is no directory, and vanish then too")
  func badMove() throws {
    var path = ""
    do {
      let file = try store.makeTemporaryFile()
      path = file.path
      #expect(throws: CacheError.self) { try file.move(to: directory.path + "/none/file") }
      #expect(exists(path))
    }
    #expect(!exists(path))
  }

  @Test("of others' writing vanish as well, and may never have been written")
  func paths() throws {
    var path = ""
    do {
      let name = try store.makeTemporaryPath()
      path = name.path
      #expect(!exists(path) && name.byteCount == 0)
      write(bytes(1), to: path)
      #expect(name.byteCount == 1000)
    }
    #expect(!exists(path))
    do {
      let name = try store.makeTemporaryPath()
      write(bytes(2), to: name.path)
      let object = try store.insert(name, digest: ContentDigest(hashing: bytes(2)))
      #expect(read(object.path) == bytes(2) && object.byteCount == 1000)
    }
    #expect(try store.object(ContentDigest(hashing: bytes(2))) != nil)
    #expect(throws: CacheError.self) {
      try store.insert(store.makeTemporaryPath(), digest: ContentDigest(hashing: bytes(3)))
    }
  }

  @Test("have a name each, of any number of threads and stores")
  func names() async throws {
    let other = try DiskStore(directory: directory.path)
    let names = try await withThrowingTaskGroup(of: [String].self) { group in
      for worker in 0..<8 {
        group.addTask { [store] in
          try (0..<50).map { _ in try (worker % 2 == 0 ? store : other).makeTemporaryPath().path }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(names.count == 400 && Set(names).count == 400)
    #expect(names.allSatisfy { $0.hasPrefix(directory.path + "/tmp/") })
  }

  @Test("that are inserted where the bytes are already are discarded")
  func duplicates() throws {
    let first = try store.insert(bytes(1))
    var path = ""
    do {
      let file = try store.makeTemporaryFile()
      path = file.path
      try bytes(1).withUnsafeBytes { try file.write($0) }
      let second = try store.insert(file, digest: ContentDigest(hashing: bytes(1)))
      #expect(second.digest == first.digest && read(second.path) == bytes(1))
    }
    #expect(!exists(path))
    #expect(try store.usage().objects == 1)
  }

  @Test("of a store that is gone are gone with it, its pins last of all")
  func lastOfAll() throws {
    var object: StoredObject?
    do {
      let other = try DiskStore(directory: directory.path)
      object = try other.insert(bytes(4))
    }
    // The pin holds the process directory, though nobody holds the store.
    let path = try #require(object?.path)
    #expect(read(path) == bytes(4))
    try store.purge(to: 0)
    #expect(read(path) == bytes(4))
    object = nil
    #expect(!exists(path))
    try store.purge(to: 0)
    #expect(try store.usage().objects == 0)
    store.close()
    #expect(directory.files(in: "tmp").isEmpty)
  }
}

@Suite("A process's directory", .timeLimit(.minutes(8)))
struct ProcessDirectoryTests {
  private let directory: Directory
  private let layout: StoreLayout
  private let own: ProcessDirectory

  init() throws {
    directory = try Directory()
    layout = StoreLayout(root: directory.path + "/cache")
    try layout.make()
    own = ProcessDirectory(layout: layout)
  }

  private func link(_ digest: ContentDigest, _ path: String) throws -> ProcessDirectory.Link? {
    if case .linked(let link) = try own.pin(digest, at: path) { link } else { nil }
  }

  @Test("shares one link among the pins of an object, and takes it away with the last")
  func sharing() throws {
    let path = directory.path + "/object"
    write([1, 2, 3], to: path)
    let digest = ContentDigest(hashing: [1, 2, 3])
    let links = try (0..<5).map { _ in try #require(try link(digest, path)) }
    #expect(Set(links).count == 1)
    unlink(path)
    for (index, link) in links.enumerated() {
      #expect(read(link.path) == [1, 2, 3], "\(index) pins are gone")
      own.unpin(link)
    }
    #expect(access(links[0].path, F_OK) != 0)
    // One too many is nothing.
    own.unpin(links[0])
  }

  @Test("makes another link once the present one is forgotten, and keeps the old until it is let go")
  func forgetting() throws {
    let path = directory.path + "/object"
    let digest = ContentDigest(hashing: [9])
    write([1], to: path)
    let bad = try #require(try link(digest, path))
    own.forget(digest)
    unlink(path)
    write([9], to: path)
    let good = try #require(try link(digest, path))
    #expect(bad != good && read(bad.path) == [1] && read(good.path) == [9])
    own.unpin(bad)
    #expect(try link(digest, path) == good, "letting the old one go doesn't forget the new one")
    own.unpin(good)
    own.unpin(good)
    #expect(access(good.path, F_OK) != 0)
  }

  @Test("tells of an object that isn't there")
  func absent() throws {
    guard case .absent = try own.pin(ContentDigest(hashing: [1]), at: directory.path + "/none") else {
      Issue.record("not absent")
      return
    }
  }

  @Test("is removed when it is closed and empty, and not before")
  func closing() throws {
    let path = try own.newPath()
    write([1], to: path)
    own.close()
    #expect(try StoreLayout.names(in: layout.temporaries).count == 2)
    unlink(path)
    own.close()
    #expect(try StoreLayout.names(in: layout.temporaries).isEmpty)
    #expect(try own.newPath() != path)
    #expect(try StoreLayout.names(in: layout.temporaries).count == 2)
  }

  @Test("of a living process is left alone, as others' files are, and what dead ones have left is removed")
  func dead() throws {
    let living = try own.newPath()
    write([1], to: living)
    let tmp = layout.temporaries
    mkdir(tmp + "/9-1", 0o700)
    write([1], to: tmp + "/9-1/1")
    mkdir(tmp + "/9-2", 0o700)
    write([], to: tmp + "/9-2.lock")
    mkdir(tmp + "/9-2/nested", 0o700)
    write([1], to: tmp + "/9-2/nested/file")
    write([], to: tmp + "/9-3.lock")
    write([], to: tmp + "/stray")
    for _ in 0..<2 { try ProcessDirectory.removeDead(in: layout) }
    let names = try StoreLayout.names(in: tmp)
    #expect(names.count == 3 && names.contains("stray"))
    #expect(read(living) == [1])
  }
}
