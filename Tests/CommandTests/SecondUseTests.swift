import Foundation
import LoopbackServer
import Testing

/// What is right once, and has to be right the second time, in another directory, or for a part of the jobs.
@Suite("The second use", .timeLimit(.minutes(8)))
struct SecondUseTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for (seed, name) in ["a.png", "b.png", "logo.png"].enumerated() { try image(seed, to: name) }
    try command.write("not an image\n", to: "bad.png")
    try command.write("a.png\nbad.png\nb.png\n", to: "list.txt")
  }

  private func image(_ seed: Int, to name: String) throws {
    try command.write(PNGImage.bytes(width: 30, height: 20, seed: seed), to: name)
  }

  private func manifest(_ jobs: String...) throws {
    try command.write("imagemill: 1\njobs:\n" + jobs.map { "  - \($0)\n" }.joined(), to: "m.yaml")
  }

  @Test(
    "lines keep their index, whichever of them are selected",
    arguments: [
      "run -o o/{index}.webp list.txt", "pipe -o o/{index}.webp", "pipe --ordered -o o/{index}.webp",
    ])
  func index(line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let input = words[0] == "pipe" ? try #require(command.read("list.txt")) : Data()
    func run(_ more: String...) async throws -> CommandRun.Outcome {
      try await command.run(arguments: words + more, input: input)
    }
    #expect(try await run().status == 1)
    #expect(command.files.filter { $0.hasPrefix("o/") } == ["o/1.webp", "o/3.webp"])
    try image(7, to: "bad.png")
    let again = try await run("--failed")
    #expect(again.status == 0 && again.errors.contains("jobs 1: 1 done"), "\(again.errors)")
    let all = ["o/1.webp", "o/2.webp", "o/3.webp"]
    #expect(command.files.filter { $0.hasPrefix("o/") } == all)
    guard words[0] == "run" else { return }
    let whole = try all.map { try #require(command.read($0)) }
    try FileManager.default.removeItem(atPath: command.work + "/o")
    for part in 1...3 {
      let outcome = try await run("--shard", "\(part)/3")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(all.map { command.read($0) } == whole)
  }

  @Test("an ordered stream ends, however many lines aren't selected")
  func manyUnselected() async throws {
    let lines = (0..<1500).map {
      "{\"source\": \"a.png\", \"output\": \"o/\($0).webp\", \"filter\": \"fit:2x2\"}\n"
    }
    let input = Data((lines + ["{\"source\": \"bad.png\", \"output\": \"o/bad.webp\"}\n"]).joined().utf8)
    let words = ["pipe", "--ordered", "--input", "ndjson"]
    #expect(try await command.run(arguments: words, input: input).status == 1)
    try image(7, to: "bad.png")
    let again = try await command.run(arguments: words + ["--failed"], input: input)
    #expect(again.status == 0 && again.text == "o/bad.webp\n", "\(again.errors)")
  }

  @Test("a retry makes what a failed job needs, if that is out of date")
  func needs() async throws {
    try manifest(
      "{source: a.png, output: p.png}", "{source: p.png, output: q.webp, filter: \"overlay:none.png\"}")
    #expect(try await command.run("run", "m.yaml").status == 1)
    try image(8, to: "a.png")
    try image(9, to: "none.png")
    #expect(try await command.run("run", "--failed", "m.yaml").status == 0)
    let check = try await command.run("run", "--check", "m.yaml")
    #expect(check.status == 0, "\(check.errors)")
  }

  @Test("a retry is that of the same directory and template", arguments: ["run", "pipe"])
  func places(word: String) async throws {
    func run(_ options: String...) async throws -> CommandRun.Outcome {
      let list = word == "run" ? ["list.txt"] : ["a.png", "bad.png"]
      return try await command.run(arguments: [word] + options + list)
    }
    #expect(try await run("-C", "c1", "-o", "{name}.webp").status == 1)
    #expect(try await run("-C", "c1", "-o", "{name}.png").status == 1)
    try image(7, to: "bad.png")
    for options in [["-C", "c2", "-o", "{name}.webp"], ["-C", "c1", "-o", "{name}.png"]] {
      #expect(try await run(options[0], options[1], options[2], options[3]).status == 0)
    }
    #expect(command.read("c1/bad.webp") == nil)
    let again = try await run("-C", "c1", "-o", "{name}.webp", "--failed")
    #expect(again.status == 0 && command.read("c1/bad.webp") != nil, "\(again.errors)")
  }

  @Test("rows are made before the jobs that need them, and after those that they need")
  func rows() async throws {
    try command.write("source,id\na.png,1\nb.png,2\n", to: "t.csv")
    try manifest(
      "{source: made-1.png, filter: flip, output: final.png}",
      "{from: t.csv, filter: \"fit:20x20\", output: \"made-{id}.png\"}",
      "{source: logo.png, output: base.png}", "{from: u.csv, output: \"{name}-x.webp\"}")
    try command.write("source\nbase.png\nfinal.png\n", to: "u.csv")
    #expect(try await command.run("validate", "m.yaml").status == 0)
    for round in 1...3 {
      let outcome = try await command.run("run", "m.yaml")
      #expect(outcome.status == 0 && outcome.errors.contains("jobs 6: 6 done"), "\(round): \(outcome.errors)")
      #expect(outcome.errors.contains("6 unchanged") == (round == 2), "\(outcome.errors)")
      if round == 2 { try image(12, to: "a.png") }
    }
    #expect(try await command.run("run", "--check", "m.yaml").status == 0)
    let target = try await command.run("run", "--force", "m.yaml", "final-x.webp")
    #expect(target.status == 0 && target.errors.contains("outputs 3: "), "\(target.errors)")
    try manifest(
      "{source: made-1.png, output: back.png}", "{from: w.csv, output: \"made-{id}.png\"}")
    try command.write("source,id\nback.png,1\n", to: "w.csv")
    let circle = try await command.run("run", "m.yaml")
    #expect(circle.status == 2 && circle.errors.contains("need each other's outputs"), "\(circle.errors)")
  }

  @Test(
    "a manifest of a directory has all its images, and stays the same when they are made",
    arguments: [".", "photos"])
  func drafts(directory: String) async throws {
    for name in ["bad.png", "list.txt"] {
      try FileManager.default.removeItem(atPath: command.work + "/" + name)
    }
    for place in ["photos", "photos/deep"] {
      try FileManager.default.createDirectory(
        atPath: command.work + "/" + place, withIntermediateDirectories: true)
      try image(3, to: place + "/c.png")
    }
    #expect(try await command.run("init", "--from", directory).status == 0)
    let count = directory == "." ? 5 : 2
    for round in 1...3 {
      let outcome = try await command.run("run")
      #expect(
        outcome.status == 0 && outcome.errors.contains("jobs \(count): "), "\(round): \(outcome.errors)")
      #expect(command.files.count { $0.hasSuffix(".webp") } == count)
    }
  }

  @Test("the end of a run says how to go on")
  func ends() async throws {
    try command.write(
      "imagemill: 1\nsettings: {fail-fast: true}\njobs:\n  - {source: none.png, output: x.webp}\n"
        + (0..<200).map { "  - {source: a.png, filter: \"fit:\($0 + 1)x2\", output: o/\($0).webp}\n" }
        .joined(),
      to: "m.yaml")
    let stopped = try await command.run("run", "-j", "1", "m.yaml")
    if stopped.errors.contains("not started") {
      #expect(
        stopped.errors.contains("mend what failed or turn off the setting fail-fast"), "\(stopped.errors)")
    }
    try manifest("{source: none.png, output: x.webp}", "{source: a.png, output: y.webp}")
    let target = try await command.run("run", "m.yaml", "x.webp")
    #expect(target.errors.hasSuffix("\nto retry what failed, run again: imagemill run m.yaml x.webp\n"))
    let converted = try await command.run("convert", "-o", "{name}.webp", "a.png", "none.png")
    #expect(
      converted.errors.hasSuffix(
        "\nto retry what failed, run again: imagemill convert -o '{name}.webp' a.png none.png\n"),
      "\(converted.errors)")
  }

  @Test("the differences from a lock file have their places, and parts aren't compared")
  func locks() async throws {
    try manifest("{source: a.png, output: x.webp}", "{source: b.png, output: y.webp}")
    #expect(try await command.run("run", "--lock", "m.lock", "m.yaml").status == 0)
    for part in [["--shard", "1/2"], ["x.webp"], ["--failed"]] {
      let outcome = try await command.run(arguments: ["run", "--check", "--lock", "m.lock", "m.yaml"] + part)
      #expect(
        outcome.status == 2 && outcome.errors.contains("compares complete manifests"), "\(outcome.errors)")
    }
    try command.write("edited", to: "x.webp")
    try FileManager.default.removeItem(atPath: command.work + "/y.webp")
    let workflow = ["GITHUB_ACTIONS": "true"]
    let check = try await command.run("run", "--check", "--lock", "m.lock", "m.yaml", environment: workflow)
    #expect(check.status == 3)
    for (line, text) in [(3, "x.webp: it differs from the lock file"), (4, "y.webp: missing")] {
      #expect(check.errors.contains("m.yaml:\(line):5: \(text)\n"), "\(check.errors)")
      #expect(check.errors.contains("::error file=m.yaml,line=\(line),col=5,title=imagemill::\(text)\n"))
    }
    try manifest("{source: a.png, output: x.webp}", "{source: logo.png, output: y.webp}")
    let frozen = try await command.run(
      "run", "--frozen", "--lock", "m.lock", "m.yaml", environment: workflow)
    #expect(frozen.status == 3 && frozen.errors.contains("  + logo.png (m.yaml:4:5)"), "\(frozen.errors)")
    #expect(frozen.errors.contains("::error file=m.yaml,line=4,col=5,"), "\(frozen.errors)")
  }

  @Test("an output that a link leads out of its directory is refused before anything starts")
  func links() async throws {
    let outside = command.directory + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: command.work + "/link", withDestinationPath: outside)
    try manifest("{source: a.png, output: x.webp}", "{source: b.png, output: link/new/y.webp}")
    for line in [["run", "m.yaml"], ["plan", "m.yaml"], ["pipe", "a.png", "-o", "link/{name}.webp"]] {
      let outcome = try await command.run(arguments: line)
      #expect(outcome.status == 2 && outcome.errors.contains("is outside the output directory: a link"))
    }
    #expect(command.read("x.webp") == nil)
    #expect(try await command.run("run", "--allow-outside", "m.yaml").status == 0)
    #expect(FileManager.default.fileExists(atPath: outside + "/new/y.webp"))
  }

  @Test("mistakes that others hid are shown")
  func mistakes() async throws {
    func errors(_ text: String) async throws -> String {
      try command.write(text, to: "m.yaml")
      let outcome = try await command.run("validate", "m.yaml")
      #expect(outcome.status == 2, "\(text)")
      return outcome.errors
    }
    let job =
      "jobs:\n  - {source: a.png, output: x.webp, quality: 3, filter: flip, format: webp, frames: 1}\n"
    let defaults = try await errors(
      "imagemill: 1\ndefaults: {quality: high, filter: \"fil:3\", format: bogus, frames: -1, background: nocolor}\n"
        + job)
    for (column, part) in [
      (21, "'quality' must be"), (36, "unknown filter 'fil'"), (52, "unknown format 'bogus'"),
      (67, "'frames' must be"),
    ] { #expect(defaults.contains("m.yaml:2:\(column): error: \(part)"), "\(defaults)") }
    #expect(defaults.contains("nocolor"), "\(defaults)")
    #expect(
      try await errors("imagemill: 1\nfilters: {avatar: fill:9x9,circle}\n" + job)
        .contains("quote a value that contains a comma, as in avatar: \"fill:9x9,circle\""))
    #expect(
      try await errors("imagemill: 1\njobs:\n  - {source: a.png, output: x.png, filter: text:a #1}\n")
        .contains(
          "m.yaml:3:44: error: not YAML: '#' begins a comment, which hides the rest of this line: quote the value, "
            + "as in \"text:a #1\""))
    #expect(
      try await errors("imagemill: 1\ndefaults: {format: webp}\njobs:\n  - {source: a.png, output: x.bmp}\n")
        .contains("m.yaml:4:"))
    let piped = try await command.run(
      "pipe", "-o", "{name}.png", input: Data("localhost:8080/c.png\n".utf8))
    #expect(piped.errors.contains("write 'http://localhost:8080/c.png'"), "\(piped.errors)")
    // Defaults with fields depend on the job.
    try command.write(
      "imagemill: 1\ndefaults: {filter: \"limit:{w}x\", quality: \"{q}\"}\n"
        + "jobs:\n  - {source: a.png, output: x.webp, variables: {w: 3, q: 50}}\n", to: "m.yaml")
    #expect(try await command.run("validate", "m.yaml").status == 0)
  }

  @Test("a retry of a part is that of the part", arguments: [1, 2, 3])
  func shardOfFailures(part: Int) async throws {
    let jobs = (0..<12).flatMap { number in
      ["{source: a.png, filter: \"fit:\(number + 2)x9\", output: base\(number).png}"]
        + (0..<3).map {
          "{source: base\(number).png, output: \"o/\(number)-\($0).webp\", filter: \"fit:\($0 + 1)x9\"}"
        }
        + ["{source: base\(number).png, output: \"o/\(number)-x.webp\", filter: \"overlay:none.png\"}"]
    }
    try command.write("imagemill: 1\njobs:\n" + jobs.map { "  - \($0)\n" }.joined(), to: "m.yaml")
    let words = ["run", "m.yaml", "--shard", "\(part)/3"]
    let first = try await command.run(arguments: words)
    let failed = first.errors.matches(of: #/(\d+) failed;/#).last.flatMap { Int($0.1) } ?? 0
    #expect(first.status == (failed > 0 ? 1 : 0), "\(first.errors)")
    let again = try await command.run(arguments: words + ["--failed"])
    #expect(
      again.status == first.status && (failed == 0 || again.errors.contains("\(failed) failed;")),
      "\(again.errors)")
  }

  @Test("rows find the outputs that they need in the command line's directory")
  func rowsElsewhere() async throws {
    try command.write("n\nbase\n", to: "r.csv")
    for side in [12, 6] {
      try manifest(
        "{source: a.png, output: base.png, filter: \"fit:\(side)x\"}",
        "{from: r.csv, source: \"{n}.png\", output: \"{n}-x.png\"}")
      let outcome = try await command.run(arguments: ["run", "m.yaml"] + (side == 6 ? ["-C", "out"] : []))
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let told = try await command.run("inspect", "--json", "out/base-x.png")
    #expect(told.text.contains("\"width\":6"), "\(told.text)")
  }

  @Test("a wrong line protects no output of an earlier run")
  func wrongLine() async throws {
    try command.write(
      #"{"source":"a.png","output":"o.png"}"# + "\n" + #"{"source":"o.png","output":"q.png","quality":"zz"}"#
        + "\n", to: "l.ndjson")
    for filter in ["flip", "flop"] {
      let outcome = try await command.run(
        "pipe", "--input", "ndjson", "-f", filter, input: try #require(command.read("l.ndjson")))
      #expect(outcome.status == 1 && outcome.text == "o.png\n", "\(outcome.errors)")
    }
  }

  @Test("the last run is found by any spelling of its directory")
  func spelling() async throws {
    try manifest("{source: none.png, output: x.webp}")
    #expect(try await command.run("run", "m.yaml", "-C", "out").status == 1)
    for place in ["./out", "out/", "x/../out"] {
      let outcome = try await command.run("run", "m.yaml", "-C", place, "--failed")
      #expect(outcome.status == 1, "\(outcome.errors)")
    }
  }

  @Test("a refused stream has a result for its first line, and none is made")
  func refusedStream() async throws {
    let outcome = try await command.run(
      "pipe", "-o", "x.webp", "--json", input: Data("a.png\nb.png\nftp://h/c.png\n".utf8))
    #expect(outcome.status == 2)
    let lines = outcome.text.split(separator: "\n")
    #expect(
      lines.first?.contains("\"index\":1,") == true && lines.allSatisfy { $0.contains("\"failed\"") },
      "\(outcome.text)")
    #expect(lines.count == 2 && lines.last?.contains("\"index\":3,") == true, "\(outcome.text)")
    #expect(command.read("x.webp") == nil)
  }
}
