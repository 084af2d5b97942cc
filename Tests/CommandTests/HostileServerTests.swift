import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("servers that mean harm", .timeLimit(.minutes(8)))
struct HostileServerTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// Whether the command has ended by itself: a signal's number would be its status.
  private static func hasExited(_ outcome: CommandRun.Outcome) -> Bool {
    [0, 1, 75].contains(outcome.status)
  }

  @Test("a response whose first field line is a fold, after an ordinary one, harms nothing")
  func firstLineFolded() async throws {
    let answer = "HTTP/1.1 200 OK\r\n fol:ded\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\nabc"
    let server = try LoopbackServer { request in
      request.path.hasSuffix("2") ? Page(Array(answer.utf8), framing: .raw) : Page(text: "plain")
    }
    defer { server.stop() }
    let urls = (0..<20).flatMap { [server.url("/\($0)/1"), server.url("/\($0)/2")] }
    for _ in 0..<3 {
      let outcome = try await command.run(
        arguments: ["fetch", "--no-cache", "-d", "1", "--allow-net", "loopback", "--retries", "0"] + urls)
      // libcurl has no field that the fold could belong to.
      #expect(outcome.status == 1, "\(outcome.status) \(outcome.errors)")
      #expect(outcome.lines.count == 20, "\(outcome.text)")
      let complaints = outcome.errors.split(separator: "\n")
      #expect(complaints.count == 20 && complaints.allSatisfy { $0.contains("header") }, "\(outcome.errors)")
    }
  }

  @Test("an error about a redirect names the scheme and host of the location, and nothing else of it")
  func redirects() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/ftp": .redirect(to: "ftp://alice:SECRET1@files.example/SECRET2?token=SECRET3")
      case "/data": .redirect(to: "data:image/png;base64,SECRET4")
      default: .redirect(to: "/loop?token=SECRET5")
      }
    }
    defer { server.stop() }
    for (path, said) in [
      ("/ftp", "not an http or https URL: ftp://files.example"), ("/data", "not an http or https URL: data:"),
      ("/loop", "more than 10 redirects, the last one to \(server.url(""));"),
    ] {
      let outcome = try await command.run("convert", server.url(path), "a.png")
      #expect(outcome.status == 1 && outcome.errors.contains(said), "\(outcome.errors)")
      #expect(!outcome.errors.contains("SECRET"), "\(outcome.errors)")
    }
  }

  /// `IMAGEMILL_FUZZ_REQUESTS` asks for another number (before a release: 60,000), `IMAGEMILL_TEST_SEED` for the
  /// responses of an earlier run.
  private static let requests = number("IMAGEMILL_FUZZ_REQUESTS") ?? 6000
  private static let seed = SeededRandom.seed

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test("no bent response ends the process")
  func bentResponses() async throws {
    print("fuzz seed: \(Self.seed)")
    let answers = BentAnswers(seed: Self.seed)
    let server = try LoopbackServer { answers.page(for: $0.path) }
    defer { server.stop() }
    let perRun: UInt64 = 500
    for run in 0..<max(1, Self.requests / perRun) {
      let urls = (0..<perRun).map { server.url("/\(run)/\($0)") }
      let outcome = try await command.run(
        arguments: [
          "fetch", "--no-cache", "--allow-net", "loopback", "--retries", "0", "--per-host", "32", "-u", "a:b",
          "--timeout", "60s", "--stall-timeout", "60s",
        ] + urls)
      let place = "seed \(Self.seed), run \(run)"
      #expect(Self.hasExited(outcome), "\(place): status \(outcome.status)")
      // Each URL is answered for: in a line of output, or in a complaint.
      let told = outcome.lines.count + outcome.errors.split(separator: "\n").count
      #expect(told >= Int(perRun), "\(place): \(told)")
    }
    #expect(server.requests.count >= Int(perRun))
  }
}
