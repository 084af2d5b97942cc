import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What a signal does to commands that run no batch.
@Suite("A signal", .timeLimit(.minutes(8)))
struct SignalTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// The files and directories in the cache's `tmp`.
  private var temporaries: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: command.directory + "/cache/tmp")) ?? []
  }

  /// Starts a command whose standard input stays open and says nothing.
  private func start(_ arguments: [String]) throws -> (Process, Pipe) {
    let process = command.process(arguments)
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.restoreSignals()
    try process.run()
    return (process, input)
  }

  /// Sends a signal, and checks that the process ends with its status, soon, and leaves nothing.
  private func stop(_ process: Process, with signal: Int32) async {
    let start = ContinuousClock.now
    kill(process.processIdentifier, signal)
    await process.ended()
    // A second, on a machine that is busy with other tests.
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
    #expect(temporaries == [])
    #expect(!command.files.contains { $0.hasPrefix("out") }, "\(command.files)")
  }

  @Test(
    "ends a command that waits for a server", arguments: [SIGHUP, SIGINT, SIGTERM],
    ["convert URL out.png", "inspect URL URL?2", "fetch URL URL?2", "fetch --output out.png URL"])
  func server(signal: Int32, line: String) async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in Page(Array("late".utf8), type: "image/png", gate: gate) }
    defer { gate.open() }
    let words = line.split(separator: " ").map { String($0).replacing("URL", with: server.url("/a.png")) }
    let (process, _) = try start(
      words + ["--allow-net", "loopback"] + CommandRun.patient)
    while gate.arrivals < 1 { try await Task.sleep(for: .milliseconds(5)) }
    await stop(process, with: signal)
  }

  @Test(
    "ends a command that waits for standard input", arguments: [SIGHUP, SIGINT, SIGTERM],
    ["convert - out.png", "inspect -", "plan -"])
  func standardInput(signal: Int32, line: String) async throws {
    let (process, input) = try start(line.split(separator: " ").map(String.init))
    try await CommandRun.untilIdle(process)
    await stop(process, with: signal)
    try input.fileHandleForWriting.close()
  }

  @Test("ends a conversion that renders, and leaves no part of its output")
  func rendering() async throws {
    try command.write(PNGImage.bytes(width: 64, height: 48), to: "in.png")
    let (process, _) = try start(["convert", "in.png", "-f", "scale:9000x9000,blur:40,blur:41", "out.png"])
    // A temporary file is named when the rendering begins.
    while process.isRunning, temporaries.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    await stop(process, with: SIGINT)
  }

  @Test("that comes twice ends the command at once, and leaves nothing")
  func second() async throws {
    let (process, input) = try start(["convert", "-", "out.png"])
    try await CommandRun.untilIdle(process)
    kill(process.processIdentifier, SIGINT)
    await stop(process, with: SIGINT)
    try input.fileHandleForWriting.close()
  }

  @Test(
    "that comes twice ends a batch at once, and leaves nothing", arguments: [SIGHUP, SIGINT, SIGTERM],
    ["pipe -o out-{name}.png", "convert -o out-{name}.png"])
  func secondToBatch(signal: Int32, line: String) async throws {
    try command.write(PNGImage.bytes(width: 64, height: 48), to: "in.png")
    let words = line.split(separator: " ").map(String.init)
    let (process, input) = try start(words + ["-f", "scale:9000x9000,blur:40,blur:41", "in.png"])
    while process.isRunning, temporaries.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    kill(process.processIdentifier, signal)
    await stop(process, with: signal)
    try input.fileHandleForWriting.close()
  }
}
