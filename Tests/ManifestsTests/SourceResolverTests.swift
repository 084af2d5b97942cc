import Foundation
import ImageDownloads
import SystemIO
import Testing

@testable import Manifests

@Suite("Sources of a manifest", .timeLimit(.minutes(8)))
final class SourceResolverTests {
  private let directory = FileManager.default.temporaryDirectory.path + "/resolver-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: directory + "/sub", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func resolver(_ base: String? = nil, allowsOutside: Bool = false) -> SourceResolver {
    SourceResolver(
      base: base.flatMap { URLReference(parsing: $0) },
      directory: ManifestDirectory(path: directory, allowsOutside: allowsOutside))
  }

  @Test(
    "an escape of a file: URL is two hexadecimal digits, and no NUL",
    arguments: ["%+1", "%-1", "%4", "%", "%zz", "%00", "a%80"])
  func brokenEscapes(escape: String) {
    #expect(throws: SourceResolver.Failure.self) {
      try resolver().resolve("file://\(directory)/\(escape)")
    }
  }

  @Test func `a file: URL names a path, without query and fragment`() throws {
    #expect(try resolver().resolve("file://\(directory)/a%20b.png?x#y") == .file(directory + "/a b.png"))
    #expect(try resolver().resolve("FILE://localhost\(directory)/a.png") == .file(directory + "/a.png"))
    #expect(try resolver().resolve("file:\(directory)/a.png") == .file(directory + "/a.png"))
  }

  @Test func `a path stays inside whatever character its names begin with`() throws {
    for name in ["\u{301}a.png", "sub/\u{301}a.png", "\u{301}none/../a.png", "none/\u{301}/../../a.png"] {
      #expect(try resolver().resolve(name) == .file(directory + "/" + name), "\(name)")
    }
    for name in ["../\u{301}a.png", "none/../../\u{301}a.png", "none/\u{301}/../../../a.png"] {
      #expect(throws: SourceResolver.Failure.self, "\(name)") { try resolver().resolve(name) }
    }
  }

  @Test func `one letter before a colon is a name, and two are a scheme`() throws {
    #expect(try resolver("https://h/x/").resolve("c:a.png") == .url("https://h/x/c:a.png"))
    #expect(try resolver().resolve("c:a.png") == .file(directory + "/c:a.png"))
    #expect(throws: SourceResolver.Failure.self) { try resolver("https://h/x/").resolve("cd:a.png") }
  }

  @Test func `a base resolves what has no scheme, and leaves paths`() throws {
    let resolver = resolver("https://h/x/y?q")
    #expect(try resolver.resolve("a b.png") == .url("https://h/x/a%20b.png"))
    #expect(try resolver.resolve("z/../a.png") == .url("https://h/x/a.png"))
    #expect(try resolver.resolve("?z") == .url("https://h/x/y?z"))
    #expect(try resolver.resolve("./a.png") == .file(directory + "/./a.png"))
  }
}
