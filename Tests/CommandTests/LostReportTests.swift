import Foundation
import Glibc
import LoopbackServer
import Testing

/// A report that can't be written is a failure, and loses nothing else.
@Suite("A report that can't be written", .timeLimit(.minutes(8)))
struct LostReportTests {
  private let command: CommandRun

  private static let olderLock = "{\"imagemill-lock\" : 2, \"sources\" : {}}"

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: made.webp}]\n", to: "m.yaml")
  }

  /// Runs the command with standard output on a full disk.
  private func run(_ line: String) async throws -> CommandRun.Outcome {
    try await command.run(
      ["-c", "'\(CommandRun.executable)' \(line) > /dev/full < /dev/null"], executable: "/bin/bash")
  }

  /// Reports that are written at the end: events that can't be written stop the run before.
  static let reports = ["--report -", "--emit json=-", "--metrics -"]

  @Test("leaves the lock file to be written, and every output in place", arguments: reports)
  func lock(report: String) async throws {
    let outcome = try await run("run -q \(report) --lock l.lock m.yaml")
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("imagemill: can't write"), "\(outcome.errors)")
    #expect(try await command.run("run", "--check", "--lock", "l.lock", "m.yaml").status == 0)
  }

  @Test("is told beside a source that isn't the locked one", arguments: reports)
  func frozen(report: String) async throws {
    #expect(try await command.run("run", "--lock", "l.lock", "m.yaml").status == 0)
    try command.write(PNGImage.bytes(width: 9, height: 6), to: "a.png")
    let outcome = try await run("run -q \(report) --lock l.lock --frozen m.yaml")
    #expect(outcome.status == 3, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("a.png") && outcome.errors.contains("imagemill: can't write"),
      "\(outcome.errors)")
  }

  @Test(
    "that stops the run leaves an existing lock as it is, and so do too many failures and a reader that leaves",
    arguments: [
      ("--events - m.yaml > /dev/full", 1), ("--events - m.yaml | (exec true); exit ${PIPESTATUS[0]}", 0),
      ("--fail-fast -j 1 -d 1 bad.yaml", 1),
    ])
  func cutShort(line: String, status: Int32) async throws {
    try command.write(Self.olderLock, to: "l.lock")
    // More than are started at once.
    let jobs = (0..<3000).map { "{source: ./none\($0).png, output: \($0).webp}" }.joined(separator: ", ")
    try command.write("imagemill: 1\njobs: [\(jobs)]\n", to: "bad.yaml")
    let many = (0..<2000).map { "{source: ./a.png, output: many/\($0).webp}" }.joined(separator: ", ")
    try command.write("imagemill: 1\njobs: [\(many)]\n", to: "m.yaml")
    let outcome = try await command.run(
      ["-c", "'\(CommandRun.executable)' run -q --lock l.lock \(line)"], executable: "/bin/bash")
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(command.read("l.lock") == Data(Self.olderLock.utf8))
    #expect(outcome.errors.contains("the lock file l.lock is not written"), "\(outcome.errors)")
  }

  @Test("is named on a line of its own for each file")
  func names() async throws {
    let outcome = try await run("run -q --report - --events /dev/full m.yaml")
    #expect(outcome.status == 1)
    let lines = outcome.errors.split(separator: "\n")
    #expect(
      lines.count == 2 && lines.allSatisfy { $0.hasPrefix("imagemill: can't write ") }, "\(outcome.errors)")
  }

  @Test(
    "leaves the status of the signal that stopped the run, and an existing lock",
    arguments: [SIGHUP, SIGINT, SIGTERM])
  func signal(number: Int32) async throws {
    let gate = Gate()
    let image = PNGImage.bytes(width: 8, height: 6)
    let server = try LoopbackServer { _ in Page(image, type: "image/png", gate: gate) }
    defer { gate.open() }
    try command.write(Self.olderLock, to: "l.lock")
    try command.write(
      "imagemill: 1\njobs: [{source: ./a.png, output: made.webp}, {source: \"\(server.url("/late"))\", output: b.webp}]\n",
      to: "slow.yaml")
    let process = command.process(
      ["run", "-q", "--allow-net", "loopback", "--report", "-", "--lock", "l.lock", "slow.yaml"]
        + CommandRun.patient)
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    process.standardError = FileHandle.nullDevice
    process.restoreSignals()
    try process.run()
    while process.isRunning, gate.arrivals < 1 { try await Task.sleep(for: .milliseconds(5)) }
    kill(process.processIdentifier, number)
    await process.ended()
    #expect(process.terminationStatus == 128 + number)
    #expect(command.read("l.lock") == Data(Self.olderLock.utf8))
  }

  @Test("does not make failures lasting that may pass, and neither does a reader that leaves")
  func temporary() async throws {
    let server = try LoopbackServer { _ in Page(status: 503) }
    defer { server.stop() }
    let line =
      "'\(CommandRun.executable)' pipe -q --json --retries 0 --allow-net loopback -o '{name}.webp' \(server.url("/busy"))"
    let outcome = try await command.run(
      ["-c", "\(line) | (exec true); exit ${PIPESTATUS[0]}"], executable: "/bin/bash")
    #expect(outcome.status == 75, "\(outcome.errors)")
  }
}
