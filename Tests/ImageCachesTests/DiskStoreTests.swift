import Foundation
import GRDB
import Synchronization
import Testing

@testable import ImageCaches

@Suite("The disk store", .timeLimit(.minutes(1)))
final class DiskStoreTests {
  private let directory = FileManager.default.temporaryDirectory.path + "/store-\(UUID().uuidString)"
  private let notices = Notices()

  private final class Notices: Sendable {
    let messages = Mutex<[String]>([])
    func contain(_ text: String) -> Bool { messages.withLock { $0.contains { $0.contains(text) } } }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func open(capacity: Int = 1 << 30) throws -> DiskStore {
    try DiskStore(directory: directory, capacity: capacity) { [notices] notice in
      notices.messages.withLock { $0.append(notice.message) }
    }
  }

  @discardableResult
  private func insert(_ text: String, in store: DiskStore) throws -> ContentDigest {
    let file = try store.makeTemporaryFile()
    try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
    let digest = ContentDigest(hashing: text.utf8)
    try store.insert(file, digest)
    return digest
  }

  private func text(_ digest: ContentDigest, in store: DiskStore) throws -> String? {
    try store.object(digest).map { try String(contentsOfFile: $0, encoding: .utf8) }
  }

  private func usage(_ store: DiskStore) throws -> Int? {
    try store.readIndex { try Int.fetchOne($0, sql: "SELECT bytes FROM usage") }
  }

  @Test("an object is there in the next run, under its digest")
  func persists() throws {
    let first = try open()
    let digest = try insert("pixels", in: first)
    first.close()
    let second = try open()
    #expect(try text(digest, in: second) == "pixels")
    #expect(try usage(second) == 6)
    #expect(second.object(ContentDigest(hashing: "other".utf8)) == nil)
    second.close()
    let left = try FileManager.default.contentsOfDirectory(atPath: directory + "/tmp")
    #expect(left.isEmpty)
    #expect(FileManager.default.fileExists(atPath: directory + "/CACHEDIR.TAG"))
  }

  @Test("a damaged object is dropped, said, and made again")
  func damagedObject() throws {
    let first = try open()
    let digest = try insert("pixels", in: first)
    let key = ContentDigest(hashing: "key".utf8)
    first.recordOutputs([key: StoredOutput(digest: digest, width: 1, height: 2, frames: 1, bytes: 6)])
    first.close()
    let path = ObjectFiles.path(of: digest, in: directory)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try Data("pixelz".utf8).write(to: URL(fileURLWithPath: path))
    let second = try open()
    #expect(second.object(digest) == nil)
    #expect(second.pin(digest) == nil)
    #expect(second.storedOutputs(forKeys: [key]).isEmpty)
    #expect(notices.contain("damaged"))
    try insert("pixels", in: second)
    #expect(try text(digest, in: second) == "pixels")
    second.close()
  }

  @Test("the least recently used objects go until the preferred size is met")
  func purge() throws {
    let store = try open(capacity: 1000)
    let texts = (0..<10).map { String(repeating: "\($0)", count: 100) }
    let digests = try texts.map { try insert($0, in: store) }
    #expect(try usage(store) == 1000)
    #expect(store.object(digests[0]) != nil)
    let last = try insert(String(repeating: "x", count: 50), in: store)
    #expect(try #require(try usage(store)) <= 600)
    #expect(store.holds(last))
    #expect(store.holds(digests[0]), "used last but one")
    #expect(!store.holds(digests[1]))
    store.close()
  }

  @Test("what is pinned stays readable when another process purges it")
  func pinned() throws {
    let (mine, theirs) = (try open(), try open())
    let digest = try insert("pixels", in: mine)
    var pin = mine.pin(digest)
    #expect(pin != nil)
    theirs.drop(digest)
    #expect(mine.object(digest) == nil)
    #expect(try pin.map { try String(contentsOfFile: $0.path, encoding: .utf8) } == "pixels")
    let path = pin?.path ?? ""
    pin = nil
    #expect(!FileManager.default.fileExists(atPath: path))
    mine.close()
    theirs.close()
  }

  @Test("an index that is removed, cut or overwritten is made anew from the objects", arguments: 0..<3)
  func brokenIndex(damage: Int) throws {
    let first = try open()
    let digest = try insert("pixels", in: first)
    first.close()
    let path = directory + "/index.sqlite"
    switch damage {
    case 0: try FileManager.default.removeItem(atPath: path)
    case 1: try Data(contentsOf: URL(fileURLWithPath: path)).prefix(5000).write(to: URL(fileURLWithPath: path))
    default: try Data(repeating: 0x55, count: 20000).write(to: URL(fileURLWithPath: path))
    }
    let second = try open()
    #expect(try usage(second) == 6)
    #expect(try text(digest, in: second) == "pixels")
    second.close()
    if damage > 0 { #expect(notices.contain("index was damaged")) }
  }

  @Test("a store that can't be written is read, and nothing is added", .enabled(if: getuid() != 0))
  func readOnly() throws {
    let first = try open()
    let digest = try insert("pixels", in: first)
    first.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
    }
    let second = try open()
    #expect(second.isReadOnly)
    #expect(try text(digest, in: second) == "pixels")
    second.close()
  }

  @Test("an ephemeral store leaves nothing")
  func ephemeral() throws {
    let store = try DiskStore.ephemeral()
    let digest = try insert("pixels", in: store)
    #expect(try text(digest, in: store) == "pixels")
    let directory = store.directory
    store.close()
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test("what a process that died was writing is removed when a store is opened")
  func clearsTheDead() throws {
    try open().close()
    let dead = directory + "/tmp/1-dead"
    try FileManager.default.createDirectory(atPath: dead, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: dead + ".lock", contents: nil))
    #expect(FileManager.default.createFile(atPath: dead + "/0", contents: Data("half".utf8)))
    let living = try open()
    let store = try open()
    #expect(!FileManager.default.fileExists(atPath: dead))
    #expect(FileManager.default.fileExists(atPath: living.session.path))
    living.close()
    store.close()
  }

  @Test("a file's digest is remembered until the file changes")
  func stamps() throws {
    let store = try open()
    let path = directory + "/picture"
    try Data("one".utf8).write(to: URL(fileURLWithPath: path))
    #expect(store.digest(ofFile: path) == ContentDigest(hashing: "one".utf8))
    store.recordStamp(of: path, ContentDigest(hashing: "remembered".utf8))
    store.flush()
    #expect(store.digest(ofFile: path) == ContentDigest(hashing: "remembered".utf8))
    try Data("two!".utf8).write(to: URL(fileURLWithPath: path))
    #expect(store.digest(ofFile: path) == ContentDigest(hashing: "two!".utf8))
    #expect(store.digest(ofFile: directory) == nil)
    store.close()
  }

  @Test("two keys of different fields never meet")
  func keys() {
    func key(_ fields: [String?]) -> ContentDigest {
      var key = KeyBuilder("test")
      for field in fields { key.append(optional: field) }
      return key.digest
    }
    let keys = [key(["ab", "c"]), key(["a", "bc"]), key(["abc"]), key(["abc", ""]), key(["abc", nil]), key([])]
    #expect(Set(keys).count == keys.count)
    #expect(key(["ab", "c"]) == key(["ab", "c"]))
  }
}
