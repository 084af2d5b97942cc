import Foundation
import ImageDownloads
import Testing

@testable import ImageBatch
import SystemIO

/// A slash and a combining mark after it are one `Character` of Swift's, and two names of a path.
@Suite("Paths are divided by bytes", .timeLimit(.minutes(8)))
final class PathByteTests {
  private let directory = FileManager.default.temporaryDirectory.path + "/path-bytes-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
  }

  @Test("no output leaves its directory by a name that begins with a combining mark")
  func outsideTheDirectory() throws {
    let root = OutputDirectory(root: directory + "/out", allowsOutside: false)
    for path in [
      "../\u{301}x/y.png", "a/../../\u{301}x/y.png", "/\u{301}x/y.png", "a/\u{301}/../../../x.png",
    ] {
      let error = #expect(throws: JobError.self, "\(path)") {
        _ = try root.open(try root.location(of: path))
      }
      #expect(error?.code == .outsideOutputDirectory, "\(path)")
    }
    #expect(try names == [])
  }

  @Test("a template that leaves its directory says so, whatever its names begin with")
  func leavingTemplate() throws {
    #expect(try OutputTemplate(parsing: "../\u{301}x.png").leavesDirectory)
    #expect(try OutputTemplate(parsing: "/\u{301}x.png").leavesDirectory)
    #expect(try !OutputTemplate(parsing: "\u{301}x/../y.png").leavesDirectory)
  }

  @Test("a file whose name begins with a combining mark is written, in directories that are made for it")
  func writing() throws {
    let root = OutputDirectory(root: directory, allowsOutside: false)
    let location = try root.location(of: "\u{301}a/\u{301}b.png")
    _ = try root.open(location)
    try AtomicFile.write("b".utf8, to: location)
    #expect(try AtomicFile.read(directory + "/\u{301}a/\u{301}b.png") == Array("b".utf8))
  }

  @Test("a source's name and directories end at its slashes")
  func sourceNames() {
    let source = ImageSource.file("a/\u{301}b/\u{301}c.jpg")
    #expect(source.fileName == "\u{301}c")
    #expect(source.directories == ["a", "\u{301}b"])
    #expect(source.directoryPath == "a/\u{301}b")
  }
}
