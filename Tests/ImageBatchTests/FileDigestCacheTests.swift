import Foundation
import Glibc
import ImageCaches
import TestSupport
import Testing

@testable import ImageBatch

@Suite("Digests of files in place", .timeLimit(.minutes(8)))
struct StampMemoryTests {
  private let directory: TestDirectory
  private let store: DiskStore

  init() throws {
    directory = try TestDirectory("fingerprints")
    store = try .ephemeral()
  }

  private func file(_ name: String) throws -> FileDigestCache.File {
    try #require(FileDigestCache.File(path: directory[name]))
  }

  @Test("are those of the bytes, for all files at once")
  func digests() throws {
    let memory = FileDigestCache(store: store)
    let names = (0..<20).map { "f\($0)" }
    for name in names { try directory.write(name + "!", to: name) }
    let files = try names.map(file)
    let digests = memory.digests(of: files + files)
    for (name, file) in zip(names, files) { #expect(digests[file] == ContentDigest(of: name + "!")) }
    #expect(memory.digests(of: []).isEmpty)
  }

  @Test("any sequence of changes, with a memory that is new at any time: never a wrong one")
  func model() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var memory = FileDigestCache(store: store)
    var texts: [String: String] = [:]
    for step in 0..<400 {
      let name = "f\(Int.random(in: 0..<4, using: &random))"
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        // Of another length each time: two writes within a step of the kernel's clock leave the times as they
        // were.
        let text = String(repeating: "x", count: step)
        texts[name] = text
        try directory.write(text, to: name)
      case 2:
        let text = String(repeating: "y", count: step)
        texts[name] = text
        try directory.write(text, to: "new")
        #expect(rename(directory["new"], directory[name]) == 0)
      case 3:
        try memory.flush()
        if Bool.random(using: &random) { memory = FileDigestCache(store: store) }
      default:
        guard let text = texts[name] else { continue }
        let file = try file(name)
        #expect(memory.digests(of: [file])[file] == ContentDigest(of: text), "seed \(seed), step \(step)")
      }
    }
  }

  @Test("what was put in place is remembered by another process's memory")
  func remembered() throws {
    let memory = FileDigestCache(store: store)
    try directory.write("text", to: "a")
    // A digest that is not the file's shows that nobody has read it.
    let file = try file("a")
    var status = stat()
    #expect(lstat(directory["a"], &status) == 0)
    memory.remember(directory["a"], status, ContentDigest(of: "claimed"))
    #expect(memory.digests(of: [file])[file] == ContentDigest(of: "claimed"))
    try memory.flush()
    let fingerprints = try store.digests(forFiles: [file.fingerprint])
    #expect(fingerprints.isEmpty || fingerprints[file.fingerprint] == ContentDigest(of: "claimed"))
  }

  @Test("only of ordinary files, by their own name")
  func kinds() throws {
    try directory.write("x", to: "file")
    #expect(symlink("file", directory["link"]) == 0)
    #expect(mkfifo(directory["fifo"], 0o600) == 0)
    for name in ["link", "fifo", "none", "."] { #expect(FileDigestCache.File(path: directory[name]) == nil) }
    #expect(try file("file").fingerprint.bytes == 1)
  }

  @Test("a file that has vanished has none, and those beside it have theirs")
  func vanished() throws {
    try directory.write("a", to: "a")
    try directory.write("b", to: "b")
    let files = [try file("a"), try file("b")]
    unlink(directory["a"])
    let digests = FileDigestCache(store: store).digests(of: files)
    #expect(digests[files[0]] == nil)
    #expect(digests[files[1]] == ContentDigest(of: "b"))
  }
}
