import Foundation
import LoopbackServer
import Testing

/// Patterns and directories that match what earlier runs have made from their files.
@Suite("Outputs of a pattern's own files", .timeLimit(.minutes(8)))
struct OwnOutputTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for (seed, name) in ["a", "b"].enumerated() {
      try command.write(PNGImage.bytes(width: 30, height: 20, seed: seed), to: name + ".png")
    }
  }

  private func images() -> [String] { command.files.filter { !$0.hasSuffix(".yaml") } }

  @Test(
    "are not converted again, however often",
    arguments: [
      "convert '*.png' -o 'x-{name}.png'", "convert . -o 'out/{dir}/{name}.png'",
      "convert '**/*.png' -o 'out/x/{dir}/{name}.png'",
      "convert *.png -q -o 'x-{name}.png'", "convert . -o 'x-{name}.webp'",
      "pipe '**/*.png' -C out/in -o '{dir}/{name}-x.png'",
      "pipe . -C out -o 'x-{name}.png'", "pipe *.png -q --allow-outside -o \"$PWD/x-{name}.png\"",
      "convert \"$PWD\" -o 'x-{name}.png'", "convert ./*.png -q -o './x-{name}.png'",
    ])
  func operands(line: String) async throws {
    let shell = ["-c", "imagemill() { '\(CommandRun.executable)' \"$@\"; }; imagemill \(line)"]
    var made: [String] = []
    for round in 1...3 {
      let outcome = try await command.run(shell, executable: "/bin/sh")
      #expect(outcome.status == 0, "\(round): \(outcome.errors)")
      if round == 1 { made = images() }
      #expect(made.count == 4 && images() == made, "\(images())")
    }
  }

  @Test("named as sources are left out with a note, and as many as a shell names")
  func named() async throws {
    #expect(try await command.run("convert", "a.png", "b.png", "-o", "x-{name}.png").status == 0)
    let again = try await command.run("convert", "a.png", "b.png", "x-a.png", "x-b.png", "-o", "x-{name}.png")
    #expect(again.status == 0)
    #expect(
      again.errors
        == "imagemill: note: x-a.png and 1 more: not converted, because they are outputs of other sources\n")
    let quiet = try await command.run("pipe", "-q", "a.png", "x-a.png", "-o", "x-{name}.png")
    #expect(quiet.status == 0 && quiet.text == "x-a.png\n" && quiet.errors.isEmpty, "\(quiet.errors)")
    // The source of no other is one.
    let other = try await command.run("convert", "x-a.png", "x-b.png", "-o", "y-{name}.png")
    #expect(other.status == 0 && other.errors.isEmpty, "\(other.errors)")
  }

  @Test(
    "are no sources of a manifest's pattern, wherever its outputs are",
    arguments: [
      ("'*.png'", "t-{name}.png", "", ""), ("'**/*.png'", "t/{dir}/{name}.png", "", ""),
      ("'**/*.png'", "{dir}/{name}.png", "output-dir: out", ""), ("'**/*.png'", "t-{name}.png", "", "-C out"),
      ("'**/*.{png,webp}'", "{name}-small.webp", "", ""),
    ])
  func manifest(pattern: String, output: String, key: String, option: String) async throws {
    try command.write(
      "imagemill: 1\n\(key)\njobs:\n  - from: \(pattern)\n    outputs: [{output: '\(output)', filter: 'limit:9x'}]\n",
      to: "m.yaml")
    let options = option.split(separator: " ").map(String.init)
    var made: [String] = []
    for round in 1...3 {
      let outcome = try await command.run(arguments: ["run"] + options + ["m.yaml"])
      #expect(outcome.status == 0 && outcome.errors.contains("jobs 2: 2 done"), "\(outcome.errors)")
      if round == 1 { made = images() }
      #expect(made.count == 4 && images() == made, "\(images())")
      #expect(try await command.run(arguments: ["run", "--check"] + options + ["m.yaml"]).status == 0)
      let plan = try await command.run(arguments: ["plan"] + options + ["m.yaml"])
      #expect(plan.text.contains("jobs 2; outputs 2: 2 keep"), "\(plan.text)\(plan.errors)")
    }
  }

  @Test("are sources of another pattern of the manifest")
  func chained() async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - {from: "*.png", output: "t-{name}.png", filter: invert}
        - {from: "t-*.png", output: "u/{name}.webp"}
        - {from: "*.png", output: "small/{name}.png", filter: "limit:9x"}
      """, to: "m.yaml")
    try command.write(PNGImage.bytes(width: 30, height: 20, seed: 9), to: "t-0.png")
    #expect(try await command.run("run", "m.yaml").status == 0)
    let second = try await command.run("run", "m.yaml")
    #expect(second.status == 0, "\(second.errors)")
    #expect(
      command.files.filter { $0.hasPrefix("u/") } == [
        "u/t-0.webp", "u/t-a.webp", "u/t-b.webp",
      ])
    let third = try await command.run("run", "m.yaml")
    #expect(third.status == 0, "\(third.errors)")
    // Three sources, their outputs, and what the others make of them.
    let all = images()
    #expect(all.count == 12, "\(all)")
  }

  @Test("are no sources of the run that makes them")
  func during() async throws {
    let count = 300
    for index in 0..<count {
      try command.write(PNGImage.bytes(width: 4, height: 3, seed: index), to: "i\(index).png")
    }
    try command.write(
      "imagemill: 1\njobs:\n  - {from: \"**/*.png\", output: \"zzz/{name}.png\"}\n", to: "m.yaml")
    let outcome = try await command.run("run", "m.yaml")
    let all = count + 2
    #expect(outcome.status == 0 && outcome.errors.contains("jobs \(all): \(all) done"), "\(outcome.errors)")
    let piped = try await command.run("pipe", "-q", "-o", "zzzz/{dir}/{name}.png", ".")
    let lines = piped.text.split(separator: "\n").count
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(lines == 2 * (count + 2))
  }

  @Test("are not taken for originals, and originals not for them", arguments: [[], ["--no-cache"]])
  func originals(options: [String]) async throws {
    let own = PNGImage.bytes(width: 30, height: 20, seed: 9)
    try command.write(own, to: "x-a.png")
    try command.write("imagemill: 1\njobs:\n  - {from: \"*.png\", output: \"x-{name}.png\"}\n", to: "m.yaml")
    for line in [
      ["convert", "*.png", "-o", "x-{name}.png"], ["pipe", "-o", "x-{name}.png", "*.png"], ["run", "m.yaml"],
    ] {
      let outcome = try await command.run(arguments: [line[0]] + options + line.dropFirst())
      #expect(
        outcome.status == 2 && outcome.errors.contains("no run is known to have made it"), "\(outcome.errors)"
      )
      #expect(command.read("x-a.png") == Data(own))
      #expect(images().count == 3, "\(images())")
    }
  }

  @Test(
    "with the path of their own output are a mistake, and say which one", arguments: [[], ["--in-place"]])
  func inPlace(options: [String]) async throws {
    let own = Data(PNGImage.bytes(width: 30, height: 20, seed: 9))
    try FileManager.default.createDirectory(atPath: command.work + "/sub", withIntermediateDirectories: true)
    try command.write([UInt8](own), to: "sub/a.png")
    let outcome = try await command.run(
      arguments: ["convert"] + options + ["a.png", "sub/a.png", "-o", "sub/{name}.png"])
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("if imagemill made sub/a.png, name only the originals"), "\(outcome.errors)")
    #expect(command.read("sub/a.png") == own)
  }

  @Test("are told from originals whose names differ in bytes only, or that nothing writes")
  func names() async throws {
    try command.write(PNGImage.bytes(width: 9, height: 9, seed: 3), to: "\u{e9}.png")
    try command.write(PNGImage.bytes(width: 9, height: 9, seed: 4), to: "e\u{301}-s.png")
    #expect(try await command.run("convert", ".", "-o", "{dir}/{name}-s.png").status == 0)
    #expect(images().count == 8, "\(images())")
    // a-s.png is an output, so that a-s-s.png is none.
    try command.write(PNGImage.bytes(width: 9, height: 9, seed: 5), to: "a-s-s.png")
    #expect(
      try await command.run("convert", "a.png", "a-s.png", "a-s-s.png", "-q", "-o", "{name}-s.png").status
        == 0)
    #expect(
      command.read("a-s-s-s.png") != nil
        && command.read("a-s-s.png") == Data(PNGImage.bytes(width: 9, height: 9, seed: 5)))
  }

  @Test("are no sources of overlapping patterns, and of links to their directory")
  func overlapping() async throws {
    for name in ["p", "q"] {
      try FileManager.default.createDirectory(
        atPath: command.work + "/" + name, withIntermediateDirectories: true)
    }
    try command.write(PNGImage.bytes(width: 9, height: 9), to: "p/a.png")
    try command.write(
      "imagemill: 1\njobs:\n  - {from: \"p/*.png\", output: \"p/{name}-s.png\"}\n"
        + "  - {from: \"p/a*.png\", output: \"p/{name}-t.png\"}\n", to: "m.yaml")
    try FileManager.default.createSymbolicLink(atPath: command.work + "/l", withDestinationPath: "p")
    for round in 1...3 {
      let outcome = try await command.run("run", "m.yaml")
      #expect(outcome.status == 0 && outcome.errors.contains("jobs 2: "), "\(round): \(outcome.errors)")
    }
    #expect(command.files.filter { $0.hasPrefix("p/") } == ["p/a-s.png", "p/a-t.png", "p/a.png"])
    for _ in 1...3 {
      let outcome = try await command.run("convert", "q", "l", "-o", "p/{name}-s.png")
      #expect(outcome.status == 2 || outcome.status == 0, "\(outcome.errors)")
    }
    #expect(!command.files.contains("p/a-s-s.png"), "\(command.files)")
  }

  @Test(
    "that are named are a mistake with '--in-place', since they may be originals",
    arguments: [["convert"], ["pipe", "-C", "."]])
  func namedInPlace(line: [String]) async throws {
    let own = Data(PNGImage.bytes(width: 9, height: 9, seed: 5))
    try command.write([UInt8](own), to: "a-s.png")
    for sources in [["a.png", "a-s.png"], ["a-s.png", "a.png"]] {
      let outcome = try await command.run(arguments: line + ["--in-place", "-o", "{name}-s.png"] + sources)
      #expect(
        outcome.status == 2
          && outcome.errors.contains(
            "a-s.png is a source, and the output of another one: name only the originals"),
        "\(outcome.errors)")
      #expect(command.read("a-s.png") == own && images().count == 3)
    }
    // A pattern's are left out, and a file may be replaced by its own output.
    #expect(try await command.run(arguments: line + ["--in-place", "-o", "{name}.png", "*.png"]).status == 0)
  }

  @Test("that no known run has made are refused with a message of their own")
  func lostCache() async throws {
    try command.write("imagemill: 1\njobs:\n  - {from: \"*.png\", output: \"x-{name}.png\"}\n", to: "m.yaml")
    #expect(try await command.run("run", "m.yaml").status == 0)
    let outcome = try await command.run("run", "--cache-dir", command.directory + "/other", "m.yaml")
    #expect(
      outcome.status == 2 && outcome.errors.contains("no run is known to have made it"), "\(outcome.errors)")
    #expect(
      try await command.run("run", "--cache-dir", command.directory + "/other", "--in-place", "m.yaml").status
        == 0)
    #expect(images().count == 4)
  }
}
