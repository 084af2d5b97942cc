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
}
