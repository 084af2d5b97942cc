import Foundation
import LoopbackServer
import Testing

@Suite("what runs have put in place", .timeLimit(.minutes(8)))
struct PruneTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for (index, name) in ["a", "b"].enumerated() {
      try command.write(PNGImage.bytes(width: 40, height: 30, seed: index), to: "\(name).png")
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
    #expect(checked.errors.contains("o/b.png: no longer made"))
    #expect(exists("o/b.png"))

    let outcome = try await command.run("run", "--prune", "m.yaml")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("2 removed"), "\(outcome.errors)")
    #expect(command.files.filter { $0.hasPrefix("o/") } == ["o/a.png", "o/mine.txt", "o/other.png"])
    #expect(try await command.run("run", "--prune", "--check", "m.yaml").status == 0)
  }

  @Test(
    "a source of any command stays",
    arguments: [
      "convert o/b.png x.png", "convert -o {name}.webp o/b.png",
      "pipe -o {name}.webp o/b.png", "convert --sandbox auto o/b.png -",
    ])
  func sources(line: String) async throws {
    try manifest([("a", "fit:10x10", "o/a.png"), ("b", "fit:10x10", "o/b.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    let read = try await command.run(
      arguments: line.split(separator: " ").map(String.init)
        + (line.hasSuffix("-") ? ["--format", "png"] : []))
    try #require(read.status == 0, "\(read.errors)")
    try manifest([("a", "fit:10x10", "o/a.png")])
    let outcome = try await command.run("run", "--prune", "m.yaml")
    #expect(outcome.status == 0 && exists("o/b.png"), "\(outcome.errors)")
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
    #expect(outcome.errors.contains("a1.png is no longer made, but is kept"))
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

    try command.write(PNGImage.bytes(width: 41, height: 30), to: "a.png")
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
    #expect(unknown.errors.contains("no known run made a.png"))
  }

  private func tree() -> [String] { command.files.filter { $0.hasSuffix(".png") && $0.contains("/") } }

  @Test("--prune of one output directory leaves another's files, and files outside of it")
  func directories() async throws {
    try manifest([("a", "", "ada.png"), ("b", "", "grace.png")])
    #expect(try await command.run("run", "-C", "staging", "m.yaml").status == 0)
    #expect(try await command.run("run", "-C", "prod", "m.yaml").status == 0)
    let all = tree()
    #expect(all.count == 4)
    #expect(try await command.run("run", "--prune", "-C", "staging", "m.yaml").status == 0)
    #expect(tree() == all)
    #expect(try await command.run("run", "--prune", "--check", "-C", "staging", "m.yaml").status == 0)

    try manifest([("a", "", "ada.png"), ("b", "", "../out.png")])
    #expect(try await command.run("run", "--allow-outside", "-C", "prod", "m.yaml").status == 0)
    try manifest([("a", "", "ada.png")])
    let outcome = try await command.run("run", "--prune", "-C", "prod", "m.yaml")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("outside the output directory"), "\(outcome.errors)")
    #expect(tree() == ["prod/ada.png", "staging/ada.png", "staging/grace.png"])
    #expect(exists("out.png"))
  }

  @Test("--prune of a list with one template leaves the files of another")
  func templates() async throws {
    try command.write("a.png\nb.png\n", to: "list.txt")
    for size in ["large", "small"] {
      #expect(try await command.run("run", "-o", "\(size)/{name}.png", "list.txt").status == 0)
    }
    let all = tree()
    #expect(all.count == 4)
    #expect(try await command.run("run", "--prune", "-o", "large/{name}.png", "list.txt").status == 0)
    #expect(tree() == all)
    try command.write("a.png\n", to: "list.txt")
    let outcome = try await command.run("run", "--prune", "-o", "large/{name}.png", "list.txt")
    #expect(outcome.errors.contains("1 removed"), "\(outcome.errors)")
    #expect(tree() == ["large/a.png", "small/a.png", "small/b.png"])
  }

  @Test("--prune removes no file that was ever a source, of this run or of an earlier one")
  func sources() async throws {
    try manifest([("a", "flip", "o/one.png"), ("a", "flop", "o/two.png"), ("a", "rotate:90", "o/three.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    try command.write("o/one.png\n", to: "list.txt")
    #expect(try await command.run("run", "-C", "p", "-o", "{name}.webp", "list.txt").status == 0)
    try command.write(
      "imagemill: 1\njobs:\n  - {source: ./o/two.png, output: p/end.png}\n", to: "m.yaml")
    let outcome = try await command.run("run", "--prune", "m.yaml")
    #expect(outcome.status == 0)
    #expect(exists("o/one.png") && exists("o/two.png") && !exists("o/three.png"), "\(outcome.errors)")
    #expect(outcome.errors.contains("it was a source of a run"))
  }

  @Test(
    "--prune warns of no file that the manifest makes: one that is kept, or one behind a link to its moved directory"
  )
  func stillMade() async throws {
    try manifest([("a", "fit:10x10", "o/a.png"), ("b", "fit:10x10", "q/b.png")])
    #expect(try await command.run("run", "m.yaml").status == 0)
    try command.write("edited", to: "o/a.png")
    let kept = try await command.run("run", "--prune", "--no-clobber", "m.yaml")
    #expect(kept.status == 0 && kept.errors.contains("o/a.png is kept"), "\(kept.errors)")
    #expect(!kept.errors.contains("no longer made"), "\(kept.errors)")
    try FileManager.default.moveItem(atPath: command.work + "/q", toPath: command.work + "/real")
    try FileManager.default.createSymbolicLink(atPath: command.work + "/q", withDestinationPath: "real")
    let linked = try await command.run("run", "--prune", "m.yaml")
    #expect(linked.status == 0 && !linked.errors.contains("no longer made"), "\(linked.errors)")
    #expect(exists("real/b.png") && exists("o/a.png"))
  }

  @Test("--prune removes directories that it empties, and neither others nor the output directory")
  func emptied() async throws {
    try manifest([("a", "", "x/y/z/one.png"), ("b", "", "x/two.png")])
    #expect(try await command.run("run", "-C", "out", "m.yaml").status == 0)
    try manifest([("a", "", "kept.png")])
    try FileManager.default.createDirectory(
      atPath: command.work + "/out/empty", withIntermediateDirectories: true)
    let outcome = try await command.run("run", "--prune", "-C", "out", "m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: command.work + "/out").sorted()
        == ["empty", "kept.png"])
  }

  @Test("--prune doesn't go through a link that has taken a directory's place")
  func linkedDirectory() async throws {
    try manifest([("a", "", "o/one.png"), ("b", "", "two.png")])
    #expect(try await command.run("run", "-C", "out", "m.yaml").status == 0)
    let files = FileManager.default
    try files.moveItem(atPath: command.work + "/out/o", toPath: command.work + "/elsewhere")
    try files.createSymbolicLink(atPath: command.work + "/out/o", withDestinationPath: "../elsewhere")
    try manifest([("b", "", "two.png")])
    #expect(try await command.run("run", "--prune", "-C", "out", "m.yaml").status == 0)
    #expect(exists("elsewhere/one.png"))
  }
}
