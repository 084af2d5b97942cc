import Foundation
import LoopbackServer
import Synchronization
import Testing

@Suite("Responses that are served stale while they are validated", .timeLimit(.minutes(8)))
struct BackgroundValidationTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// An image of this width that is always stale, and may be served so.
  private static func page(width: Int) -> Page {
    Page(
      PNGImage.bytes(width: width, height: 20), type: "image/png",
      fields: [("Cache-Control", "max-age=10, stale-while-revalidate=600"), ("Age", "100")])
  }

  @Test(
    "are validated before the command ends, so that the next one has the new response",
    arguments: ["fetch", "pipe"])
  func next(subcommand: String) async throws {
    let width = Mutex(20)
    let server = try LoopbackServer { _ in Self.page(width: width.withLock(\.self)) }
    defer { server.stop() }
    func received() async throws -> Int? {
      let url = server.url("/a.png")
      let words =
        subcommand == "fetch"
        ? ["fetch", "--output", "out.png", url] : ["pipe", "-o", "out.png", url]
      let outcome = try await command.run(arguments: words + ["--allow-net", "loopback"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      return command.read("out.png").flatMap { PNGImage.size(of: $0) }?.width
    }
    #expect(try await received() == 20)
    width.withLock { $0 = 30 }
    #expect(try await received() == 20)
    #expect(server.requests.count == 2)
    #expect(try await received() == 30)
    #expect(server.requests.count == 3)
  }

  @Test("end with the command where the origin doesn't answer")
  func silence() async throws {
    let isSilent = Mutex(false)
    let gate = Gate()
    let server = try LoopbackServer { _ in
      if isSilent.withLock(\.self) { gate.wait() }
      return Self.page(width: 20)
    }
    defer { server.stop() }
    defer { gate.open() }
    let words = ["fetch", "--allow-net", "loopback", "--output", "out.png", server.url("/a.png")]
    #expect(try await command.run(arguments: words).status == 0)
    isSilent.withLock { $0 = true }
    // The origin is silent for minutes.
    let outcome = try await command.run(arguments: words)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(server.requests.count == 2)
  }

  @Test("leave the result as it is when a signal ends the wait for them")
  func signal() async throws {
    let isSilent = Mutex(false)
    let (asked, gate) = (Gate(), Gate())
    let server = try LoopbackServer { _ in
      if isSilent.withLock(\.self) {
        asked.open()
        gate.wait()
      }
      return Self.page(width: 20)
    }
    defer { server.stop() }
    defer { gate.open() }
    let url = server.url("/a.png")
    let words = [
      "pipe", "--progress", "none", "--allow-net", "loopback", "--report", "r.json", "-o", "out.png", url,
    ]
    #expect(try await command.run(arguments: words).status == 0)
    isSilent.withLock { $0 = true }
    try FileManager.default.removeItem(atPath: command.work + "/out.png")
    try FileManager.default.removeItem(atPath: command.work + "/r.json")
    let process = command.process(words)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    await asked.passed()
    while process.isRunning, command.read("out.png") == nil { try await Task.sleep(for: .milliseconds(5)) }
    let sent = ContinuousClock.now
    process.interrupt()
    await process.ended()
    #expect(ContinuousClock.now - sent < .seconds(4))
    // The signal may come before the run has ended, or after.
    #expect([0, 130].contains(process.terminationStatus))
    #expect(command.read("out.png") != nil && command.read("r.json") != nil)
  }
}
