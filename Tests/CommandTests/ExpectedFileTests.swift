import Foundation
import LoopbackServer
import Testing

/// Patterns whose files are made by other jobs of the manifest.
@Suite("Patterns that match outputs of other jobs", .timeLimit(.minutes(8)))
struct ExpectedFileTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try FileManager.default.createDirectory(atPath: command.work + "/in", withIntermediateDirectories: true)
    for (seed, name) in ["a", "b"].enumerated() {
      try command.write(PNGImage.bytes(width: 30, height: 20, seed: seed), to: "in/\(name).png")
    }
  }

  private var images: [String] { command.files.filter { !$0.hasSuffix(".yaml") } }

  private func write(_ jobs: [String], key: String = "") throws {
    try command.write(
      "imagemill: 1\n\(key)\njobs:\n" + jobs.map { "  - \($0)\n" }.joined(), to: "m.yaml")
  }

  /// Through two patterns, a table's row and a job with a path.
  private static let chain = [
    "{from: 't/**/*.png', output: 'u/{name}.webp', filter: invert}",
    "{from: 'u/*.webp', output: 'v/{name}.jpg'}",
    "{from: 'in/*.png', output: 't/x/{name}.png', filter: flip}",
    "{source: in/a.png, output: t/one.png}",
    "{source: v/one.jpg, output: last.png}",
  ]

  @Test("one run makes what several would, whatever the order of the jobs", arguments: 0..<5)
  func oneRun(rotation: Int) async throws {
    let jobs = Self.chain.indices.map { Self.chain[($0 + rotation) % Self.chain.count] }
    try write(jobs)
    let plan = try await command.run("plan", "m.yaml")
    #expect(plan.status == 0 && plan.text.contains("jobs 10; outputs 10: 10"), "\(plan.text)\(plan.errors)")
    #expect(try await command.run("validate", "m.yaml").status == 0)
    let first = try await command.run("run", "m.yaml")
    #expect(first.status == 0 && first.errors.contains("jobs 10: 10 done"), "\(first.errors)")
    let made = images
    #expect(
      made == [
        "in/a.png", "in/b.png", "last.png", "t/one.png", "t/x/a.png", "t/x/b.png", "u/a.webp", "u/b.webp",
        "u/one.webp", "v/a.jpg", "v/b.jpg", "v/one.jpg",
      ])
    #expect(try await command.run("run", "--check", "m.yaml").status == 0)
    let second = try await command.run("run", "m.yaml")
    #expect(
      second.status == 0 && second.errors.contains("10 unchanged") && images == made, "\(second.errors)")
    // What is removed in the middle is made again, and a new source passes through all patterns.
    try FileManager.default.removeItem(atPath: command.work + "/t/x/b.png")
    try command.write(PNGImage.bytes(width: 9, height: 9, seed: 8), to: "in/c.png")
    let third = try await command.run("run", "m.yaml")
    #expect(third.status == 0 && images.count == made.count + 4, "\(third.errors)")
  }

  @Test(
    "outputs in another directory are found there",
    arguments: [("output-dir: out", []), ("", ["-C", "out"]), ("output-dir: .", ["-C", "out"])])
  func directory(key: String, options: [String]) async throws {
    let prefix = key == "output-dir: out" ? "out/" : ""
    try write(
      [
        "{from: '\(prefix)t/*.png', output: 'u/{name}.webp'}", "{from: 'in/*.png', output: 't/{name}.png'}",
      ], key: key)
    for round in 1...3 {
      let outcome = try await command.run(arguments: ["run"] + options + ["m.yaml"])
      #expect(outcome.status == 0 && outcome.errors.contains("jobs 4: "), "\(round): \(outcome.errors)")
      #expect(
        images == ["in/a.png", "in/b.png", "out/t/a.png", "out/t/b.png", "out/u/a.webp", "out/u/b.webp"])
    }
  }

  @Test("a target, a part and failures have what they need")
  func selections() async throws {
    try write(["{from: 't/*.png', output: 'u/{name}.webp'}", "{from: 'in/*.png', output: 't/{name}.png'}"])
    #expect(try await command.run("run", "m.yaml", "u/a.webp").status == 0)
    #expect(images == ["in/a.png", "in/b.png", "t/a.png", "u/a.webp"])
    try FileManager.default.removeItem(atPath: command.work + "/t")
    try FileManager.default.removeItem(atPath: command.work + "/u")
    for part in ["1/2", "2/2"] {
      let outcome = try await command.run("run", "--shard", part, "m.yaml")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(images.count == 6, "\(images)")
    try FileManager.default.removeItem(atPath: command.work + "/t")
    try FileManager.default.removeItem(atPath: command.work + "/u")
    try command.write([1, 2, 3], to: "in/b.png")
    #expect(try await command.run("run", "m.yaml").status == 1)
    try command.write(PNGImage.bytes(width: 9, height: 9, seed: 8), to: "in/b.png")
    let again = try await command.run("run", "--failed", "m.yaml")
    #expect(again.status == 0 && images.count == 6, "\(again.errors)\(images)")
  }

  @Test("patterns that feed each other without end are a mistake, and those that do twice aren't")
  func endless() async throws {
    try write([
      "{from: 'in/*.png', output: 't/{name}-1.png'}", "{from: 't/*.png', output: 'in/{name}-2.png'}",
    ])
    for verb in ["validate", "run"] {
      let outcome = try await command.run(verb, "m.yaml")
      #expect(
        outcome.status == 2
          && outcome.errors.contains(
            "m.yaml:4:12: error: 'in/*.png' matches outputs that are made of its own outputs"),
        "\(outcome.errors)")
    }
    try write([
      "{from: 'in/*.png', output: 't/{name}.png'}", "{from: 't/a*.png', output: 'in/b-{name}.png'}",
    ])
    for _ in 1...3 {
      let outcome = try await command.run("run", "m.yaml")
      #expect(outcome.status == 0 && outcome.errors.contains("jobs 4: "), "\(outcome.errors)")
      #expect(
        images == ["in/a.png", "in/b-a.png", "in/b.png", "t/a.png", "t/b-a.png", "t/b.png"], "\(images)")
    }
  }

  @Test("a pattern that matches neither a file nor an output is a mistake")
  func nothing() async throws {
    try write(["{from: 't/*.jpg', output: 'u/{name}.webp'}", "{from: 'in/*.png', output: 't/{name}.png'}"])
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 2 && outcome.errors.contains("nothing matches 't/*.jpg'"), "\(outcome.errors)")
  }
}
