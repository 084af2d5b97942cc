import Foundation
import ImageCaches
import Testing

/// A directory with somebody's files in the places of a store's.
@Suite("Directories that aren't a store's", .timeLimit(.minutes(2)))
struct ForeignDirectoryTests {
  private let directory = NSTemporaryDirectory() + "foreign-" + UUID().uuidString

  private func write(_ name: String) throws {
    let path = "\(directory)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(filePath: path))
  }

  private func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(directory)/\(name)") }

  @Test(
    "are refused, and nothing in them is touched",
    arguments: [
      "tmp/photo.png", "tmp/a/b/photo.png", "partial/photo.png", "last/notes.txt", "objects/ab/cd",
      "index.sqlite", "limit", "requests.lock", "index.lock",
    ])
  func refused(name: String) throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try write(name)
    let error = #expect(throws: CacheError.self) { try DiskStore(directory: directory) }
    #expect(error?.reason == .foreignDirectory && error?.message.contains(directory) == true)
    #expect(has(name) && !has("CACHEDIR.TAG"))
  }

  @Test("with other files become a store's, which leaves these alone; and a store without its tag stays one")
  func others() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for name in [".gitkeep", "photos/tmp/a.png"] { try write(name) }
    let store = try DiskStore(directory: directory)
    try store.clear()
    store.close()
    #expect(has(".gitkeep") && has("photos/tmp/a.png") && has("CACHEDIR.TAG"))
    try FileManager.default.removeItem(atPath: directory + "/CACHEDIR.TAG")
    try DiskStore(directory: directory).close()
    #expect(has("CACHEDIR.TAG"))
  }

  @Test("with what a store has left, or with empty directories, are a store's")
  func remains() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let digest = String(repeating: "ab", count: 32)
    for name in [
      "objects/ab/" + digest.dropFirst(2), "tmp/12-34.lock", "partial/" + digest, "partial/\(digest).json",
      "last/0123456789abcdef.ndjson",
    ] { try write(name) }
    try DiskStore(directory: directory).close()
    #expect(has("CACHEDIR.TAG") && has("partial/" + digest))
    try FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(atPath: directory + "/tmp", withIntermediateDirectories: true)
    try DiskStore(directory: directory).close()
  }

  @Test("files of others in a store's directories for its own use stay, and a pipe there blocks nothing")
  func insideStore() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try DiskStore(directory: directory).close()
    let names = ["tmp/photo.png", "tmp/keep/photo.png", "partial/photo.png", "tmp/1-2-3", "tmp/9.lock"]
    for name in names { try write(name) }
    #expect(mkfifo(directory + "/tmp/pipe", 0o600) == 0 && mkfifo(directory + "/partial/pipe", 0o600) == 0)
    #expect(mkfifo(directory + "/tmp/1-2.lock", 0o600) == 0)
    // What a killed process has left is removed.
    try write("tmp/123-456/1")
    let store = try DiskStore(directory: directory)
    _ = try store.purge()
    store.close()
    for name in names { #expect(has(name), "\(name)") }
    #expect(!has("tmp/123-456"))
  }
}
