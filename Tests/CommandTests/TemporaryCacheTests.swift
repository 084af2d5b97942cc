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
    try process.run()
    while gate.arrivals < 1 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try !left().isEmpty)
    kill(process.processIdentifier, signal)
    await process.ended()
    #expect(process.terminationStatus == 128 + signal)
    #expect(try left().isEmpty)
  }
}
