import Foundation
import LoopbackServer
import Testing

/// What `--failed` without a report selects of a shard, and what it says of a report in another format.
@Suite("The failures of a shard", .timeLimit(.minutes(8)))
struct FailedShardTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    let jobs = ["a", "b", "c"].map { "{source: ./\($0).png, output: \($0).webp}" }.joined(separator: ", ")
    try command.write("imagemill: 1\njobs: [\(jobs)]\n", to: "m.yaml")
  }

  @Test("are those of the last whole run, until the shard has one of its own")
  func shards() async throws {
    #expect(try await command.run("run", "m.yaml").status == 1)
    for name in ["b.png", "c.png"] { try command.write(PNGImage.bytes(width: 9, height: 6), to: name) }
    for part in ["1/2", "2/2"] {
      let outcome = try await command.run("run", "--failed", "--shard", part, "m.yaml")
      #expect(outcome.status == 0, "\(part): \(outcome.errors)")
      let again = try await command.run("run", "--failed", "--shard", part, "m.yaml")
      #expect(again.status == 0 && again.errors.contains("nothing to do"), "\(part): \(again.errors)")
    }
    #expect(command.files.filter { $0.hasSuffix(".webp") } == ["a.webp", "b.webp", "c.webp"])
    let unknown = try await command.run("run", "--failed", "--shard", "1/2", "-C", "other", "m.yaml")
    #expect(unknown.status == 2 && unknown.errors.contains("no earlier run"), "\(unknown.errors)")
  }

  @Test("a report that isn't NDJSON is named", arguments: ["r.json", "r.xml", "r.html"])
  func otherFormat(name: String) async throws {
    #expect(try await command.run("run", "--report", name, "m.yaml").status == 1)
    for line in [["run", "--failed", name, "m.yaml"], ["run", "--failed", name, "--no-cache", "m.yaml"]] {
      let outcome = try await command.run(arguments: line)
      #expect(outcome.status == 2, "\(outcome.errors)")
      #expect(
        outcome.errors.contains("--failed needs a report that ends in .ndjson, and \(name) doesn't"),
        "\(outcome.errors)")
    }
  }
}
