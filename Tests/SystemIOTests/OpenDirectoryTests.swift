import Foundation
import Glibc
import TestSupport
import Testing

@testable import SystemIO

@Suite("Open directories", .timeLimit(.minutes(8)))
struct OpenDirectoryTests {
  private let root: TestDirectory

  init() throws { root = try TestDirectory("open") }

  private func make(_ path: String) throws -> Bool {
    try OpenDirectory(root["in"]).making(Paths.components(path)) != nil
  }

  @Test("missing directories are made one in another, and nothing behind a link that leads out")
  func making() throws {
    try root.write("", to: "in/inner/file")
    try root.write("", to: "out/file")
    for (name, target) in [
      ("within", "inner"), ("absolute", root.realPath + "/in/inner"), ("outside", "../out"), ("up", ".."),
      ("far", "/tmp"), ("dangling", "nowhere"),
    ] { #expect(symlink(target, root["in/" + name]) == 0) }
    for path in ["", "a", "a/b/c", "within/d", "absolute/e", "inner/\u{301}f"] {
      #expect(try make(path), "\(path)")
    }
    #expect(Directory.exists(at: root["in/inner/d"]) && Directory.exists(at: root["in/inner/e"]))
    for path in ["outside", "outside/x", "outside/x/y", "up/x", "far/x"] {
      #expect(try !make(path), "\(path)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: root["out"]) == ["file"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: root.path).sorted() == ["in", "out"])
    for path in ["dangling/x", "inner/file/x"] {
      #expect(throws: AtomicFile.Failure.self) { _ = try make(path) }
    }
  }

  @Test("a link that replaces a directory between the check and the use leads nowhere")
  func replaced() throws {
    try root.write("", to: "in/a/file")
    try root.write("", to: "out/file")
    let open = try #require(try OpenDirectory(root["in"]).making(["a"]))
    #expect(rename(root["in/a"], root["in/b"]) == 0 && symlink("../out", root["in/a"]) == 0)
    #expect(try open.making(["deep"]) != nil)
    try AtomicFile.write("x".utf8, to: root["source"])
    _ = try AtomicFile.copy(root["source"], to: "x", in: open, options: .init())
    #expect(root.text("in/b/x") == "x" && Directory.exists(at: root["in/b/deep"]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: root["out"]) == ["file"])
  }

  @Test("files that killed processes left are removed, and no others")
  func abandoned() throws {
    let name = HiddenName.make()
    let old = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
    func file(_ name: String, isOld: Bool = true) throws {
      try root.write("x", to: name)
      if isOld { #expect(utimensat(AT_FDCWD, root[name], old, 0) == 0) }
    }
    try file(name)
    let spared = [".imagemill-new.tmp", ".imagemill-open.tmp", "a.png", ".hidden.1.tmp"]
    for name in spared { try file(name, isOld: name != ".imagemill-new.tmp") }
    #expect(symlink("a.png", root[".imagemill-link.tmp"]) == 0)
    #expect(mkfifo(root[".imagemill-pipe.tmp"], 0o600) == 0)
    #expect(mkdir(root[".imagemill-directory.tmp"], 0o700) == 0)
    let used = try FileDescriptor(opening: root[".imagemill-open.tmp"], O_RDONLY)
    HiddenName.lock(used.number)
    try OpenDirectory(root.path).removeAbandonedFiles()
    #expect(
      Set(root.names)
        == Set(spared + [".imagemill-link.tmp", ".imagemill-pipe.tmp", ".imagemill-directory.tmp"]))
  }
}
