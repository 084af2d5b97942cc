import Foundation
import LoopbackServer
import Testing

/// Wrong command lines, and all that is said of each: the place, the problem and the remedy.
@Suite("Wrong command lines", .timeLimit(.minutes(8)))
struct GoldenTests {
  private static let directory =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Golden"
  private static let manifests = directory + "/manifests"

  /// `$ imagemill …`, what is printed, and `[status]`.
  struct Golden: CustomTestStringConvertible, Sendable {
    let line: String
    let answer: String
    /// The command line that follows the remedy; nil if nothing here can, because it would need the Internet.
    let remedy: String?
    var testDescription: String { line }
  }

  private static func goldens(_ name: String) -> [Golden] {
    let text = (try? String(contentsOfFile: directory + "/" + name, encoding: .utf8)) ?? ""
    return ("\n" + text).components(separatedBy: "\n$ ").dropFirst().map { part in
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let said = String(lines[1]).trimmingCharacters(in: .newlines).components(separatedBy: "\n+ ")
      return Golden(line: String(lines[0]), answer: said[0], remedy: said.count > 1 ? said[1] : nil)
    }
  }

  static let commandLines = goldens("command-lines.txt")
  static let wrongManifests = goldens("manifests.txt")

  @Test("there are as many as are wanted")
  func count() throws {
    #expect(Self.commandLines.count { $0.remedy != nil } >= 40)
    #expect(Self.wrongManifests.count >= 20)
    // None is forgotten.
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.manifests)
    #expect(
      Set(Self.wrongManifests.compactMap { $0.line.split(separator: " ").last.map(String.init) })
        == Set(files))
    let mended = try FileManager.default.contentsOfDirectory(atPath: Self.directory + "/mended")
    #expect(Set(files) == Set(mended))
  }

  @Test("whoever follows a message's remedy is done", arguments: commandLines.filter { $0.remedy != nil })
  func remedy(golden: Golden) async throws {
    let command = try CommandRun()
    for name in ["photo.png", "logo.png"] {
      try command.write(PNGImage.bytes(width: name == "logo.png" ? 5 : 40, height: 9), to: name)
    }
    try command.write("imagemill: 1\njobs:\n  - {source: photo.png, output: made.webp}\n", to: "m.yaml")
    let line = try #require(golden.remedy)
    let path = "PATH=\(URL(fileURLWithPath: CommandRun.executable).deletingLastPathComponent().path):$PATH"
    let outcome = try await command.run(["-c", "\(path); \(line)"], executable: "/bin/sh")
    #expect(outcome.status == 0, "\(line): \(outcome.errors)")
  }

  @Test("whoever follows the remedies for a manifest has a valid one", arguments: wrongManifests)
  func mended(golden: Golden) async throws {
    let command = try CommandRun()
    let name = try #require(golden.line.split(separator: " ").last.map(String.init))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.directory + "/mended/" + name))
    #expect(bytes != (try Data(contentsOf: URL(fileURLWithPath: Self.manifests + "/" + name))))
    try command.write([UInt8](bytes), to: name)
    let words = golden.line.split(separator: " ").dropFirst().map { $0.replacing("'", with: "") }
    let outcome = try await command.run(words.map { String($0) })
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
  }

  @Test(
    "command lines are answered as is written down, on standard error, and start nothing",
    arguments: commandLines)
  func commandLine(golden: Golden) async throws {
    let command = try CommandRun()
    try command.write("imagemill: 1\njobs:\n  - {source: photo.png, output: out.webp}\n", to: "m.yaml")
    try await check(golden, command)
    #expect(command.files == ["m.yaml"])
  }

  @Test("manifests are answered as is written down: place, problem and remedy", arguments: wrongManifests)
  func manifest(golden: Golden) async throws {
    let command = try CommandRun()
    let name = try #require(golden.line.split(separator: " ").last.map(String.init))
    try command.write([UInt8](Data(contentsOf: URL(fileURLWithPath: Self.manifests + "/" + name))), to: name)
    try await check(golden, command)
    #expect(command.files == [name])
  }

  private func check(_ golden: Golden, _ command: CommandRun) async throws {
    let path = "PATH=\(URL(fileURLWithPath: CommandRun.executable).deletingLastPathComponent().path):$PATH"
    let outcome = try await command.run(["-c", "\(path); \(golden.line)"], executable: "/bin/sh")
    #expect("\(outcome.errors)[\(outcome.status)]" == golden.answer)
    #expect(outcome.output.isEmpty)
  }
}
