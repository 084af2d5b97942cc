import Foundation
import Testing

/// Manifests of a few bytes, or of a few thousand, that ask for more than any machine has.
@Suite("Manifests that stand for too much", .timeLimit(.minutes(8)))
struct ExpansionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let manifest: String
    let complaint: String

    init(_ name: String, filters: String = "", defaults: String = "", jobs: String, _ complaint: String) {
      testDescription = name
      manifest = "imagemill: 1\n\(filters)\(defaults)jobs:\n\(jobs)\n"
      self.complaint = complaint
    }
  }

  private static let numbers = (0..<100).map(String.init).joined(separator: ", ")
  private static let job = "  - {source: in.png, output: o.png, filter: c30}"

  static let cases: [Case] = [
    Case(
      "named chains that double at each step",
      filters: "filters:\n  c0: flip\n" + (1...30).map { "  c\($0): \"c\($0 - 1),c\($0 - 1)\"\n" }.joined(),
      jobs: job,
      "m.yaml:12:11: error: the chain has more than 256 filters"),
    Case(
      "named chains that double in lists",
      filters: "filters:\n  c0: flip\n" + (1...30).map { "  c\($0): [c\($0 - 1), c\($0 - 1)]\n" }.joined(),
      jobs: job,
      "m.yaml:12:7: error: the chain has more than 256 filters"),
    Case(
      "named chains that go deep, the last first",
      filters: "filters:\n" + (1...20_000).reversed().map { "  c\($0): c\($0 - 1)\n" }.joined()
        + "  c0: flip\n",
      jobs: job, "more than 64 deep"),
    Case(
      "named chains with much text",
      filters: "filters:\n  c0: \"text:\(String(repeating: "x", count: 16_000))\"\n"
        + (1...4).map { "  c\($0): \"c\($0 - 1),c\($0 - 1)\"\n" }.joined()
        + (0..<3_000).map { "  d\($0): c3\n" }.joined(), jobs: job, "take too much memory"),
    Case(
      "a chain of very many filters",
      jobs:
        "  - {source: in.png, output: o.png, filter: \"\((0..<20_000).map { _ in "flip" }.joined(separator: ","))\"}",
      "the chain has more than 256 filters"),
    Case(
      "a chain that is a list of very many filters",
      jobs:
        "  - {source: in.png, output: o.png, filter: [\((0..<20_000).map { _ in "flip" }.joined(separator: ","))]}",
      "the chain has 20000 members"),
    Case(
      "words of megabytes",
      jobs: "  - {source: in.png, output: o.png, filter: \"text:\(String(repeating: "x", count: 900_000))\"}",
      "the string of text has 900000 bytes; the limit is 16384"),
    Case(
      "a chain of megabytes",
      jobs:
        "  - {source: in.png, output: o.png, filter: \"text:\(String(repeating: "x", count: 2_000_000))\"}",
      "the chain's text has 2000005 bytes; the limit is 1048576"),
    Case(
      "variables that are written often",
      jobs: """
          - source: in.png
            output: o.png
            variables: {v: "\(String(repeating: "x", count: 100_000))"}
            filter: "text:\(String(repeating: "{v}", count: 10_000))"
        """, "the text is longer than 1048576 bytes with its fields filled in"),
    Case(
      "a matrix of very many names",
      jobs:
        "  - {source: in.png, output: o.png, matrix: {\((0..<5_000).map { "n\($0): [1]" }.joined(separator: ", "))}}",
      "the matrix has 5000 names; the limit is 64"),
    Case(
      "a matrix beyond numbers",
      jobs: "  - {source: in.png, output: o.png, matrix: {"
        + (0..<60).map { "n\($0): [\(numbers)]" }.joined(separator: ", ") + "}}",
      "has more than 10000 combinations"),
    Case(
      "many outputs with one matrix",
      jobs:
        "  - source: in.png\n    outputs:\n      - {output: \"a{x}{y}.png\", matrix: &m {x: [\(numbers)], y: [\(numbers)]}}\n"
        + (0..<20).map { "      - {output: \"b\($0){x}{y}.png\", matrix: *m}\n" }.joined(),
      "the job has more than 100000 outputs"),
    Case(
      "many jobs with one matrix",
      jobs: "  - {source: in.png, output: \"a{x}{y}.png\", matrix: &m {x: [\(numbers)], y: [\(numbers)]}}\n"
        + (0..<30).map { "  - {source: in.png, output: \"b\($0){x}{y}.png\", matrix: *m}\n" }.joined(),
      "the manifest has more than 250000 outputs"),
    Case(
      "variables for each output",
      defaults: "defaults:\n  variables: {" + (0..<6_000).map { "v\($0): x" }.joined(separator: ", ") + "}\n",
      jobs: "  - {source: in.png, output: \"{x}{y}.png\", matrix: {x: [\(numbers)], y: [\(numbers)]}}",
      "take too much memory"),
    Case(
      "more mistakes than anyone reads",
      jobs: (0..<5_000).map { "  - {source: in.png, output: \"\($0).png\", filter: nothing\($0)}\n" }
        .joined(),
      "there are more than 1000 mistakes"),
    Case(
      "mistakes in one long line",
      jobs: "  ["
        + (0..<3_000).map { "{source: in.png, output: \"\($0).png\", fliter: x}" }.joined(separator: ", ")
        + "]",
      "there are more than 1000 mistakes"),
  ]

  /// Half of what the command may take here is what it takes for a manifest of one line.
  @Test("are refused with a place, quickly and in little memory", arguments: cases)
  func refused(_ wrong: Case) async throws {
    let command = try CommandRun()
    try command.write(wrong.manifest, to: "m.yaml")
    let outcome = try await command.run(
      ["-c", "ulimit -d 700000; exec '\(CommandRun.executable)' validate m.yaml"], executable: "/bin/bash")
    #expect(outcome.status == 2, "\(outcome.errors.suffix(2000))")
    #expect(outcome.errors.contains(wrong.complaint), "\(outcome.errors.prefix(2000))")
    #expect(outcome.errors.contains("m.yaml:"))
    #expect(outcome.errors.utf8.count < 4 << 20)
  }

  @Test("the command line's chains are bounded together")
  func commandLine() async throws {
    let command = try CommandRun()
    try command.write(
      "imagemill: 1\njobs:\n  - {source: in.png, output: o.png, filter: flip}\n", to: "m.yaml")
    let flips = (0..<200).flatMap { _ in ["-f", "flip,flop"] }
    let outcome = try await command.run(arguments: ["convert", "a.png", "b.png"] + flips)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--filter: the chain has more than 256 filters"), "\(outcome.errors)")
    let appended = try await command.run(
      arguments: ["plan", "m.yaml"] + (0..<128).flatMap { _ in ["-f", "flip,flop"] })
    #expect(appended.status == 2)
    #expect(appended.errors.contains("m.yaml:3:45: error: the chain has more than 256"), "\(appended.errors)")
  }

  @Test("a variable of the environment that is written often in a header is refused")
  func header() async throws {
    let command = try CommandRun()
    try command.write(
      """
      imagemill: 1
      origins:
        https://a.example:
          headers: {X: "\(String(repeating: "${LONG}", count: 5_000))"}
      jobs:
        - {source: "https://a.example/x.png", output: o.png}

      """, to: "m.yaml")
    let outcome = try await command.run(
      "validate", "--env", "LONG", "m.yaml", environment: ["LONG": String(repeating: "y", count: 60_000)])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("the value is longer than 65536 bytes"), "\(outcome.errors)")
  }
}
