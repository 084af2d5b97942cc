import Foundation
import LoopbackServer
import Testing

@Suite("Jobs whose sources are outputs of others", .timeLimit(.minutes(8)))
struct DependencyTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  private func image(_ seed: Int, to name: String = "a.png") throws {
    try command.write(PNGImage.bytes(width: 16, height: 8, seed: seed), to: name)
  }

  /// a.png is turned to b.png, and that to c.png; the last one comes first.
  private func manifest() throws {
    try image(1)
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: ./c.png, filter: invert, output: d.png}
        - {source: ./b.png, filter: flip, output: c.png}
        - {source: ./a.png, filter: rotate:90, output: b.png}
      """, to: "m.yaml")
  }

  private func size(_ name: String) -> [UInt8] {
    Array((command.read(name) ?? Data()).dropFirst(16).prefix(8))
  }

  @Test(
    "are made in order, made again when the first source changes, and agree with the check after each run")
  func order() async throws {
    try manifest()
    for seed in [1, 2, 3] {
      try image(seed)
      if seed > 1 { #expect(try await command.run("run", "--check", "m.yaml").status == 3) }
      let outcome = try await command.run("run", "m.yaml")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let check = try await command.run("run", "--check", "m.yaml")
      #expect(check.status == 0, "\(check.errors)")
      // The same chain from the source in one step.
      try command.write(
        "imagemill: 1\njobs: [{source: ./a.png, filter: 'rotate:90,flip,invert', output: e.png}]\n",
        to: "e.yaml")
      #expect(try await command.run("run", "e.yaml").status == 0)
      #expect(command.read("d.png") == command.read("e.png"))
    }
    #expect(size("d.png") == [0, 0, 0, 8, 0, 0, 0, 16])
  }

  @Test("a plan names the outputs that are made first")
  func plan() async throws {
    try manifest()
    let outcome = try await command.run("plan", "m.yaml")
    #expect(outcome.status == 0 && outcome.text.contains("its source b.png is made first"), "\(outcome.text)")
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(try await !command.run("plan", "m.yaml").text.contains("made first"))
  }

  @Test("an output that can't be made fails the jobs that need it, though an old file is in its place")
  func failure() async throws {
    try manifest()
    #expect(try await command.run("run", "m.yaml").status == 0)
    let before = command.read("d.png")
    try command.write("no image", to: "a.png")
    let outcome = try await command.run("run", "--report", "r.json", "m.yaml")
    #expect(
      outcome.status == 1 && outcome.errors.contains("its source b.png is an output that failed"),
      "\(outcome.errors)")
    #expect(String(decoding: try #require(command.read("r.json")), as: UTF8.self).contains("source-not-made"))
    #expect(command.read("d.png") == before)
  }

  @Test("a circle is a usage error with the place of a job, in one manifest and across several")
  func circle() async throws {
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: b.png}]\n", to: "1.yaml")
    try command.write("imagemill: 1\njobs: [{source: ./b.png, output: a.png}]\n", to: "2.yaml")
    try command.write(
      "imagemill: 1\njobs:\n  - {source: ./a.png, output: b.png}\n  - {source: ./b.png, output: a.png}\n",
      to: "3.yaml")
    for arguments in [
      ["run", "1.yaml", "2.yaml"], ["validate", "1.yaml", "2.yaml"], ["run", "3.yaml"],
      ["validate", "3.yaml"],
      ["plan", "3.yaml"],
    ] {
      let outcome = try await command.run(arguments)
      #expect(
        outcome.status == 2 && outcome.errors.contains("these jobs need each other's outputs: "),
        "\(arguments): \(outcome.errors)")
    }
    #expect(try await command.run("run", "3.yaml").errors.hasPrefix("3.yaml:3:5: error: "))
  }

  @Test("an original in the place of an output that is a source is kept")
  func original() async throws {
    try manifest()
    try image(9, to: "b.png")
    let before = command.read("b.png")
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(command.read("b.png") == before)
  }

  @Test("are made again after the cache was cleared, when their outputs are still there")
  func clearedCache() async throws {
    try manifest()
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(try await command.run("cache", "clear").status == 0)
    try image(2)
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try await command.run("run", "--check", "m.yaml").status == 0)
    // An edited one is nobody's output.
    #expect(try await command.run("cache", "clear").status == 0)
    try image(9, to: "b.png")
    #expect(try await command.run("run", "m.yaml").status == 2)
  }

  @Test("outputs that came with a lock file may be made again, by the same recipes and by others")
  func lock() async throws {
    try manifest()
    #expect(try await command.run("run", "--lock", "m.lock", "m.yaml").status == 0)
    // Another machine has no record of them.
    func fresh(_ options: String...) async throws -> CommandRun.Outcome {
      try await command.run(["run"] + options + ["--cache-dir", "cache-\(UUID().uuidString)", "m.yaml"])
    }
    let before = command.read("d.png")
    let dry = try await fresh("--dry-run", "--lock", "m.lock")
    #expect(dry.status == 0, "\(dry.errors)")
    let other = try await fresh("--lock", "m.lock")
    #expect(other.status == 0 && command.read("d.png") == before, "\(other.errors)")
    let text = String(decoding: command.read("m.yaml") ?? Data(), as: UTF8.self)
    try command.write(text.replacing("rotate:90", with: "rotate:180"), to: "m.yaml")
    let changed = try await fresh("--lock", "m.lock")
    #expect(changed.status == 0 && size("d.png") == [0, 0, 0, 16, 0, 0, 0, 8], "\(changed.errors)")
    // An original isn't in the lock.
    try image(9, to: "b.png")
    let refused = try await fresh("--lock", "m.lock")
    #expect(refused.status == 2 && refused.errors.contains("would replace a source"), "\(refused.errors)")
  }

  @Test("targets are made alone, with what they need")
  func targets() async throws {
    try manifest()
    #expect(try await command.run("run", "m.yaml", "c.png").status == 0)
    #expect(command.files == ["a.png", "b.png", "c.png", "m.yaml"])
    let unknown = try await command.run("run", "m.yaml", "e.png")
    #expect(unknown.status == 2 && unknown.errors.contains("no manifest makes 'e.png'"), "\(unknown.errors)")
    #expect(try await command.run("run", "--prune", "m.yaml", "c.png").status == 2)
    // Rows of a table have outputs too.
    try command.write("source,name\na.png,one\na.png,two\n", to: "rows.csv")
    try command.write(
      "imagemill: 1\njobs: [{from: ./rows.csv, source: '{source}', output: '{name}.png'}]\n", to: "rows.yaml")
    #expect(try await command.run("run", "rows.yaml", "two.png").status == 0)
    #expect(command.read("two.png") != nil && command.read("one.png") == nil)
  }

  private func chain(_ command: CommandRun) throws {
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    try command.write(
      "imagemill: 1\njobs:\n  - {source: c.png, output: d.webp}\n  - {source: b.png, output: c.png, filter: \"blur:3\"}\n"
        + "  - {source: a.png, output: b.png, filter: \"limit:20x\"}\n", to: "chain.yaml")
  }

  @Test("a source that is an output follows the outputs into another directory")
  func otherDirectory() async throws {
    let command = try CommandRun()
    try chain(command)
    let outcome = try await command.run("run", "-C", "o2", "chain.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.files == ["a.png", "chain.yaml", "o2/b.png", "o2/c.png", "o2/d.webp"])
    #expect(try await command.run("run", "--check", "-C", "o2", "chain.yaml").status == 0)
  }

  @Test("jobs that need each other's outputs belong to one part", arguments: [2, 3, 7])
  func shards(count: Int) async throws {
    let command = try CommandRun()
    try chain(command)
    for number in 1...count {
      let outcome = try await command.run("run", "--shard", "\(number)/\(count)", "chain.yaml")
      #expect(outcome.status == 0, "\(number)/\(count): \(outcome.errors)")
      let made = command.files.filter { ["b.png", "c.png", "d.webp"].contains($0) }
      #expect(made.isEmpty || made.count == 3)
    }
    #expect(command.read("d.webp") != nil)
  }

  @Test("a drawn plan leads from an output to the jobs that need it, before and after it is made")
  func drawing() async throws {
    let command = try CommandRun()
    try chain(command)
    for _ in 0..<2 {
      let dot = try await command.run("plan", "--dot", "chain.yaml").text
      let lines = dot.split(separator: "\n").map(String.init)
      let numbers = lines.compactMap { $0.firstMatch(of: #/^ *(n[0-9]+) \[label="([^"]*)"/#) }
      let names = Dictionary(numbers.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
      var next: [String: Set<String>] = [:]
      for line in lines {
        guard let edge = line.firstMatch(of: #/^ *(n[0-9]+) -> (n[0-9]+);/#) else { continue }
        next[String(edge.1), default: []].insert(String(edge.2))
      }
      var reached: Set<String> = []
      var queue = names.filter { $0.value.hasPrefix("b.png\\n") || $0.value.hasSuffix("/b.png\\nrender") }
        .map(\.key)
      #expect(!queue.isEmpty, "\(dot)")
      while let node = queue.popLast() {
        if reached.insert(node).inserted { queue += next[node] ?? [] }
      }
      for name in ["c.png\\n", "d.webp\\n"] {
        #expect(reached.contains { names[$0]?.contains(name) == true }, "\(name): \(dot)")
      }
      #expect(try await command.run("run", "chain.yaml").status == 0)
    }
  }

  @Test("an edited output that is a source is named with its remedy, and a check reports it as a difference")
  func edited() async throws {
    let command = try CommandRun()
    try chain(command)
    #expect(try await command.run("run", "chain.yaml").status == 0)
    let edited = Array(command.read("b.png") ?? Data()) + [0x0A]
    try command.write(edited, to: "b.png")
    let outcome = try await command.run("run", "chain.yaml")
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("chain.yaml:5:5: error: the output 'b.png'"), "\(outcome.errors)")
    #expect(outcome.errors.contains("has changed since imagemill wrote it; remove it"), "\(outcome.errors)")
    #expect(command.read("b.png") == Data(edited))
    let check = try await command.run("run", "--check", "chain.yaml")
    #expect(
      check.status == 3
        && check.errors.contains("b.png: out of date: changed since imagemill wrote it; the cache has it\n"),
      "\(check.errors)")
    #expect(try await command.run("cache", "clear").status == 0)
    let cleared = try await command.run("run", "--check", "chain.yaml")
    #expect(
      cleared.status == 3 && cleared.errors.contains("b.png: out of date: ")
        && !cleared.errors.contains("no longer in the cache"), "\(cleared.errors)")
    try FileManager.default.removeItem(atPath: command.work + "/b.png")
    #expect(try await command.run("run", "chain.yaml").status == 0)
  }

  @Test("with an output directory, all messages name the files in it, and the remedy for an edited one works")
  func outputDirectory() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 16, height: 8), to: "a.png")
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: a.png, filter: flip, output: o/b.png}
        - {source: o/b.png, filter: invert, output: o/c.png}
        - {source: o/c.png, filter: flip, output: o/d.png}
      """, to: "m.yaml")
    let outputs = ["pub/o/b.png", "pub/o/c.png", "pub/o/d.png"]
    let plan = try await command.run("plan", "m.yaml", "-C", "pub")
    #expect(plan.status == 0)
    for output in outputs { #expect(plan.text.contains(" \(output)  "), "\(plan.text)") }
    let run = try await command.run("run", "--why", "m.yaml", "-C", "pub")
    #expect(run.status == 0)
    for output in outputs { #expect(run.errors.contains("\(output): "), "\(run.errors)") }
    // Nothing is stale: with wrong paths, outputs that are made again would seem to be made no longer.
    try FileManager.default.removeItem(atPath: command.work + "/pub/o/b.png")
    let check = try await command.run("run", "--check", "--prune", "m.yaml", "-C", "pub")
    #expect(check.status == 3 && !check.errors.contains("no longer made"), "\(check.errors)")
    for output in outputs { #expect(check.errors.contains("\(output): out of date"), "\(check.errors)") }
    #expect(try await command.run("run", "--prune", "m.yaml", "-C", "pub").status == 0)
    #expect(command.files == ["a.png", "m.yaml"] + outputs)

    try command.write(Array(command.read(outputs[0]) ?? Data()) + [0x0A], to: outputs[0])
    let refused = try await command.run("run", "m.yaml", "-C", "pub")
    #expect(
      refused.status == 2
        && refused.errors.hasPrefix(
          "m.yaml:3:5: error: the output 'pub/o/b.png', a source of another job, has changed"),
      "\(refused.errors)")
    for output in outputs {
      let explanation = try await command.run("cache", "explain", output)
      #expect(explanation.status == 0 && explanation.text.contains(output), "\(explanation.errors)")
    }
    try FileManager.default.removeItem(atPath: command.work + "/" + outputs[0])
    #expect(try await command.run("run", "m.yaml", "-C", "pub").status == 0)
  }

  @Test("a check without the records of earlier runs reports an output that other jobs read as a difference")
  func unknownOutputs() async throws {
    let command = try CommandRun()
    try chain(command)
    #expect(try await command.run("run", "--no-cache", "chain.yaml").status == 0)
    let check = try await command.run("run", "--check", "chain.yaml")
    #expect(
      check.status == 3
        && check.errors.contains("b.png: out of date: "),
      "\(check.errors)")
    #expect(try await command.run("run", "--no-cache", "chain.yaml").status == 2)
    #expect(try await command.run("run", "--no-cache", "--in-place", "chain.yaml").status == 0)
  }
}
