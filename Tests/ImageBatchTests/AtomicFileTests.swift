import Foundation
import Testing

@testable import ImageBatch

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
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
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
    #expect(try names == ["a", "source"])
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
    #expect(try names == ["directory", "fifo"])
  }

  @Test("a source that is missing leaves the old file")
  func missingSource() throws {
    try AtomicFile.write("old".utf8, to: directory + "/a")
    #expect(throws: AtomicFile.Failure.self) {
      try AtomicFile.copy(directory + "/none", to: directory + "/a")
    }
    #expect(text("a") == "old")
    #expect(try names == ["a"])
  }

  @Test(
    "an output stays inside its directory",
    arguments: [
      ("a.png", "out/a.png"), ("x/../a.png", "out/a.png"), ("./a//b.png", "out/a/b.png"), ("../a.png", nil),
      ("/etc/a.png", nil), ("a/../../b.png", nil), ("", nil), ("a/", nil),
    ] as [(String, String?)])
  func locations(path: String, expected: String?) {
    let location: String?
    do throws(JobError) {
      location = try OutputDirectory(root: "out", allowsOutside: false).location(of: path)
    } catch {
      location = nil
      #expect(error.stage == .write)
    }
    #expect(location == expected)
  }

  @Test("an output may leave its directory when that is allowed")
  func allowedOutside() throws {
    let outside = OutputDirectory(root: "out", allowsOutside: true)
    #expect(try outside.location(of: "/tmp/a.png") == "/tmp/a.png")
    #expect(try outside.location(of: "../a.png") == "out/../a.png")
  }

  @Test("a symbolic link doesn't lead out of the directory")
  func symbolicLink() throws {
    let root = directory + "/root"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: root + "/link", withDestinationPath: directory)
    let inside = OutputDirectory(root: root, allowsOutside: false)
    try inside.prepare(root + "/deep/er/a.png")
    #expect(FileManager.default.fileExists(atPath: root + "/deep/er"))
    let error = #expect(throws: JobError.self) { try inside.prepare(root + "/link/a.png") }
    #expect(error?.code == .outsideOutputDirectory)
  }
}
