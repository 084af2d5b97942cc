import Foundation
import LoopbackServer
import Testing

@Suite("operands", .timeLimit(.minutes(8)))
struct OperandTests {
  private static func server() throws -> LoopbackServer {
    try LoopbackServer { request in Page(Array(request.path.utf8), type: "text/plain") }
  }

  @Test(
    "stand before, between and behind options, whose values they never are",
    arguments: [
      ["a", "b", "c", "d", "--allow-net", "loopback", "--quiet"],
      ["--allow-net", "loopback", "a", "b", "c", "d"],
      ["a", "b", "--allow-net", "loopback", "c", "d"],
      ["a", "--allow-net=loopback", "b", "c", "--json", "d"],
      ["a", "--allow-net", "loopback", "--", "b", "c", "d"],
      ["--allow-net", "loopback", "--", "a", "b", "c", "d"],
    ])
  func places(_ words: [String]) async throws {
    let server = try Self.server()
    defer { server.stop() }
    let command = try CommandRun()
    let arguments = words.map { $0.utf8.count == 1 ? server.url("/\($0)") : $0 }
    let outcome = try await command.run(arguments: ["fetch"] + arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(server.requests.map(\.path).sorted() == ["/a", "/b", "/c", "/d"])
  }

  @Test("are read in their order, empty ones and all, and a wrong one is named")
  func order() async throws {
    let command = try CommandRun()
    let outcome = try await command.run(arguments: [
      "inspect", "a.png", "b.png", "-", "c.png", "", "d.png",
    ])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("the source is empty"), "\(outcome.errors)")
    let many = (0..<5000).map { "missing-\($0).png" }
    let missing = try await command.run(arguments: ["inspect"] + many)
    #expect(missing.status == 1)
    let lines = missing.errors.split(separator: "\n")
    #expect(lines.count == many.count)
    for (line, name) in zip(lines, many) where !line.contains(name) {
      Issue.record("\(name) is not in \(line)")
      break
    }
  }

  @Test("an option that isn't there is complained of by its name, however many operands there are")
  func unknownOption() async throws {
    let command = try CommandRun()
    let outcome = try await command.run(arguments: [
      "fetch", "http://a/", "http://b/", "http://c/", "--quite",
    ])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--quite"))
    #expect(!outcome.errors.contains("\0"))
  }
}
