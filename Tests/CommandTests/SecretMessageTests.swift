import Foundation
import LoopbackServer
import Testing

/// A password in a URL, wherever it is typed, appears in no message, report or file name.
@Suite("Passwords in messages", .timeLimit(.minutes(8)))
struct SecretMessageTests {
  private let command: CommandRun
  private static let marker = "HUNTER2"

  /// URLs whose user gives a password: right, without a server, wrong in their host, scheme, spelling or text.
  static let urls = [
    "http://u:HUNTER2@127.0.0.1:1/x.png", "http://u:HUNTER2@h h/x", "s3://u:HUNTER2@b/k.png",
    "ftp://u:HUNTER2@h/x", "https://u:HUNTER2@", "HTTP://u:HUNTER2@127.0.0.1:1/x.png?token=HUNTER2",
    "http:/u:HUNTER2@h/x.png", "file://u:HUNTER2@h/x.png",
    "http://u:SE/CRET-HUNTER2@h/x.png",
  ]

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: made.webp}]\n", to: "m.yaml")
  }

  /// The command lines of a URL. In chains, its colons are encoded.
  private static func lines(_ url: String) -> [[String]] {
    let encoded = url.replacing(":", with: "%3A")
    let chains = [
      "overlay:\(encoded)", "overlay:\(encoded):nowhere", "mask:\(encoded)", "overlay:\(url)", url,
      "text:a:\(url)",
    ]
    let converting = ["convert", "a.png", "o.png", "--retries", "0"]
    let values = [
      ["--source", "logo=\(url)", "-f", "overlay:logo"], ["--source", url],
      ["-H", "a: b", "--header-for", url],
      ["--cacert", url], ["--netrc-file", url], ["--profile", url], ["--allow-host", url],
      ["--deny-host", url],
      ["--allow-net", url], ["--timeout", url], ["--background", url], ["--format", url],
      ["--s3-endpoint", url],
    ]
    let running = ["run", "m.yaml"]
    let places = [
      ["--failed", url], ["--compare", url, "--report", "r.html"], ["--env", url], ["--shard", url],
      ["--remote-cache", url], ["--report", url], ["--emit", url],
    ]
    let operands = [
      ["convert", url, "o.png", "--retries", "0"], ["convert", url, "-o", "x-{name}.png", "--retries", "0"],
      ["convert", "a.png", "b.png", url],
      ["convert", "--proxy", url, "http://h.invalid/x", "o.png", "--retries", "0"],
      ["fetch", url, "--retries", "0"], ["inspect", url, "--retries", "0"],
      ["inspect", "--json", url, "--retries", "0"], ["ls", url], ["run", url], ["plan", url],
      ["validate", url],
      ["explain", url, "x"], ["init", "--from", url], ["init", url], ["init", "-o", url],
      ["report", "merge", url, "-o", "r.json"], ["pipe", "-o", "{name}.webp", url, "--retries", "0"],
      ["pipe", "--json", "-o", "{name}.webp", url, "--retries", "0"], ["help", url], [url], ["filters", url],
      ["formats", url], ["schema", url], ["completions", url],
    ]
    return operands + values.map { converting + $0 } + places.map { running + $0 }
      + chains.flatMap { chain in
        [
          converting + ["-f", chain], running + ["-f", chain],
          ["pipe", "--json", "-o", "p.webp", "-f", chain, "a.png", "--retries", "0"],
          ["pipe", "-o", "q.webp", "-f", chain, "a.png", "--retries", "0"],
        ]
      }
  }

  /// The names of all files and the contents of those that imagemill has written.
  private func leaks() throws -> [String] {
    let root = command.directory
    let paths = FileManager.default.enumerator(atPath: root)?.allObjects.compactMap { $0 as? String } ?? []
    return paths.filter { path in
      path.contains(Self.marker)
        || FileManager.default.contents(atPath: root + "/" + path)?.firstRange(of: Data(Self.marker.utf8))
          != nil
    }
  }

  @Test("of every command, in every place that takes a URL", arguments: urls)
  func everywhere(url: String) async throws {
    for line in Self.lines(url) {
      let outcome = try await command.run(arguments: line)
      #expect(!outcome.errors.contains(Self.marker), "\(line): \(outcome.errors)")
      #expect(!outcome.text.contains(Self.marker), "\(line): \(outcome.text)")
      #expect(try leaks().isEmpty, "\(line)")
    }
  }

  @Test("of a run, in the command that repeats it, in its reports, and on GitHub")
  func repeating() async throws {
    try command.write("imagemill: 1\njobs: [{source: ./none.png, output: made.webp}]\n", to: "bad.yaml")
    let chain = "overlay:http%3A//u%3AHUNTER2@127.0.0.1%3A1/x.png"
    let reports = ["r.json", "r.ndjson", "r.xml", "r.html"].flatMap { ["--report", $0] }
    let outcome = try await command.run(
      arguments: ["run", "-f", chain, "--retries", "0", "--events", "v", "bad.yaml"] + reports,
      environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": command.work + "/summary.md"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("-f 'overlay:http%3A//…@127.0.0.1%3A1/x.png'"), "\(outcome.errors)")
    #expect(!(outcome.errors + outcome.text).contains(Self.marker), "\(outcome.errors)\(outcome.text)")
    #expect(try leaks().isEmpty)
  }
}
