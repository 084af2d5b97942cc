import Foundation
import Testing

@testable import ImageBatch

@Suite("The directory of the outputs", .timeLimit(.minutes(8)))
final class OutputDirectoryTests {
  private let directory = FileManager.default.temporaryDirectory.path + "/outputs-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

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
    _ = try inside.open(root + "/deep/er/a.png")
    #expect(FileManager.default.fileExists(atPath: root + "/deep/er"))
    let error = #expect(throws: JobError.self) { try inside.open(root + "/link/a.png") }
    #expect(error?.code == .outsideOutputDirectory)
    // Not even a directory is made there.
    #expect(throws: JobError.self) { try inside.open(root + "/link/new/er/a.png") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["root"])
  }
}
