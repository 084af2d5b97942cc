import Foundation
import LoopbackServer
import Testing

/// `report merge` with the reports of real runs.
@Suite("imagemill report merge", .timeLimit(.minutes(8)))
struct ReportMergeCommandTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for index in 0..<6 {
      try command.write(PNGImage.bytes(width: 8, height: 6, seed: index), to: "\(index).png")
    }
    let jobs = (0..<6).map { "  - {source: ./\($0).png, output: \"o/\($0).webp\"}\n" }
    try command.write(
      "imagemill: 1\njobs:\n\(jobs.joined())  - {source: ./none.png, output: o/none.webp}\n", to: "m.yaml")
  }

  private func read(_ name: String) throws -> Data { try #require(command.read(name)) }

  private func lines(_ name: String) throws -> [[String: Any]] {
    try read(name).split(separator: UInt8(ascii: "\n")).map { line in
      try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
    }
  }

  /// Runs every part of three, with a report each.
  private func runParts(_ ending: String = "ndjson") async throws -> [String] {
    for part in 1...3 {
      try await command.run("run", "--shard", "\(part)/3", "--report", "\(part).\(ending)", "m.yaml")
    }
    return (1...3).map { "\($0).\(ending)" }
  }

  @Test(
    "of the parts of a manifest is the report of the whole, but for times", arguments: ["ndjson", "json"])
  func parts(ending: String) async throws {
    let parts = try await runParts(ending)
    let merged = try await command.run(
      arguments: ["report", "merge"] + parts + [
        "-o", "all.ndjson", "-o", "all.json", "-o", "all.xml", "-o", "all.html",
      ])
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(merged.text.isEmpty && merged.errors.isEmpty)
    try await command.run("run", "--force", "--report", "whole.ndjson", "m.yaml")
    func comparable(_ line: [String: Any]) -> NSDictionary {
      let kept = line.filter { !["seconds", "status"].contains($0.key) }
      return kept as NSDictionary
    }
    #expect(try lines("all.ndjson").map(comparable) == lines("whole.ndjson").map(comparable))
    let document = try JSONSerialization.jsonObject(with: read("all.json")) as? [String: Any]
    let summary = try #require(document?["summary"] as? [String: Any])
    #expect(summary["jobs"] as? Int == 7 && summary["jobsFailed"] as? Int == 1)
    #expect(summary["outputsFailed"] as? Int == 1)
    let page = String(decoding: try read("all.html"), as: UTF8.self)
    #expect(page.ranges(of: "<article").count == 7)
    #expect(page.contains("1 of 7 outputs failed") && !page.contains("0.0 s"))
    #expect(String(decoding: try read("all.xml"), as: UTF8.self).contains("tests=\"7\""))
  }

  @Test("takes what a retry made, and can be used to select what still fails")
  func retry() async throws {
    let parts = try await runParts()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "none.png")
    let retry = try await command.run(
      "run", "--failed", try failedPart(parts), "--report", "retry.ndjson", "m.yaml")
    #expect(retry.status == 0, "\(retry.errors)")
    let merged = try await command.run(
      arguments: ["report", "merge"] + parts + ["retry.ndjson", "--output", "all.ndjson"])
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(try lines("all.ndjson").count == 7)
    #expect(try lines("all.ndjson").allSatisfy { $0["status"] as? String != "failed" })
  }

  private func failedPart(_ parts: [String]) throws -> String {
    let part = try parts.first { try lines($0).contains { $0["status"] as? String == "failed" } }
    return try #require(part)
  }

  @Test("refuses what isn't a report, by name and line, and writes nothing")
  func mistakes() async throws {
    let parts = try await runParts()
    let before = command.files
    for (arguments, message) in [
      (["m.yaml"], "m.yaml:1:1: error: not JSON"), (["0.png"], "0.png:1:1"),
      (["none.ndjson"], "can't read the report none.ndjson"), (["."], "it must be a regular file"),
      (["/dev/null"], "it must be a regular file"),
    ] {
      let outcome = try await command.run(
        arguments: ["report", "merge", parts[0]] + arguments + ["-o", "all.html"])
      #expect(outcome.status == 2, "\(arguments)")
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
    for arguments in [
      [], ["-o", "all.txt"], ["-o", "all.xml", "--compare", parts[1]], ["-o", "-", "-o", "-"],
    ] {
      #expect(try await command.run(arguments: ["report", "merge", parts[0]] + arguments).status == 2)
    }
    #expect(command.files == before)
  }

  @Test("replaces none of the reports that it reads, whatever they are called")
  func inputs() async throws {
    let parts = try await runParts()
    try FileManager.default.createSymbolicLink(
      atPath: command.work + "/link.ndjson", withDestinationPath: parts[1])
    let before = parts.map { command.read($0) }
    for (output, compared) in [
      (parts[0], nil), ("./" + parts[2], nil), ("link.ndjson", nil), ("all.html", "0.html"),
    ] as [(String, String?)] {
      let outcome = try await command.run(
        arguments: ["report", "merge"] + parts + ["-o", output] + (compared.map { ["-o", $0] } ?? [])
          + ["-o", compared == nil ? "x.html" : "./all.html"])
      #expect(outcome.status == 2, "\(output)")
      #expect(
        outcome.errors.contains(compared == nil ? "would replace the report" : "both write"),
        "\(outcome.errors)")
    }
    #expect(parts.map { command.read($0) } == before)
    let compared = try await command.run("report", "merge", parts[0], "-o", "a.html", "--compare", parts[1])
    #expect(compared.status == 0, "\(compared.errors)")
  }
}
