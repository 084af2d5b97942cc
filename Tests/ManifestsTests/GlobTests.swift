import Foundation
import Testing

@testable import Manifests

@Suite("Patterns of paths", .timeLimit(.minutes(8)))
struct GlobTests {
  private let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/glob-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  private func make(_ paths: [String]) throws {
    for path in paths {
      let parent = (directory + "/" + path as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: directory + "/" + path))
    }
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/" + path, withDestinationPath: target)
  }

  private func found(_ pattern: String) throws -> [String] {
    var walk = GlobWalk(try GlobPattern(parsing: pattern), in: directory)
    var result: [String] = []
    while let found = walk.next() {
      switch found {
      case .file(let path): result.append(path)
      case .failure(let path, let message): result.append("\(path): \(message)")
      }
    }
    try FileManager.default.removeItem(atPath: directory)
    return result
  }

  @Test(
    "a pattern means these files, in this order",
    arguments: [
      ("*.jpg", ["a.jpg", "b.jpg"]), ("**/*.jpg", ["a.jpg", "b.jpg", "p/c.jpg", "p/q/d.jpg"]),
      ("p/**", ["p/c.jpg", "p/e.png", "p/q/d.jpg"]), ("p/**/d.*", ["p/q/d.jpg"]),
      ("**/q/**/*.jpg", ["p/q/d.jpg"]), ("**/**/d.jpg", ["p/q/d.jpg"]), ("?.jpg", ["a.jpg", "b.jpg"]),
      ("[a-b].jpg", ["a.jpg", "b.jpg"]), ("[!a].jpg", ["b.jpg"]), ("[^b]*", ["a.jpg", "é.gif"]),
      ("p/*.{jpg,png}", ["p/c.jpg", "p/e.png"]), ("{p,p/q}/*.jpg", ["p/c.jpg", "p/q/d.jpg"]),
      ("{**/d,a}.jpg", ["a.jpg", "p/q/d.jpg"]), ("./p/*.jpg", ["./p/c.jpg"]), ("p/q/*", ["p/q/d.jpg"]),
      (".h*", [".hidden.jpg"]), ("*/.hidden/*", ["p/.hidden/x.jpg"]), ("?.gif", ["é.gif"]),
      ("\\*.jpg", []), ("none/*.jpg", []), ("*/q", []), ("p//q/./d.*", ["p/q/d.jpg"]),
    ])
  func matches(pattern: String, expected: [String]) throws {
    try make([
      "a.jpg", "b.jpg", "p/c.jpg", "p/e.png", "p/q/d.jpg", ".hidden.jpg", "p/.hidden/x.jpg", "é.gif",
    ])
    #expect(try found(pattern) == expected)
  }

  @Test("a circle of links isn't gone round, and no file is found twice")
  func circles() throws {
    try make(["p/q/a.jpg"])
    try link("p/up", to: "..")
    try link("p/q/self", to: ".")
    #expect(try found("**/*.jpg") == ["p/q/a.jpg"])
  }

  @Test("a link is followed where the pattern writes a name for it, to the pattern's depth")
  func links() throws {
    try make(["p/a.jpg", "p/q/b.jpg"])
    try link("l", to: "p")
    try link("p/c.jpg", to: "a.jpg")
    try link("p/broken.jpg", to: "nothing")
    #expect(try found("*/*.jpg") == ["l/a.jpg", "l/c.jpg", "p/a.jpg", "p/c.jpg"])
  }

  @Test("a directory that can't be read is told, and not the end")
  func unreadable() throws {
    guard getuid() != 0 else { return }
    try make(["a/x.jpg", "b/x.jpg"])
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: directory + "/a")
    #expect(try found("*/x.jpg").count == 2)
  }

  @Test("what is no pattern is refused", arguments: ["a[b", "", "/", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"])
  func wrong(pattern: String) {
    #expect(throws: GlobPattern.Failure.self) { try GlobPattern(parsing: pattern) }
  }

  @Test(
    "the fixed part ends before the first wildcard",
    arguments: [
      ("photos/**/*.jpg", "photos"), ("./a/b/*.jpg", "./a/b"), ("*.jpg", ""), ("/srv/p*/a.jpg", "/srv"),
      ("/*.jpg", "/"), ("a/{b,c}/d.jpg", "a"), ("a/b.jpg", "a"),
    ])
  func roots(pattern: String, expected: String) throws {
    #expect(try GlobPattern(parsing: pattern).root == expected)
  }
}
