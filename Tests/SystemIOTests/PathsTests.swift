import Glibc
import SystemIO
import TestSupport
import Testing

@Suite("Paths as text", .timeLimit(.minutes(8)))
struct PathsTests {
  @Test(
    "a path is normalized as far as its letters go",
    arguments: [
      ("", ""), (".", ""), ("a", "a"), ("./a//b/", "a/b"), ("a/../b", "b"), ("a/..", ""), ("..", ".."),
      ("../..", "../.."), ("a/../../b", "../b"), ("../a/../b", "../b"), ("/", "/"), ("//a", "/a"),
      ("/..", "/"),
      ("/../a", "/a"), ("/a/../../b", "/b"), ("...", "..."), ("a/...", "a/..."), ("a/\u{301}b/..", "a"),
      ("\u{301}", "\u{301}"),
    ])
  func normalized(path: String, expected: String) {
    // By bytes: texts are equal if they are only canonically so.
    #expect(Array(Paths.normalized(path).utf8) == Array(expected.utf8))
    #expect(Paths.normalized(Paths.normalized(path)) == Paths.normalized(path))
  }

  @Test(
    "a path leaves its directory if it is absolute or goes up further than down",
    arguments: [
      ("", false), ("a", false), ("a/..", false), ("a/../..", true), ("..", true), ("../a", true),
      ("/a", true),
      ("..a", false), ("a/../../\u{301}b", true), ("../\u{301}b", true), ("/\u{301}b", true),
      (".../a", false),
    ])
  func leaves(path: String, expected: Bool) { #expect(Paths.leaves(path) == expected) }

  @Test(
    "a path is a directory and a name",
    arguments: [
      ("a", ".", "a"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/a/b", "/a", "b"), ("a/", "a", ""),
      ("a//b", "a/", "b"),
      ("a/\u{301}b", "a", "\u{301}b"), ("/\u{301}b", "/", "\u{301}b"), ("", ".", ""), (".", ".", "."),
      ("/", "/", ""),
    ])
  func entries(path: String, directory: String, name: String) {
    let entry = DirectoryEntry(path)
    #expect(entry.directory == directory && entry.name == name)
    #expect(Paths.normalized(entry.path(in: entry.directory)) == Paths.normalized(path))
  }

  @Test("a name is put into a directory with one slash")
  func joining() {
    #expect(Paths.joined("a", "b") == "a/b")
    #expect(Paths.joined("a/", "b") == "a/b")
    #expect(Paths.joined("/", "b") == "/b")
    #expect(Paths.joined("a", "\u{301}b").utf8.elementsEqual("a/\u{301}b".utf8))
  }

  @Test("what is inside a directory begins with it and a slash")
  func inside() {
    for (path, directory) in [("/a/b", "/a"), ("/a/b/c", "/a"), ("/a", "/"), ("/a/\u{301}b", "/a")] {
      #expect(Paths.isInside(path, directory), "\(path)")
    }
    for (path, directory) in [("/a", "/a"), ("/ab", "/a"), ("/", "/a"), ("/b/a", "/a")] {
      #expect(!Paths.isInside(path, directory), "\(path)")
    }
  }

  @Test(
    "a place is named from another one",
    arguments: [
      ("/a/b", "/a", "b"), ("/a", "/a/b", ".."), ("/a/b", "/a/c/d", "../../b"), ("/a", "/", "a"),
      ("/a", "/a", ""),
      ("/ab/c", "/a", "../ab/c"),
    ])
  func relative(path: String, base: String, expected: String) {
    let relative = Paths.relative(Paths.components(path), to: Paths.components(base))
    #expect(relative.joined(separator: "/") == expected)
  }

  @Test("relative and absolute undo each other for random paths")
  func relativeAndBack() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<2000 {
      let (path, base) = (Self.path(&random), Self.path(&random))
      let components = Paths.absoluteComponents(path, from: "/w")
      let baseComponents = Paths.absoluteComponents(base, from: "/w")
      let relative = Paths.relative(components, to: baseComponents).joined(separator: "/")
      let back = Paths.absoluteComponents(relative, from: "/" + baseComponents.joined(separator: "/"))
      #expect(back == components, "\(path) from \(base), seed \(seed)")
    }
  }

  /// Of few names, so that paths meet.
  private static func path(_ random: inout SeededRandom) -> String {
    let names = ["a", "b", "\u{301}c", "..", ".", ""]
    let parts = (0...Int.random(in: 0...5, using: &random)).map { _ in
      names.randomElement(using: &random) ?? "a"
    }
    return (Bool.random(using: &random) ? "/" : "") + parts.joined(separator: "/")
  }

  @Test("temporary files go where TMPDIR says, and the process's directory is told")
  func places() {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    #expect(Paths.temporaryDirectory == (named.isEmpty ? "/tmp" : named))
    #expect(Paths.currentDirectory == RealPath.of("."))
    #expect(Paths.workingDirectory == Paths.currentDirectory)
  }
}
