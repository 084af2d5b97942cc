import Foundation
import LoopbackServer
import Testing

@Suite("what runs have put in place", .timeLimit(.minutes(8)))
struct PruneTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for (index, name) in ["a", "b"].enumerated() {
      try command.write(PNGPicture.bytes(width: 40, height: 30, seed: index), to: "\(name).png")
    }
  }

  private func manifest(_ outputs: [(String, String, String)], to name: String = "m.yaml") throws {
    let lines = outputs.map { "  - {source: ./\($0.0).png, filter: \"\($0.1)\", output: \"\($0.2)\"}\n" }
    try command.write("imagemill: 1\njobs:\n" + lines.joined(), to: name)
  }

  private func exists(_ name: String) -> Bool { command.read(name) != nil }

  @Test("--prune removes what the manifest no longer makes, and only that")
  func prune() async throws {
    try manifest([("a", "fit:10x10", "o/a.png"), ("b", "fit:10x10", "o/b.png"), ("b", "flip", "o/c.png")])
    try manifest([("a", "flop", "o/other.png")], to: "other.yaml")
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(try await command.run("run", "other.yaml").status == 0)
    try command.write("not ours", to: "o/mine.txt")
    try manifest([("a", "fit:10x10", "o/a.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(exists("o/b.png"), "nothing goes without --prune")

    let planned = try await command.run("run", "--prune", "--dry-run", "m.yaml")
    #expect(planned.lines.filter { $0.hasPrefix("remove") }.count == 2, "\(planned.text)")
    let checked = try await command.run("run", "--prune", "--check", "m.yaml")
    #expect(checked.status == 3)
    #expect(checked.errors.contains("no longer made: ") && checked.errors.contains("o/b.png"))
    #expect(exists("o/b.png"))

    let outcome = try await command.run("run", "--prune", "m.yaml")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("2 removed"), "\(outcome.errors)")
    #expect(command.files.filter { $0.hasPrefix("o/") } == ["o/a.png", "o/mine.txt", "o/other.png"])
    #expect(try await command.run("run", "--prune", "--check", "m.yaml").status == 0)
  }

  @Test("a file that was edited since, or that another manifest makes by now, stays")
  func spared() async throws {
    try manifest([("a", "", "a1.png"), ("a", "flip", "b1.png"), ("a", "flop", "c1.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    try command.write("edited", to: "a1.png")
    try manifest([("b", "", "b1.png")], to: "other.yaml")
    #expect(try await command.run("run", "other.yaml").status == 0)
    try manifest([("a", "rotate:90", "d1.png")])
    let outcome = try await command.run("run", "--prune", "m.yaml")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("a1.png is no longer made, but stays"))
    #expect(exists("a1.png") && exists("b1.png") && exists("d1.png") && !exists("c1.png"))
  }

  @Test("a directory reached by another name is the same directory")
  func links() async throws {
    try manifest([("a", "", "o/a1.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    try FileManager.default.createSymbolicLink(
      atPath: command.directory + "/link", withDestinationPath: "work")
    let outcome = try await command.run("run", "--prune", command.directory + "/link/m.yaml")
    #expect(outcome.status == 0)
    #expect(exists("o/a1.png"))
    #expect(!outcome.errors.contains("removed"))
  }

  @Test("nothing is pruned when a job has failed, and part of a manifest isn't compared with all of it")
  func failures() async throws {
    try manifest([("a", "", "a1.png"), ("b", "", "b1.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    try manifest([("a", "flip", "a2.png"), ("none", "", "b2.png")])
    let outcome = try await command.run("run", "--prune", "m.yaml")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("nothing was pruned"))
    #expect(exists("a1.png") && exists("b1.png"))
    #expect(try await command.run("run", "--prune", "--shard", "1/2", "m.yaml").status == 2)
    #expect(try await command.run("run", "--prune", "-", input: Data("[]".utf8)).status == 2)
  }

  @Test("explain says what a file was made from, and what differs today")
  func explain() async throws {
    try manifest([("a", "fit:10x10", "a1.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    let same = try await command.run("cache", "explain", "a1.png")
    #expect(same.status == 0)
    #expect(
      same.text.contains("in place") && same.text.contains("nothing differs"), "\(same.text)\(same.errors)")

    try manifest([("a", "fit:12x12", "a1.png")])
    let filter = try await command.run("cache", "explain", "a1.png")
    #expect(filter.text.contains("filter differs from the last run"), "\(filter.text)")
    #expect(filter.text.contains("was fit:size=10x10") && filter.text.contains("is  fit:size=12x12"))
    #expect(try await command.run("plan", "m.yaml").text.contains("filter differs from the last run"))

    try command.write(PNGPicture.bytes(width: 41, height: 30), to: "a.png")
    try command.write("edited", to: "a1.png")
    let all = try await command.run("cache", "explain", "--json", "a1.png")
    let json = try #require(try JSONSerialization.jsonObject(with: all.output) as? [String: Any])
    #expect(json["state"] as? String == "changed since it was written")
    let parts = (json["differences"] as? [[String: Any]])?.compactMap { $0["part"] as? String }
    #expect(parts == ["source content", "filter"])

    try manifest([("a", "fit:12x12", "b1.png")])
    #expect(try await command.run("cache", "explain", "a1.png").text.contains("--prune"))
    let unknown = try await command.run("cache", "explain", "a.png")
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("no run is known to have made a.png"))
  }
}
