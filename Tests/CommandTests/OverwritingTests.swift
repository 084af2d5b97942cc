import Foundation
import LoopbackServer
import Testing

/// What stands in an output's place already: a source, somebody's own file, or an earlier run's.
@Suite("Files that must not be lost", .timeLimit(.minutes(8)))
struct OverwritingTests {
  private let command: CommandRun
  private let original = Data(PNGImage.bytes(width: 40, height: 30, seed: 1))
  private let other = Data(PNGImage.bytes(width: 40, height: 30, seed: 2))

  init() throws {
    command = try CommandRun()
    try command.write(Array(original), to: "a.png")
    try command.write(Array(other), to: "b.png")
  }

  private func manifest(_ jobs: String..., name: String = "m.yaml") throws {
    try command.write(
      "imagemill: 1\njobs:\n" + jobs.map { "  - {\($0)}\n" }.joined(), to: name)
  }

  /// Ways of naming a.png that differ as texts.
  private static let spellings = ["a.png", "./a.png", "sub/../a.png", "link.png", "hard.png", "dir/a.png"]

  private func makeLinks() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: command.work + "/sub", withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: command.work + "/link.png", withDestinationPath: "a.png")
    try files.linkItem(atPath: command.work + "/a.png", toPath: command.work + "/hard.png")
    try files.createSymbolicLink(atPath: command.work + "/dir", withDestinationPath: ".")
  }

  @Test(
    "no command replaces a source of the same run, however it and the output are spelled",
    arguments: spellings, spellings)
  func sources(_ source: String, _ output: String) async throws {
    try makeLinks()
    try manifest("source: ./\(source), filter: fit:10x10, output: \"\(output)\"")
    var commands = [["run", "--allow-outside", "m.yaml"], ["convert", source, "-f", "fit:10x10", output]]
    if source == output {
      commands += [
        ["plan", "--allow-outside", "m.yaml"], ["run", "--dry-run", "--allow-outside", "m.yaml"],
      ]
    }
    for arguments in commands {
      let outcome = try await command.run(arguments: arguments)
      #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains("--in-place"), "\(outcome.errors)")
      #expect(command.read("a.png") == original)
    }
    guard source == output else { return }
    let piped = try await command.run(
      "pipe", "-f", "fit:10x10", "--allow-outside", "-o", output, input: Data((source + "\n").utf8))
    #expect(piped.status == 1)
    #expect(piped.errors.contains("would replace a source"), "\(piped.errors)")
    #expect(command.read("a.png") == original)
  }

  @Test("an output in a directory that is another output is a mistake with its place before anything starts")
  func outputAsDirectory() async throws {
    try manifest(
      "source: ./a.png, output: x/a.webp", "source: ./b.png, output: x/a.webp/y/b.webp",
      "source: ./b.png, output: x/b.webp")
    for name in ["validate", "run", "plan"] {
      let outcome = try await command.run(name, "m.yaml")
      #expect(
        outcome.status == 2
          && outcome.errors.contains(
            "m.yaml:4:5: error: 'x/a.webp/y/b.webp' can't be written: 'x/a.webp' is the output in line 3, a file"
          ),
        "\(outcome.errors)")
      #expect(!outcome.errors.contains("m.yaml:5"), "\(outcome.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: command.work + "/x"))
  }

  @Test("a directory of the current directory is none in the way of an output in another one")
  func otherDirectory() async throws {
    let files = FileManager.default
    try files.createDirectory(atPath: command.work + "/d.webp", withIntermediateDirectories: true)
    for name in ["pipe", "run"] {
      let list = name == "run" ? ["list.txt"] : []
      try command.write("a.png\n", to: "list.txt")
      let outcome = try await command.run(
        arguments: [name, "-C", name, "-o", "d.webp"] + list, input: Data("a.png\n".utf8))
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
      #expect(command.read("\(name)/d.webp") != nil)
      try files.createDirectory(atPath: command.work + "/\(name)2/d.webp", withIntermediateDirectories: true)
      let refused = try await command.run(
        arguments: [name, "-C", name + "2", "-o", "d.webp"] + list, input: Data("a.png\n".utf8))
      #expect(refused.status == 2 && refused.errors.contains("is a directory"), "\(name): \(refused.errors)")
    }
  }

  @Test(
    "an output in a directory's place, or behind a file, is a mistake with its place before anything starts")
  func directories() async throws {
    let files = FileManager.default
    try files.createDirectory(atPath: command.work + "/out/d.webp", withIntermediateDirectories: true)
    try manifest(
      "source: ./a.png, output: one.webp", "source: ./a.png, output: \"{name}\", format: webp",
      "source: ./b.png, output: d.webp")
    let directory =
      "m.yaml:5:5: error: 'd.webp' is a directory: name a file in it, as in 'd.webp/{name}.webp'"
    for arguments in [["run", "-C", "out"], ["plan", "-C", "out"], ["run", "--check", "-C", "out"]] {
      let outcome = try await command.run(arguments: arguments + ["m.yaml"])
      #expect(outcome.status == 2 && outcome.errors.contains(directory), "\(outcome.errors)")
      #expect(!files.fileExists(atPath: command.work + "/out/one.webp"))
    }
    try manifest("source: ./a.png, output: d.webp", "source: ./b.png, output: b.png/x.webp")
    try files.createDirectory(atPath: command.work + "/d.webp", withIntermediateDirectories: true)
    for arguments in [["validate"], ["run"], ["run", "--in-place"], ["plan"]] {
      let outcome = try await command.run(arguments: arguments + ["m.yaml"])
      #expect(outcome.status == 2, "\(outcome.errors)")
      #expect(
        outcome.errors.contains("m.yaml:3:5: error: 'd.webp' is a directory: name a file in it")
          && outcome.errors.contains(
            "m.yaml:4:5: error: 'b.png/x.webp' can't be written: 'b.png' is a file, not a directory"),
        "\(outcome.errors)")
    }
    try command.write("source,to\na.png,one\nb.png,d\n", to: "x.csv")
    for name in ["validate", "run"] {
      let outcome = try await command.run(name, "-o", "{to}.webp", "x.csv")
      #expect(
        outcome.status == 2 && outcome.errors.contains("x.csv:3:1: error: 'd.webp' is a directory"),
        "\(outcome.errors)")
      #expect(command.read("one.webp") == nil)
    }
    try files.createDirectory(atPath: command.work + "/a", withIntermediateDirectories: true)
    for name in ["pipe", "convert"] {
      let outcome = try await command.run(name, "-o", "{name}", "--format", "webp", "b.png", "a.png")
      #expect(outcome.status == 2 && outcome.errors.contains("'a' is a directory: name"), "\(outcome.errors)")
      #expect(command.read("b") == nil)
    }
    for arguments in [["convert", "a.png", "d.webp"], ["convert", "-o", "d.webp", "a.png"]] {
      let outcome = try await command.run(arguments: arguments)
      #expect(
        outcome.status == 2 && outcome.errors.contains("is a directory; name a file"), "\(outcome.errors)")
    }
    try command.write(Array(other), to: "d.png")
    let streamed = try await command.run("pipe", "-o", "{name}.webp", input: Data("a.png\nd.png\n".utf8))
    #expect(streamed.status == 1 && command.read("a.webp") != nil, "\(streamed.errors)")
    #expect(streamed.errors.contains("can't replace d.webp: Is a directory"), "\(streamed.errors)")
  }

  @Test("a list whose template names its own sources loses none of them, at the first run and at the second")
  func ownNames() async throws {
    for _ in 0..<2 {
      let outcome = try await command.run(
        "pipe", "-f", "fit:10x", "-o", "{name}.png", input: Data("a.png\nb.png\n".utf8))
      #expect(outcome.status == 1)
      #expect(command.read("a.png") == original && command.read("b.png") == other)
    }
    try command.write("a.png\nb.png\n", to: "list.txt")
    let outcome = try await command.run("run", "-f", "fit:10x", "-o", "{name}.png", "list.txt")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(command.read("a.png") == original && command.read("b.png") == other)
  }

  @Test(
    "no output replaces what another job reads: a source, an overlay, a mask, a placeholder",
    arguments: [
      "source: ./b.png, output: made.png",
      "source: ./c.png, filter: \"overlay:./b.png\", output: made.png",
      "source: ./c.png, filter: \"mask:./b.png\", output: made.png",
      "source: ./none.png, placeholder: ./b.png, output: made.png",
      "source: [./none.png, ./b.png], output: made.png",
    ])
  func others(_ reader: String) async throws {
    try command.write(Array(original), to: "c.png")
    try manifest("source: ./a.png, filter: flip, output: b.png", reader)
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("m.yaml:3:"), "\(outcome.errors)")
    #expect(command.read("b.png") == other)
    #expect(command.read("made.png") == nil, "nothing was started")
  }

  @Test("two images that would take each other's place lose neither, in a document and in a list")
  func exchange() async throws {
    try manifest(
      "source: ./a.png, filter: flip, output: b.png", "source: ./b.png, filter: flip, output: a.png")
    #expect(try await command.run("run", "m.yaml").status == 2)
    try command.write("source,to\na.png,b\nb.png,a\n", to: "x.csv")
    let outcome = try await command.run("run", "-f", "flip", "-o", "{to}.png", "x.csv")
    #expect(outcome.status == 2)
    #expect(command.read("a.png") == original && command.read("b.png") == other)
  }

  @Test("a file that a run has made may be the source of another job")
  func chained() async throws {
    try manifest("source: ./a.png, filter: flip, output: mid.png")
    #expect(try await command.run("run", "m.yaml").status == 0)
    try manifest(
      "source: ./a.png, filter: flop, output: mid.png", "source: ./mid.png, filter: fit:5x5, output: end.png")
    let outcome = try await command.run("plan", "m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "an output that its own job reads if something is missing is refused before the file is there, as by validate",
    arguments: [
      "source: a.png, placeholder: o/x.png, output: o/x.png", "source: [a.png, o/x.png], output: o/x.png",
      "source: a.png, filter: \"overlay:o/x.png\", output: o/x.png",
    ])
  func ownFallback(job: String) async throws {
    try command.write("imagemill: 1\njobs:\n  - {\(job)}\n", to: "own.yaml")
    for words in [["validate", "own.yaml"], ["plan", "own.yaml"], ["run", "own.yaml"]] {
      let outcome = try await command.run(words)
      #expect(
        outcome.status == 2 && outcome.errors.contains("o/x.png' would replace a source"),
        "\(words): \(outcome.text)\(outcome.errors)")
    }
    #expect(command.read("o/x.png") == nil)
  }

  @Test("no output replaces the manifest, nor the table that its jobs come from")
  func manifests() async throws {
    try command.write("source,name\na.png,x\n", to: "t.csv")
    for (text, name) in [
      ("jobs: [{source: a.png, output: m.yaml, format: png}]", "m.yaml"),
      (
        "jobs:\n  - {source: a.png, output: t.csv, format: png}\n  - {from: t.csv, output: \"{name}.webp\"}",
        "t.csv"
      ),
    ] {
      try command.write("imagemill: 1\n\(text)\n", to: "m.yaml")
      let before = command.read(name)
      for words in [["validate", "m.yaml"], ["plan", "m.yaml"], ["run", "m.yaml"]] {
        let outcome = try await command.run(words)
        #expect(outcome.status == 2, "\(words): \(outcome.text)\(outcome.errors)")
        #expect(outcome.errors.contains("'\(name)' would replace a source"), "\(outcome.errors)")
      }
      #expect(command.read(name) == before)
    }
  }

  @Test(
    "a selection of jobs replaces no source of the others",
    arguments: [["m.yaml", "b.png"], ["--failed", "m.yaml"], ["m.yaml", "--failed=r.ndjson"]])
  func selection(words: [String]) async throws {
    let first = "source: ./\(words.contains("b.png") ? "a" : "none").png, filter: fit:5x5, output: b.png"
    try manifest(first)
    let place = words.contains("--failed") ? [] : ["-C", "elsewhere"]
    let failing = try await command.run(arguments: ["run", "--report", "r.ndjson", "m.yaml"] + place)
    #expect(failing.status == (words.contains("b.png") ? 0 : 1), "\(failing.errors)")
    try command.write(Array(original), to: "none.png")
    try manifest(first, "source: ./b.png, output: last.png")
    for selected in [["m.yaml"], words] {
      let outcome = try await command.run(["run"] + selected)
      #expect(outcome.status == 2, "\(selected): \(outcome.text)\(outcome.errors)")
      #expect(outcome.errors.contains("would replace a source"), "\(outcome.errors)")
      #expect(command.read("b.png") == other)
    }
  }

  @Test(
    "a line whose source was replaced by the output of an earlier line fails, however late it comes",
    arguments: ["pipe --input csv", "run -"])
  func lateLine(words: String) async throws {
    let outcome = try await command.run(
      [
        "-c",
        """
        (printf 'source,output,filter\\na.png,b.png,fit:5x5\\n'
         while [ "$(wc -c < b.png)" = \(other.count) ]; do sleep 0.05; done
         printf 'b.png,last.png,\\n') | '\(CommandRun.executable)' \(words)
        """,
      ], executable: "/bin/bash")
    #expect(outcome.status == 1, "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("replaced the source 'b.png'"), "\(outcome.errors)")
    #expect(command.read("last.png") == nil)
  }

  @Test("a line reads the output of an earlier one where there was no file, or an earlier run's")
  func chainedLines() async throws {
    for filter in ["fit:9x9", "fit:7x7"] {
      try? FileManager.default.removeItem(atPath: command.work + "/done")
      let outcome = try await command.run(
        [
          "-c",
          """
          set -o pipefail
          (printf 'source,output,filter\\na.png,mid.png,\(filter)\\n'
           until [ -s done ]; do sleep 0.05; done
           printf 'mid.png,last.png,\\n') | '\(CommandRun.executable)' pipe --input csv | tee done
          """,
        ], executable: "/bin/bash")
      #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
      #expect(command.read("last.png").flatMap { PNGImage.size(of: $0) } != nil)
    }
  }

  @Test("--no-clobber keeps a file that no run has written, and one that was edited since")
  func noClobber() async throws {
    try command.write("my own", to: "made.png")
    try manifest(
      "source: ./a.png, filter: flip, output: made.png", "source: ./a.png, filter: flop, output: new.png")
    for _ in 0..<2 {
      let outcome = try await command.run("run", "--no-clobber", "m.yaml")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("made.png is kept"))
      #expect(outcome.errors.contains("1 kept"))
      #expect(command.read("made.png") == Data("my own".utf8))
      #expect(command.read("new.png") != nil)
    }
    #expect(try await command.run("plan", "--no-clobber", "m.yaml").text.contains("keep        ") == true)
    try manifest("source: ./a.png, filter: rotate:90, output: new.png")
    #expect(try await command.run("run", "--no-clobber", "m.yaml").status == 0)
    let made = try #require(command.read("new.png"))
    #expect(made != original, "its own file is replaced")
    try command.write("edited", to: "new.png")
    #expect(try await command.run("run", "--no-clobber", "m.yaml").status == 0)
    #expect(command.read("new.png") == Data("edited".utf8))
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(command.read("new.png") == made)
  }

  @Test("--no-clobber keeps a file whose path depends on what was made, and convert's")
  func noClobberLate() async throws {
    try command.write("my own", to: "10x8.png")
    let piped = try await command.run(
      "pipe", "--no-clobber", "--json", "-f", "fit:10x", "-o", "{width}x{height}.png",
      input: Data("a.png\n".utf8))
    #expect(piped.status == 0)
    #expect(piped.text.contains("\"status\":\"kept\""), "\(piped.text)")
    #expect(command.read("10x8.png") == Data("my own".utf8))
    let converted = try await command.run("convert", "--no-clobber", "a.png", "10x8.png")
    #expect(converted.status == 0)
    #expect(converted.errors.contains("kept"))
    #expect(command.read("10x8.png") == Data("my own".utf8))
    #expect(try await command.run("convert", "--no-clobber", "a.png", "fresh.png").status == 0)
    #expect(command.read("fresh.png") != nil)
  }
}
