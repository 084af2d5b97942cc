import Foundation
import LoopbackServer
import Testing

/// The cache of a command with `--no-cache`, a directory under `$TMPDIR`.
@Suite("A temporary cache", .timeLimit(.minutes(8)))
struct TemporaryCacheTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: a.png, output: b.webp}]\n", to: "m.yaml")
  }

  private var temporary: String { command.directory + "/temporary" }
  private var environment: [String: String] { ["TMPDIR": temporary] }

  private func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: temporary) }

  @Test(
    "is gone when the command has ended, well or not",
    arguments: [
      "convert a.png b.webp", "convert none.png b.webp", "run m.yaml", "plan m.yaml", "inspect a.png",
      "pipe -o {name}.webp a.png", "pipe -o {name}.webp none.png", "fetch --offline http://a.example/a.png",
    ])
  func ended(line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    try await command.run([words[0], "--no-cache"] + words.dropFirst(), environment: environment)
    #expect(try left().isEmpty)
  }

  @Test("is gone after a signal too", arguments: [SIGINT, SIGTERM])
  func stopped(signal: Int32) async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in Page(Array("late".utf8), type: "text/plain", gate: gate) }
    defer { gate.open() }
    let process = command.process(
      ["pipe", "--no-cache", "--allow-net", "loopback", "-o", "{name}.webp", server.url("/a.png")]
        + CommandRun.patient, environment: environment)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.restoreSignals()
    try process.run()
    while gate.arrivals < 1 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try !left().isEmpty)
    kill(process.processIdentifier, signal)
    await process.ended()
    #expect(process.terminationStatus == 128 + signal)
    #expect(try left().isEmpty)
  }

  @Test("where it can't be made, the advice is to set TMPDIR, and helps", arguments: ["/nowhere", "a.png"])
  func missing(place: String) async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    let words = ["pipe", "--no-cache", "-o", "{name}.webp", "a.png"]
    let outcome = try await command.run(
      words, environment: ["TMPDIR": place == "a.png" ? command.work + "/a.png" : place])
    #expect(
      outcome.status == 1 && outcome.errors.contains("; set TMPDIR to a writable directory"),
      "\(outcome.errors)")
    #expect(!outcome.errors.contains("--no-cache"), "\(outcome.errors)")
    #expect(try await command.run(words, environment: ["TMPDIR": command.work]).status == 0)
  }

  @Test("a limit of file sizes or of open files isn't blamed on the index or on the directory")
  func limits() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    #expect(try await command.run("pipe", "-o", "{name}.webp", "a.png").status == 0)
    for (limit, command, words) in [
      ("-f 1", "pipe -o '{name}.jpg' a.png", "'ulimit -f'"), ("-n 6", "cache stats", "ulimit -n"),
      ("-n 12", "pipe -o '{name}.jpg' a.png", "ulimit -n"),
    ] {
      let outcome = try await self.command.run(
        ["-c", "ulimit \(limit); '\(CommandRun.executable)' \(command)"], executable: "/bin/bash")
      #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome.errors)")
      #expect(!outcome.errors.contains("remove it"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("choose another directory"), "\(outcome.errors)")
    }
  }
}
