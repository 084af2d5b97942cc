import Foundation
import LoopbackServer
import Testing

/// Every command that reads lists says which records are no jobs, and never takes them for nothing.
@Suite("Wrong records", .timeLimit(.minutes(8)))
struct WrongRecordTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: made.webp}]\n", to: "m.yaml")
  }

  /// Commands that read a list, which follows as operand or as standard input.
  static let reading: [[String]] = [
    ["run"], ["run", "-n"], ["run", "--check"], ["run", "--check", "--lock", "l.lock"], ["plan"],
    ["plan", "--json"], ["plan", "--dot"], ["pipe"], ["pipe", "-n"], ["pipe", "--json"],
  ]

  /// Runs a command on a list.
  private func run(_ words: [String], on list: String, as form: String) async throws -> CommandRun.Outcome {
    if words.contains("--lock") {
      #expect(try await command.run("run", "--lock", "l.lock", "m.yaml").status == 0)
    }
    guard words[0] == "pipe" else {
      try command.write(list, to: "list.\(form)")
      return try await command.run(words + ["-o", "o-{name}.webp", "list.\(form)"])
    }
    let input = form == "txt" ? "sources" : form
    return try await command.run(words + ["-o", "o-{name}.webp", "--input", input], input: Data(list.utf8))
  }

  @Test(
    "a header without a source is a usage error, whatever the command does with the list", arguments: reading)
  func header(words: [String]) async throws {
    let outcome = try await run(words, on: "id,url\n1,a.png\n", as: "csv")
    #expect(outcome.status == 2, "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.contains(":1:1: error: ") && outcome.errors.contains("'source'"), "\(outcome.errors)")
  }

  @Test("a line that is no source is a failure with its place, and the other lines count", arguments: reading)
  func line(words: [String]) async throws {
    let outcome = try await run(words, on: "a.png\nftp://example.com/b.png\n", as: "txt")
    #expect(outcome.status == 1, "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains(":2:1: error: "), "\(outcome.errors)")
    if words.contains("-n") || words == ["plan"] { #expect(outcome.text.contains("o-a.webp")) }
  }

  @Test("a check annotates them in a workflow")
  func annotations() async throws {
    try command.write("a.png\nftp://example.com/b.png\n", to: "list.txt")
    let outcome = try await command.run(
      "run", "--check", "-o", "{name}.webp", "list.txt", environment: ["GITHUB_ACTIONS": "true"])
    #expect(outcome.errors.contains("::error file=list.txt,line=2,"), "\(outcome.errors)")
  }
}
