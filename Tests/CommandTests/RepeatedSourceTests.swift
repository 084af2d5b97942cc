import Foundation
import LoopbackServer
import Testing

@Suite("A source that lines name again", .timeLimit(.minutes(8)))
struct RepeatedSourceTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// Gives a `pipe` three lines with one URL, each after the result of the one before.
  private func runLines(_ url: String, _ options: [String] = []) async throws {
    let process = command.process(
      [
        "pipe", "--json", "--retries", "0", "--progress", "none", "-o", "{index}.png", "--allow-net",
        "loopback",
      ] + options)
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    for _ in 0..<3 {
      try input.fileHandleForWriting.write(contentsOf: Data("\(url)\n".utf8))
      #expect(!output.fileHandleForReading.availableData.isEmpty)
    }
    try input.fileHandleForWriting.close()
    await process.ended()
  }

  private func page(_ fields: [(String, String)], status: Int = 200) -> Page {
    Page(PNGImage.bytes(width: 20, height: 20), type: "image/png", status: status, fields: fields)
  }

  @Test(
    "is requested once in a run, and validated once in the next one, although no response stays fresh",
    arguments: [[], [("ETag", "\"1\"")], [("Cache-Control", "no-cache")], [("Cache-Control", "max-age=0")]])
  func once(fields: [(String, String)]) async throws {
    let page = page(fields)
    let server = try LoopbackServer { _ in page }
    defer { server.stop() }
    for run in 1...3 {
      try await runLines(server.url("/a.png"), run == 3 ? ["--refresh"] : [])
      #expect(server.requests.count == run)
      #expect(command.files == ["1.png", "2.png", "3.png"])
    }
  }

  @Test("is requested again after an error", arguments: [503, 404])
  func errors(status: Int) async throws {
    let page = page([], status: status)
    let server = try LoopbackServer { _ in page }
    defer { server.stop() }
    try await runLines(server.url("/a.png"))
    #expect(server.requests.count == 3)
    #expect(command.files.isEmpty)
  }

  @Test(
    "is found by its redirect again, unless that is permanent",
    arguments: [(301, 1), (302, 3), (303, 3), (307, 3), (308, 1)])
  func redirects(status: Int, requests: Int) async throws {
    let image = page([])
    let server = try LoopbackServer { request in
      request.path == "/a.png" ? image : .redirect(to: "/a.png", status: status)
    }
    defer { server.stop() }
    try await runLines(server.url("/from"))
    #expect(server.count(of: "/from") == requests && server.count(of: "/a.png") == 1)
    #expect(command.files == ["1.png", "2.png", "3.png"])
  }
}
