import Foundation
import LoopbackServer
import Testing

@testable import imagemill

/// EXIT STATUS of each page is that command's own.
@Suite("The manuals' exit statuses", .timeLimit(.minutes(8)))
struct ExitStatusPageTests {
  /// EXIT STATUS of a page: the statuses, each with its meaning.
  private static func section(of name: String) throws -> [Int32: String] {
    let page = try #require(try ManualsCommand.pages().first { $0.0 == "imagemill-\(name).1" }).1
    let lines = page.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex(of: ".Sh EXIT STATUS"))
    var result: [Int32: String] = [:]
    var status: Int32?
    for line in lines[(start + 1)...] {
      if line.hasPrefix(".Sh ") || line == ".El" { break }
      if line.hasPrefix(".It ") {
        status = Int32(line.dropFirst(4))
      } else if let status {
        result[status, default: ""] += line + " "
      }
    }
    return result
  }

  /// Command lines in the shell's words, each with its status. SERVER stands for a server's address.
  static let measured: [(line: String, status: Int32)] = [
    ("run m.yaml", 0), ("run bad.yaml", 1), ("run none.yaml", 2), ("run --check m.yaml", 3),
    ("run --check bad.yaml", 1), ("run --check --refresh --allow-net loopback --retries 0 busy.yaml", 75),
    ("run --allow-net loopback --retries 0 busy.yaml", 75), ("run -q --report - m.yaml > /dev/full", 1),
    ("pipe -o '{name}.webp' a.png", 0), ("pipe -o '{name}.webp' none.png", 1), ("pipe -o '{nmae}' a.png", 2),
    ("pipe --allow-net loopback --retries 0 -o '{name}.webp' SERVER/busy", 75),
    ("convert a.png b.webp", 0), ("convert none.png b.webp", 1), ("convert a.png", 2),
    ("convert --retries 0 SERVER/busy b.webp", 75),
    ("fetch SERVER/a", 0), ("fetch SERVER/none", 1), ("fetch --any-status SERVER/none", 0),
    ("fetch a.png", 2),
    ("fetch --retries 0 SERVER/busy", 75), ("ls --allow-net loopback --s3-endpoint SERVER s3://b", 0),
    ("ls --allow-net loopback --s3-endpoint SERVER s3://none", 1), ("ls a.png", 2),
    ("ls --retries 0 --allow-net loopback --s3-endpoint SERVER s3://busy", 75),
    ("plan m.yaml", 0), ("plan m.yaml > /dev/full", 1),
    ("plan none.yaml", 2), ("report merge r.ndjson -o all.html", 0),
    ("report merge r.ndjson -o - > /dev/full", 1), ("report merge m.yaml -o all.html", 2),
    ("pipe --failures-are-results --json -o '{name}.webp' none.png", 0), ("validate m.yaml", 0),
    ("validate wrong.yaml", 2), ("validate none.yaml", 2),
    ("init", 0), ("init -o - > /dev/full", 1), ("init -o m.yaml", 2), ("init --from none", 2),
    ("inspect a.png", 0), ("inspect none.png", 1), ("inspect", 2), ("inspect --retries 0 SERVER/busy", 75),
    ("filters", 0), ("filters > /dev/full", 1), ("filters nothing", 2), ("formats", 0),
    ("formats > /dev/full", 1),
    ("formats nothing", 2), ("config", 0), ("config > /dev/full", 1),
    ("config wrong.yaml", 2), ("cache stats", 0), ("cache explain none.png", 1), ("cache stats --nothing", 2),
    ("schema", 0), ("schema > /dev/full", 1), ("schema nothing", 2), ("completions bash", 0),
    ("completions bash > /dev/full", 1), ("completions tcsh", 2), ("doctor", 0), ("doctor > /dev/full", 1),
    ("doctor --nothing", 2), ("help run", 0), ("help run > /dev/full", 1), ("help nothing", 2),
  ]

  @Test("list what commands end with", arguments: measured.map(\.line))
  func ends(line: String) async throws {
    let command = try CommandRun()
    let image = PNGImage.bytes(width: 8, height: 6)
    let server = try LoopbackServer(pages: [
      "/a": Page(image, type: "image/png"), "/busy": Page(status: 503),
      "/b": Page(text: "<ListBucketResult></ListBucketResult>", type: "application/xml"),
    ])
    defer { server.stop() }
    try command.write(image, to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: made.webp}]\n", to: "m.yaml")
    try command.write("imagemill: 1\njobs: [{source: ./none.png, output: made.webp}]\n", to: "bad.yaml")
    try command.write("imagemill: 1\njobs: [{souce: ./a.png}]\n", to: "wrong.yaml")
    try command.write(
      #"{"version":1,"index":1,"source":"a.png","status":"kept","filter":"","format":"webp"}"#, to: "r.ndjson"
    )
    try command.write(
      "imagemill: 1\njobs: [{source: \"\(server.url("/busy"))\", output: made.webp}]\n", to: "busy.yaml")
    let text = line.replacing("SERVER", with: server.url(""))
    let outcome = try await command.run(
      ["-c", "'\(CommandRun.executable)' \(text) < /dev/null"], executable: "/bin/bash")
    let wanted = Self.measured.first { $0.line == line }?.status
    #expect(outcome.status == wanted, "\(outcome.errors)")
    let name = line.split(separator: " ")[0]
    #expect(try Self.section(of: String(name))[outcome.status] != nil)
  }

  @Test(
    "list nothing that no command line was found for, but signals and what a cache or a disk must fail for")
  func complete() throws {
    for name in ManualTests.commands {
      let signals = ExitStatus.allCases.filter(\.isSignal).map(\.rawValue)
      let listed = Set(try Self.section(of: name).keys).subtracting(signals)
      let found = Self.measured.filter { $0.line.split(separator: " ")[0] == name }.map(\.status)
      #expect(listed == Set(found), "\(name)")
    }
  }

  @Test("speak of jobs on the pages of commands that have jobs, and say what success is of each")
  func own() throws {
    var meanings: Set<String> = []
    for name in ManualTests.commands {
      let section = try Self.section(of: name)
      #expect(meanings.insert(try #require(section[0])).inserted, "\(name)")
      if name != "run" {
        #expect(!section.values.contains { $0.contains(" job") }, "\(name): \(section)")
      }
    }
  }
}
