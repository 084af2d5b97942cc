import Foundation
import Testing

@testable import SystemIO

@Suite("Files appear whole or not at all", .timeLimit(.minutes(8)))
final class AtomicFileTests {
  private let directory = FileManager.default.temporaryDirectory.path + "/atomic-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: directory + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  @Test("a file is replaced, keeps its mode, and nothing is left beside it")
  func replaces() throws {
    try AtomicFile.write("old".utf8, to: directory + "/a")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: directory + "/a")
    try AtomicFile.write("new".utf8, to: directory + "/source")
    try AtomicFile.copy(directory + "/source", to: directory + "/a")
    #expect(text("a") == "new")
    let mode = try FileManager.default.attributesOfItem(atPath: directory + "/a")[.posixPermissions]
    #expect(mode as? Int == 0o640)
    #expect(names == ["a", "source"])
  }

  @Test("a reader of the old file goes on reading the old bytes")
  func oldReader() throws {
    try AtomicFile.write("old".utf8, to: directory + "/a")
    let reader = try #require(FileHandle(forReadingAtPath: directory + "/a"))
    try AtomicFile.write("new".utf8, to: directory + "/a")
    #expect(try reader.readToEnd() == Data("old".utf8))
  }

  @Test("a large file is copied byte for byte")
  func large() throws {
    let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try AtomicFile.write(bytes, to: directory + "/source")
    try AtomicFile.copy(directory + "/source", to: directory + "/copy")
    #expect(FileManager.default.contents(atPath: directory + "/copy") == Data(bytes))
  }

  @Test("what is no regular file isn't replaced")
  func specialFiles() throws {
    #expect(mkfifo(directory + "/fifo", 0o600) == 0)
    try FileManager.default.createDirectory(
      atPath: directory + "/directory", withIntermediateDirectories: false)
    for name in ["fifo", "directory"] {
      #expect(throws: AtomicFile.Failure.self) { try AtomicFile.write([], to: directory + "/" + name) }
    }
    #expect(throws: AtomicFile.Failure.self) { try AtomicFile.write([], to: "/dev/null") }
    #expect(names == ["directory", "fifo"])
  }

  @Test("a source that is missing leaves the old file")
  func missingSource() throws {
    try AtomicFile.write("old".utf8, to: directory + "/a")
    #expect(throws: AtomicFile.Failure.self) {
      try AtomicFile.copy(directory + "/none", to: directory + "/a")
    }
    #expect(text("a") == "old")
    #expect(names == ["a"])
  }

  // MARK: Every way, over everything that may be in the place

  private enum Found: String, CaseIterable {
    case nothing, file, link, brokenLink, directory, pipe
  }

  private func make(_ found: Found) throws {
    let path = directory + "/place"
    switch found {
    case .nothing: break
    case .file:
      try Data("old".utf8).write(to: URL(fileURLWithPath: path))
      #expect(chmod(path, 0o604) == 0)
    case .link:
      try Data("old".utf8).write(to: URL(fileURLWithPath: directory + "/target"))
      #expect(symlink("target", path) == 0)
    case .brokenLink: #expect(symlink("none", path) == 0)
    case .directory: #expect(mkdir(path, 0o700) == 0)
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    }
  }

  @Test(
    "without a name and with a hidden one, synced or not: the same file, or the same refusal, and nothing beside it"
  )
  func ways() throws {
    for found in Found.allCases {
      for (isUnnamed, replaces, syncs) in [true, false].flatMap({ a in
        [true, false].flatMap { b in [true, false].map { (a, b, $0) } }
      }) {
        let label = Comment("\(found), unnamed \(isUnnamed), replaces \(replaces), syncs \(syncs)")
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try make(found)
        try Data("new".utf8).write(to: URL(fileURLWithPath: directory + "/source"))
        let before = names
        var options = AtomicFile.Options(replaces: replaces, syncs: syncs)
        options.isUnnamed = isUnnamed
        let open = try OpenDirectory(directory)
        do throws(AtomicFile.Failure) {
          let status = try AtomicFile.copy(directory + "/source", to: "place", in: open, options: options)
          #expect((status == nil) == (found != .nothing && !replaces), label)
          #expect(status == nil || ![.directory, .pipe].contains(found), label)
          if let status {
            var now = stat()
            #expect(lstat(directory + "/place", &now) == 0 && now.st_ino == status.st_ino, label)
            #expect(now.st_ctim.tv_nsec == status.st_ctim.tv_nsec && now.st_size == 3, label)
            #expect(found != .file || now.st_mode & 0o7777 == 0o604, label)
            #expect(text("place") == "new", label)
          }
          #expect(names == Set(before + ["place"]).sorted(), label)
        } catch {
          #expect(replaces && [.directory, .pipe].contains(found), label)
          #expect(error.message.contains("/place"), label)
          #expect(names == before, label)
        }
        if found == .link { #expect(text("target") == "old", label) }
      }
    }
  }

  @Test("a directory that was removed is no place any more, and says so")
  func removedDirectory() throws {
    try AtomicFile.write("new".utf8, to: directory + "/source")
    let path = directory + "/gone"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let open = try OpenDirectory(path)
    #expect(open.isLinked && open.realPath == RealPath.of(path))
    try FileManager.default.removeItem(atPath: path)
    #expect(!open.isLinked)
    for isUnnamed in [true, false] {
      var options = AtomicFile.Options()
      options.isUnnamed = isUnnamed
      #expect(throws: AtomicFile.Failure.self) {
        try AtomicFile.copy(directory + "/source", to: "a", in: open, options: options)
      }
    }
  }

  @Test("a name of any length is replaced", arguments: ["a", "é", "日", "👍"], [true, false])
  func longName(character: String, isUnnamed: Bool) throws {
    let name = String(repeating: character, count: 255 / character.utf8.count)
    var options = AtomicFile.Options()
    options.isUnnamed = isUnnamed
    for text in ["old", "new"] {
      try AtomicFile.write(text.utf8, to: directory + "/" + name, options: options)
    }
    #expect(text(name) == "new" && names == [name])
  }
}
