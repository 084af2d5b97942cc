import ArgumentParser
import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import imagemill

/// What a signal does to each of the commands, wherever it meets them.
@Suite("A signal to any command", .timeLimit(.minutes(8)))
struct CommandSignalTests {
  private let command: CommandRun

  /// Makes what the lines work on: an image, a manifest, its output and report, and a cache.
  init() async throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 64, height: 48), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: out/a.webp}]\n", to: "m.yaml")
    try FileManager.default.createDirectory(
      atPath: command.work + "/man", withIntermediateDirectories: true)
    let made = try await command.run("run", "m.yaml", "--report", "r.ndjson")
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Lines that print something.
  static let printing = [
    "plan m.yaml", "inspect a.png", "filters", "formats",
    "config", "cache path", "cache stats", "cache list", "cache explain out/a.webp", "cache limit",
    "cache verify", "cache purge --to 0", "schema", "completions bash", "doctor", "help",
  ]

  /// Lines that print what was made, also after a signal.
  static let reporting = [
    "run --force m.yaml", "pipe -f circle -o new/{name}.webp a.png", "pipe --json -o new/{name}.webp a.png",
    "run --force m.yaml --progress bar", "run --force m.yaml --events -",
    "convert --verbose a.png -f circle -o new/{name}.webp",
  ]

  /// Lines that print nothing, or wait for a server (`SignalTests`).
  static let others = [
    "convert a.png -f circle new.webp", "fetch http://127.0.0.1:9/a.png", "ls s3://photos", "validate m.yaml",
    "init",
    "report merge r.ndjson -o all.ndjson", "manuals man", "cache clear",
  ]

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  /// The words of each command, with those of its subcommands.
  private static func paths(
    of type: any ParsableCommand.Type, _ path: [String]
  ) -> [[String]] {
    let subcommands = type.configuration.subcommands
    guard !subcommands.isEmpty else { return [path] }
    return subcommands.flatMap { paths(of: $0, path + [$0._commandName]) }
  }

  @Test("is tried with every command")
  func completeness() {
    let tried = (Self.printing + Self.reporting + Self.others).map(words)
    for path in Self.paths(of: Imagemill.self, []) {
      #expect(tried.contains { $0.starts(with: path) }, "\(path.joined(separator: " "))")
    }
  }

  /// A pipe that has no room, so that whoever writes to it waits.
  private func fullPipe() throws -> Pipe {
    let pipe = Pipe()
    let end = pipe.fileHandleForWriting.fileDescriptor
    let flags = fcntl(end, F_GETFL)
    try #require(fcntl(end, F_SETFL, flags | O_NONBLOCK) == 0)
    let bytes = [UInt8](repeating: 0, count: 1 << 12)
    while write(end, bytes, bytes.count) > 0 {}
    // The process's end is this one.
    try #require(errno == EAGAIN && fcntl(end, F_SETFL, flags) == 0)
    return pipe
  }

  private func start(_ line: String, output: Pipe? = nil) throws -> Process {
    let process = command.process(words(line))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = output ?? FileHandle.nullDevice
    process.restoreSignals()
    try process.run()
    return process
  }

  /// Checks that nothing is left of a command: no temporary file, no part of an output, no damage.
  private func checkRemains(of line: String) async throws {
    let temporaries = try? FileManager.default.contentsOfDirectory(atPath: command.directory + "/cache/tmp")
    #expect((temporaries ?? []) == [], "\(line)")
    #expect(!command.files.contains { $0.split(separator: "/").last?.first == "." }, "\(command.files)")
    let images = command.files.filter { $0.hasSuffix(".webp") }
    #expect(try await command.run(arguments: ["inspect"] + images).status == 0, "\(line)")
    #expect(try await command.run("cache", "verify").status == 0, "\(line)")
  }

  @Test(
    "ends one whose reader has stopped reading, with the status that names it",
    arguments: printing + reporting,
    [SIGHUP, SIGINT, SIGTERM])
  func fullOutput(line: String, signal: Int32) async throws {
    let pipe = try fullPipe()
    let process = try start(line, output: pipe)
    try await CommandRun.untilIdle(process)
    let start = ContinuousClock.now
    kill(process.processIdentifier, signal)
    await process.ended()
    #expect(ContinuousClock.now - start < .seconds(10), "\(line)")
    #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal, "\(line)")
    try await checkRemains(of: line)
  }

  // The first event is written before anything is started, and then a signal ends the process at once.
  @Test(
    "leaves the report complete when the reader has stopped reading",
    arguments: reporting.filter { !$0.hasPrefix("convert") && !$0.contains("--events") })
  func reports(line: String) async throws {
    let pipe = try fullPipe()
    let process = try start(line + " --report all.json", output: pipe)
    try await CommandRun.untilIdle(process)
    kill(process.processIdentifier, SIGTERM)
    await process.ended()
    #expect(process.terminationReason == .exit && process.terminationStatus == 128 + SIGTERM, "\(line)")
    // Whatever was cut off wouldn't be JSON.
    let bytes = try Data(contentsOf: URL(filePath: command.work + "/all.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any], "\(line)")
    #expect(report["summary"] != nil && (report["outputs"] as? [Any])?.count == 1, "\(line): \(report)")
  }

  @Test(
    "at any moment ends it or comes too late, and leaves nothing", arguments: printing + reporting + others)
  func anyMoment(line: String) async throws {
    var chance = SeededRandom(seed: SeededRandom.seed)
    for most in [1, 10, 30, 100, 300] {
      let signal = [SIGHUP, SIGINT, SIGTERM][Int.random(in: 0..<3, using: &chance)]
      let process = try start(line)
      try await Task.sleep(for: .microseconds(Int.random(in: 0...most * 1000, using: &chance)))
      kill(process.processIdentifier, signal)
      await process.ended()
      // Before its first instruction, a program has no say.
      let isNamed =
        process.terminationReason == .exit
        ? process.terminationStatus == 128 + signal : process.terminationStatus == signal
      // 75: the server or the network failed before the signal came.
      let isComplete =
        process.terminationReason == .exit && [0, 1, 2, 75].contains(process.terminationStatus)
      #expect(isNamed || isComplete, "\(line): \(process.terminationReason) \(process.terminationStatus)")
      try await checkRemains(of: line)
    }
  }
}
