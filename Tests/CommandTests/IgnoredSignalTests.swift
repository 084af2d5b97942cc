import Foundation
import Glibc
import LoopbackServer
import Testing

/// Signals that were ignored when the command started, as nohup(1) and a script's `&` do.
@Suite("An ignored signal", .timeLimit(.minutes(8)))
struct IgnoredSignalTests {
  @Test("changes nothing", arguments: [(SIGINT, "INT"), (SIGHUP, "HUP")])
  func ignored(signal: Int32, name: String) async throws {
    let command = try CommandRun()
    let gate = Gate()
    let image = PNGImage.bytes(width: 8, height: 6)
    let server = try LoopbackServer { _ in Page(image, type: "image/png", gate: gate) }
    defer { gate.open() }
    let process = command.process(
      ["--ignore-signal=\(name)", CommandRun.executable]
        + ["pipe", "-q", "--allow-net", "loopback", "-o", "out.webp", server.url("/a.png")]
        + CommandRun.patient)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    while process.isRunning, gate.arrivals < 1 { try await Task.sleep(for: .milliseconds(5)) }
    for _ in 0..<2 { kill(process.processIdentifier, signal) }
    try await Task.sleep(for: .milliseconds(100))
    #expect(process.isRunning)
    gate.open()
    await process.ended()
    #expect(process.terminationStatus == 0)
    #expect(command.files == ["out.webp"])
  }
}
