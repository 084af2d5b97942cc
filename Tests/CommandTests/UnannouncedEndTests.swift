import Foundation
import LoopbackServer
import Testing

@Suite("Bodies that end with the connection", .timeLimit(.minutes(8)))
struct UnannouncedEndTests {
  private let command: CommandRun
  private let image = PNGImage.bytes(width: 40, height: 30)

  init() throws { command = try CommandRun() }

  private func page(_ body: [UInt8]) -> Page {
    Page(body, type: "image/png", fields: [("Cache-Control", "max-age=1000")], framing: .close)
  }

  /// Runs a command on a URL, through a list on standard input or a manifest where the command reads one.
  private func run(_ name: String, _ url: String) async throws -> CommandRun.Outcome {
    switch name {
    case "pipe":
      return try await command.run(
        "pipe", "-f", "fill:8x8", "-o", "p.png", "--allow-net", "loopback", input: Data("\(url)\n".utf8))
    case "run":
      try command.write(
        "imagemill: 1\njobs:\n- {source: '\(url)', filter: 'fill:8x8', output: r.png}\n", to: "m.yaml")
      return try await command.run("run", "m.yaml", "--allow-net", "loopback")
    case "convert":
      return try await command.run("convert", url, "c.png", "--allow-net", "loopback")
    default: return try await command.run("inspect", url, "--allow-net", "loopback")
    }
  }

  @Test("a whole one is cached once it was decoded", arguments: ["pipe", "run", "convert", "inspect"])
  func whole(name: String) async throws {
    let server = try LoopbackServer { [self] _ in page(image) }
    defer { server.stop() }
    for _ in 0..<3 {
      let outcome = try await run(name, server.url("/a.png"))
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(server.requests.count == 1)
  }

  @Test("one that lost its end isn't cached", arguments: ["pipe", "convert", "inspect"])
  func cut(name: String) async throws {
    let server = try LoopbackServer { [self] _ in page(Array(image.dropLast(14))) }
    defer { server.stop() }
    for _ in 0..<2 { _ = try await run(name, server.url("/a.png")) }
    #expect(server.requests.count == 2)
  }

  @Test("fetch doesn't cache one: no decoder has read it")
  func fetched() async throws {
    let server = try LoopbackServer { [self] _ in page(Array(image.prefix(60))) }
    defer { server.stop() }
    for _ in 0..<2 {
      let outcome = try await command.run("fetch", server.url("/a.png"), "--allow-net", "loopback")
      #expect(outcome.lines == ["200 miss 60 \(server.url("/a.png"))"])
    }
    #expect(server.requests.count == 2)
  }
}
