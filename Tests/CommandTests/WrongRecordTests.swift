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

  @Test(
    "a line that is no source is a mistake before anything starts; on standard input, the other lines count",
    arguments: reading)
  func line(words: [String]) async throws {
    let outcome = try await run(words, on: "a.png\nftp://example.com/b.png\n", as: "txt")
    #expect(outcome.status == (words[0] == "pipe" ? 1 : 2), "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains(":2:1: error: unsupported scheme 'ftp'"), "\(outcome.errors)")
    if words == ["pipe", "-n"] { #expect(outcome.text.contains("o-a.webp")) }
    if words == ["run"] { #expect(command.read("o-a.webp") == nil) }
  }

  @Test("every mistake of a list is told at once, each with its line and the line's text")
  func all() async throws {
    try command.write("s4://x/a.png\na.png\nftp://example.com/b.png\n", to: "list.txt")
    let outcome = try await command.run("run", "-o", "{name}.webp", "list.txt")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("list.txt:1:1: error: unsupported scheme 's4'"), "\(outcome.errors)")
    #expect(outcome.errors.contains("list.txt:3:1: error: unsupported scheme 'ftp'"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\nftp://example.com/b.png\n^\n"), "\(outcome.errors)")
    #expect(command.files == ["a.png", "list.txt", "m.yaml"])
  }

  @Test("a template without fields is one path: the second line is a mistake, the same one on every run")
  func constant() async throws {
    try command.write(PNGImage.bytes(width: 5, height: 5), to: "b.png")
    try command.write("a.png\nb.png\n", to: "list.txt")
    try command.write("source\na.png\nb.png\n", to: "table.csv")
    for arguments in [
      ["run", "-o", "out.webp", "list.txt"], ["run", "-o", "out.webp", "table.csv"],
      ["plan", "-o", "out.webp", "list.txt"], ["convert", "a.png", "b.png", "-o", "out.webp"],
      ["pipe", "-o", "out.webp", "a.png", "b.png"], ["convert", ".", "-o", "out.webp"],
    ] {
      let outcome = try await command.run(arguments)
      #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains("'out.webp' is the path of one output"), "\(outcome.errors)")
      #expect(command.read("out.webp") == nil, "\(arguments)")
    }
    let records = #"{"source": "a.png"}"# + "\n" + #"{"source": "b.png"}"# + "\n"
    for (arguments, input) in [
      (["pipe"], "a.png\nb.png\n"), (["run", "-"], "a.png\nb.png\n"),
      (["pipe", "--ordered", "--json"], "a.png\nb.png\n"),
      (["pipe", "--dry-run"], "a.png\nb.png\n"), (["pipe", "--input", "csv"], "source\na.png\nb.png\n"),
      (["pipe", "--input", "ndjson"], records),
    ] {
      let piped = try await command.run(arguments: arguments + ["-o", "out.webp"], input: Data(input.utf8))
      #expect(piped.status == 2, "\(arguments): \(piped.errors)")
      #expect(
        piped.errors.contains("'out.webp' is the path of one output") || piped.text.contains("of one output"))
      #expect(command.read("out.webp") == nil, "\(arguments)")
    }
    #expect(try await command.run("run", "-o", "one.webp", "-", input: Data("a.png\n".utf8)).status == 0)
  }

  @Test("a template without fields hides no other mistake")
  func constantAndOthers() async throws {
    let lines = "a.png\nftp://example.com/b.png\na.png\n"
    try command.write(lines, to: "list.txt")
    for (arguments, input) in [(["run", "list.txt"], ""), (["pipe"], lines)] {
      let outcome = try await command.run(arguments: arguments + ["-o", "out.webp"], input: Data(input.utf8))
      #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains(":2:1: error: unsupported scheme 'ftp'"), "\(outcome.errors)")
      #expect(outcome.errors.contains("'out.webp' is the path of one output"), "\(outcome.errors)")
    }
  }

  @Test("one record with its own path and a template without fields is answered before the next one comes")
  func ownPath() async throws {
    let process = command.process(["pipe", "--input", "ndjson", "-o", "out.webp"])
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (
      input, output, FileHandle.nullDevice
    )
    try process.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data((#"{"source": "a.png", "output": "own.webp"}"# + "\n").utf8))
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "own.webp\n")
    try input.fileHandleForWriting.close()
    await process.ended()
    #expect(process.terminationStatus == 0)
  }

  @Test(
    "a quality that the format lacks is an error before the first line, unless lines choose their formats")
  func quality() async throws {
    for arguments in [["pipe", "-o", "{name}.png"], ["pipe", "-o", "{name}", "--format", "png"]] {
      let outcome = try await command.run(arguments + ["--quality", "50"], input: Data("a.png\n".utf8))
      #expect(outcome.status == 2 && outcome.errors.contains("png has no quality: leave out --quality"))
    }
    for (header, status) in [("source", Int32(2)), ("source,output", 0)] {
      try command.write(header + "\na.png" + (status == 0 ? ",c.png" : "") + "\n", to: "t.csv")
      let outcome = try await command.run("run", "--quality", "50", "-o", "{name}-x.png", "t.csv")
      #expect(outcome.status == status, "\(header): \(outcome.errors)")
    }
  }

  @Test("a check annotates them in a workflow")
  func annotations() async throws {
    try command.write("a.png\nftp://example.com/b.png\n", to: "list.txt")
    let outcome = try await command.run(
      "run", "--check", "-o", "{name}.webp", "list.txt", environment: ["GITHUB_ACTIONS": "true"])
    #expect(outcome.errors.contains("::error file=list.txt,line=2,"), "\(outcome.errors)")
  }
}
