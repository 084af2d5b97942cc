import Foundation
import Testing

/// Wrong command lines, and all that is said of each: the place, the problem and the remedy.
@Suite("Wrong command lines", .timeLimit(.minutes(8)))
struct GoldenTests {
  private static let file =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Golden/command-lines.txt"

  /// `$ imagemill …`, what is printed, and `[status]`.
  struct Golden: CustomTestStringConvertible, Sendable {
    let line: String
    let answer: String
    var testDescription: String { line }
  }

  static let all: [Golden] = {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "$ ").dropFirst().map { part in
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      return Golden(line: String(lines[0]), answer: String(lines[1]))
    }
  }()

  @Test("there are as many as are wanted")
  func count() { #expect(Self.all.count >= 30) }

  @Test("are answered as is written down, on standard error, and start nothing", arguments: all)
  func answer(golden: Golden) async throws {
    let command = try CommandRun()
    try command.write("imagemill: 1\njobs:\n  - {source: photo.png, output: out.webp}\n", to: "m.yaml")
    let path = "PATH=\(URL(fileURLWithPath: CommandRun.executable).deletingLastPathComponent().path):$PATH"
    let outcome = try await command.run(["-c", "\(path); \(golden.line)"], executable: "/bin/sh")
    #expect(
      "\(outcome.errors)[\(outcome.status)]\n\n" == golden.answer
        + (golden.answer.hasSuffix("\n\n") ? "" : "\n"))
    #expect(outcome.output.isEmpty)
    #expect(command.files == ["m.yaml"])
  }
}
