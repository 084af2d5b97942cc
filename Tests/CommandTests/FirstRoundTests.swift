import Foundation
import LoopbackServer
import Testing

/// Mistakes that are known before anything starts: all at once, each at its place, and with status 2.
@Suite("Mistakes in one round", .timeLimit(.minutes(8)))
struct FirstRoundTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 40, height: 30, seed: 1), to: "a.png")
    try command.write(PNGImage.bytes(width: 40, height: 30, seed: 2), to: "b.png")
    try FileManager.default.createDirectory(atPath: command.work + "/d", withIntermediateDirectories: true)
    try command.write(PNGImage.bytes(width: 40, height: 30, seed: 3), to: "d/a.png")
  }

  @Test("are all shown, also those of a long manifest", arguments: ["validate", "run", "plan"])
  func many(subcommand: String) async throws {
    let jobs = (0..<60).map { "  - {source: ./a.png, output: \($0).webp, wrong\($0): 1}\n" }.joined()
    try command.write("imagemill: 1\njobs:\n\(jobs)", to: "m.yaml")
    let outcome = try await command.run(subcommand, "m.yaml")
    #expect(outcome.status == 2)
    #expect((0..<60).allSatisfy { outcome.errors.contains("'wrong\($0)'") }, "\(outcome.errors)")
  }

  @Test(
    "include a quality that none of several outputs has, and not one that some have",
    arguments: [
      ("quality: 40, outputs: [{output: b.png}]", "error: png has no quality: remove 'quality'"),
      (
        "quality: 40, outputs: [{output: b.png}, {output: b.gif}]",
        "png, gif have no quality: remove 'quality'"
      ),
      ("quality: 40, output: \"b.{format}\", matrix: {format: [png, gif]}", "png, gif have no quality"),
      (
        "outputs: [{output: c.jpg}, {output: \"b.{format}\", quality: 4, matrix: {format: [png]}}]",
        "png has no quality"
      ),
      ("quality: 40, outputs: [{output: b.png}, {output: b.webp}]", ""),
      ("outputs: [{output: \"b.{format}\", quality: 4, matrix: {format: [png, webp]}}]", ""),
    ])
  func quality(job: String, said: String) async throws {
    try command.write("imagemill: 1\njobs:\n  - {source: ./a.png, \(job)}\n", to: "m.yaml")
    let outcome = try await command.run("validate", "m.yaml")
    #expect(outcome.status == (said.isEmpty ? 0 : 2), "\(outcome.errors)")
    #expect(said.isEmpty || outcome.errors.contains(said), "\(outcome.errors)")
  }

  /// A job, and what must be said of it in one round.
  static let jobs: [(job: String, said: [String])] = [
    (
      "output: \"b-{w}.jpg\", filter: \"fil:3,fit:abc,crcle\", encode: {progresive: true}, matrix: {w: 5}",
      ["'fil'", "'abc' is not a valid size", "'crcle'", "'progresive'", "'w' must be a list"]
    ),
    (
      "output: \"b-{w}.png\", filter: \"fit:{w}x,blur:x\", quality: 900, encode: {effort: 1, compression: high}, "
        + "matrix: {w: []}",
      ["'x' is not a valid radius", "'quality'", "'effort'", "'compression'", "'w' is an empty list"]
    ),
    (
      "output: \"b-{w}.webp\", encode: {effrt: 1}, frames: -1, matrix: 5",
      ["'effrt'", "'frames'", "'matrix' must be a mapping"]
    ),
    (
      "output: b.webp, filter: [fil:3, {fit: {width: x, heigth: 3}}, \"blur:-1,crcle\"]",
      ["'fil'", "'heigth'", "valid width", "'-1' is not a valid radius", "'crcle'"]
    ),
    (
      "output: \"b.{format}\", matrix: {format: [webpp, jpegg]}, encode: {qualty: 3}",
      ["'webpp'", "'jpegg'", "'qualty'"]
    ),
    ("output: b.png, filter: \"fit:abc:kernel=x:linear=maybe\"", ["'abc'", "'x'", "'maybe'"]),
  ]

  @Test("all mistakes of a job are reported at once, each on the job's line", arguments: jobs)
  func job(job: String, said: [String]) async throws {
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, \(job)}\n", to: "m.yaml")
    for name in ["validate", "run"] {
      let outcome = try await command.run(name, "m.yaml")
      #expect(outcome.status == 2)
      let errors = outcome.errors.split(separator: "\n").filter { $0.contains(": error: ") }
      #expect(errors.allSatisfy { $0.hasPrefix("m.yaml:3:") }, "\(outcome.errors)")
      for text in said { #expect(errors.contains { $0.contains(text) }, "\(text): \(outcome.errors)") }
      #expect(errors.count == said.count, "\(outcome.errors)")
    }
  }

  @Test("all wrong settings of a manifest and of the configuration file are reported at once")
  func settings() async throws {
    try command.write(
      "imagemill: 1\nsettings: {per-host: -2, timeout: soon, offline: perhaps, jobs: 0}\njobs: "
        + "[{source: a.png, output: x.webp, quality: 900}]\n", to: "m.yaml")
    let outcome = try await command.run("validate", "m.yaml")
    #expect(outcome.status == 2)
    for text in ["'per-host'", "'timeout'", "'offline'", "'jobs'", "'quality'"] {
      #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)")
    }
    let directory = command.directory + "/config/imagemill"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for (text, last) in [
      ("timeout = \"soon\"\nper-host = -2\noffline = \"perhaps\"\nquality = 400\njobs = 0\n", "jobs"),
      ("timeout = \"soon\"\nper-host = -2\noffline = \"perhaps\"\nquality = 400\nbogus = 0\n", "bogus"),
    ] {
      try Data(text.utf8).write(to: URL(filePath: directory + "/config.toml"))
      try command.write("imagemill: 1\njobs: [{source: a.png, output: x.webp}]\n", to: "m.yaml")
      let outcome = try await command.run("run", "m.yaml")
      #expect(outcome.status == 2)
      for (line, name) in ["timeout", "per-host", "offline", "quality", last].enumerated() {
        #expect(
          outcome.errors.split(separator: "\n").contains {
            $0.contains("config.toml:\(line + 1):1: error: ") && $0.contains("'\(name)'")
          },
          "\(name): \(outcome.errors)")
      }
    }
  }

  @Test("lists are checked by line and column, also without a template, and each mistake of a row by itself")
  func lists() async throws {
    try command.write("a.png\nftp://x/y\n\nhttp://[bad\n", to: "l.txt")
    let outcome = try await command.run("validate", "l.txt")
    #expect(outcome.status == 2)
    for place in ["l.txt:1:1: error: a list has no output paths", "l.txt:2:1: error: ", "l.txt:4:1: error: "]
    {
      #expect(outcome.errors.contains(place), "\(place): \(outcome.errors)")
    }
    try command.write("source,filter,output,quality\na.png,fil:3,x.jpg,900\n", to: "l.csv")
    let row = try await command.run("validate", "l.csv")
    #expect(row.status == 2)
    #expect(row.errors.contains("l.csv:2:7: error: unknown filter 'fil'"), "\(row.errors)")
    #expect(row.errors.contains("l.csv:2:19: error: 'quality'"), "\(row.errors)")
  }

  // MARK: Paths

  @Test("two sources with one output path are a usage error before anything is written: operands and lists")
  func onePath() async throws {
    try command.write("a.png\nd/a.png\n", to: "l.txt")
    for arguments in [
      ["convert", "a.png", "d/a.png", "-o", "{name}.webp"],
      ["pipe", "-o", "{name}.webp", "a.png", "d/a.png"],
      ["run", "l.txt", "-o", "{name}.webp"], ["plan", "l.txt", "-o", "{name}.webp"],
      ["validate", "l.txt", "-o", "{name}.webp"],
    ] {
      let outcome = try await command.run(arguments: arguments)
      #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains("the path 'a.webp'"), "\(arguments): \(outcome.errors)")
      #expect(command.read("a.webp") == nil)
    }
    // One source twice has one output.
    #expect(try await command.run("convert", "a.png", "a.png", "-o", "{name}.webp").status == 0)
  }

  @Test(
    "of two lines of a stream with one output path, the second one fails by name, and the first one's file stays"
  )
  func stream() async throws {
    let first = try await command.run("pipe", "-o", "{name}.webp", input: Data("a.png\n".utf8))
    #expect(first.status == 0)
    let made = try #require(command.read("a.webp"))
    let both = try await command.run("pipe", "-o", "{name}.webp", input: Data("a.png\nd/a.png\nb.png\n".utf8))
    #expect(both.status == 1)
    #expect(
      both.errors.contains("-:2:1: error: two outputs have the path 'a.webp' (first in line 1)"),
      "\(both.errors)")
    #expect(command.read("a.webp") == made)
    #expect(both.lines == ["a.webp", "b.webp"] || both.lines == ["b.webp", "a.webp"])
  }

  @Test(
    "an output over its own source is a mistake in validate too, and status 2 wherever it is known before")
  func ownSource() async throws {
    try command.write(
      "imagemill: 1\njobs:\n  - {source: b.png, output: c.png}\n  - {source: ./a.png, output: a.png}\n",
      to: "m.yaml")
    try command.write("b.png\na.png\n", to: "l.txt")
    for arguments in [
      ["validate", "m.yaml"], ["run", "m.yaml"], ["plan", "m.yaml"],
      ["validate", "l.txt", "-o", "{name}.png"],
      ["run", "l.txt", "-o", "{name}.png"], ["convert", "b.png", "a.png", "-o", "{name}.png"],
      ["pipe", "-o", "{name}.png", "b.png", "a.png"],
    ] {
      let outcome = try await command.run(arguments: arguments)
      #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains("the output 'a.png' would replace a source"), "\(outcome.errors)")
      if arguments[1].hasPrefix("m") {
        #expect(outcome.errors.hasPrefix("m.yaml:4:5: error: "), "\(outcome.errors)")
      }
      if arguments[1].hasPrefix("l") {
        #expect(outcome.errors.contains("l.txt:2:1: error: "), "\(outcome.errors)")
      }
    }
    #expect(command.files == ["a.png", "b.png", "d/a.png", "l.txt", "m.yaml"])
  }

  @Test("an output over a source is annotated in a GitHub workflow")
  func annotation() async throws {
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, output: a.png}\n", to: "m.yaml")
    for name in ["run", "validate", "plan"] {
      let outcome = try await command.run(
        [name, "m.yaml"], environment: ["GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": ""])
      #expect(outcome.status == 2)
      #expect(
        (outcome.errors + outcome.text).contains(
          "::error file=m.yaml,line=3,col=5,title=imagemill::the output"),
        "\(name): \(outcome.errors)")
      #expect(!outcome.errors.contains("imagemill: m.yaml:"), "\(outcome.errors)")
    }
  }

  // MARK: YAML

  static let traps: [(line: String, place: String, hint: String)] = [
    ("{source: a.png, output: {name}.png}", "3:29", "as in \"{name}.png\""),
    ("{source: a.png, output: out/{name}.png}", "3:29", "as in \"out/{name}.png\""),
    ("{source: a.png, output: {dir}/{name}.png}", "3:29", "as in \"{dir}/{name}.png\""),
    ("{source: a.png, output: {name}, format: png}", "3:29", "as in \"{name}\""),
    ("{source: a.png, output: b.jpg, background: #fff}", "3:48", "as in \"#fff\""),
    (
      "{source: a.png, output: b.jpg, background: #fff, quality: 3}\n  - {source: a.png, output: c.png}",
      "3:48", "#fff"
    ),
    ("{source: a.png, output: b.jpg, filter: [flatten: #fff, blur:2]}", "3:54", "as in \"#fff\""),
    ("{source: a.png, outputs: [{output: {name}-a.png}, {output: c.png}]}", "3:40", "as in \"{name}-a.png\""),
    ("source: a.png\n    output: {name}.png", "4:13", "as in \"{name}.png\""),
    ("source: a.png\n    output: b.png\n    background: #fff", "5:5", "#fff"),
  ]

  @Test(
    "a value that YAML reads as something else is named where it begins, with its quotes", arguments: traps)
  func quoting(line: String, place: String, hint: String) async throws {
    try command.write("imagemill: 1\njobs:\n  - \(line)\n", to: "m.yaml")
    let outcome = try await command.run("validate", "m.yaml")
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("m.yaml:\(place): error: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("quote") && outcome.errors.contains(hint), "\(outcome.errors)")
  }

  // MARK: Encoder options

  @Test(
    "an encoder option that no output's format has is an error where it was typed, and ignored where it is a default"
  )
  func encoderOptions() async throws {
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, output: x.png}\n", to: "png.yaml")
    try command.write(
      "imagemill: 1\njobs:\n  - {source: a.png, output: x.png}\n  - {source: a.png, output: x.webp}\n",
      to: "both.yaml")
    for arguments in [
      ["run", "--quality", "50", "png.yaml"], ["convert", "--quality", "50", "a.png", "y.png"],
      ["plan", "--quality=50", "png.yaml"],
    ] {
      let outcome = try await command.run(arguments: arguments)
      #expect(outcome.status == 2, "\(arguments)")
      #expect(outcome.errors == "imagemill: png has no quality: leave out --quality\n", "\(outcome.errors)")
    }
    let effort = try await command.run("run", "--encode", "effort=3", "png.yaml")
    #expect(effort.status == 2 && effort.errors.contains("leave out --encode effort"), "\(effort.errors)")
    #expect(try await command.run("run", "--encode", "effort=3", "--quality", "50", "both.yaml").status == 0)
    for variables in [
      ["IMAGEMILL_QUALITY": "50"], ["IMAGEMILL_MIN_SAVINGS": "10%"], ["IMAGEMILL_FORMAT": "webp"],
    ] {
      for arguments in [
        ["convert", "a.png", "y.png"], ["convert", "a.png", "b.png", "-o", "o/{name}.png"],
        ["run", "--force", "png.yaml"],
      ] {
        let outcome = try await command.run(arguments, environment: variables)
        #expect(outcome.status == 0, "\(variables) \(arguments): \(outcome.errors)")
      }
    }
    // A variable has its effect where the format has the option, unless the manifest says otherwise.
    let plain = try await command.run("convert", "a.png", "-")
    #expect(plain.status == 2)
    let formatted = try await command.run(
      ["convert", "a.png", "-"], environment: ["IMAGEMILL_FORMAT": "webp"])
    #expect(formatted.status == 0 && formatted.output.starts(with: Data("RIFF".utf8)), "\(formatted.errors)")
  }

  // MARK: What a thing is

  static let things: [(arguments: [String], status: Int32, said: String)] = [
    (["convert", "a.png", "-o", "d/"], 2, "the output 'd/' is a directory; name a file in it"),
    (["convert", "a.png", "-o", "d"], 2, "or use -o 'd/{name}.webp'"),
    (["convert", "a.png", "new/"], 2, "the output 'new/' is a directory"),
    (["pipe", "-o", "d/", "a.png"], 2, "the output 'd/' is a directory"),
    (
      ["convert", "--max-bytes", "10", "a.png", "y.webp"], 1,
      "a.png: read: the file is longer than 10 bytes; raise"
    ),
    (["convert", "-", "y.webp"], 1, "-: read: standard input is empty"),
    (["convert", "empty.jpg", "y.webp"], 1, "empty.jpg: read: the file 'empty.jpg' is empty"),
    (
      ["convert", "text.jpg", "y.webp"], 1,
      "the file is plain text, not an image; check the source's path or URL"
    ),
    (
      ["convert", "my list.txt", "y.webp"], 1,
      "my list.txt: decode: the file is plain text, not an image; to convert the sources that it lists, write "
        + "'imagemill pipe -o TEMPLATE < 'my list.txt''\n"
    ),
    (
      ["convert", "-o", "{name}.webp", "urls.txt"], 1,
      "not an image; to convert the sources that it lists, write 'imagemill pipe -o TEMPLATE < urls.txt'"
    ),
    (
      ["convert", "a.png", "-f", "overlay:logo", "y.webp"], 1,
      "logo: read: there is no file 'logo'; to name a source, use --source logo=FILE\n"
    ),
    (
      ["convert", "-o", "{name}.webp", "a.png", "-f", "overlay:logo"], 1,
      "logo: read: there is no file 'logo'; to name a source, use --source logo=FILE\n"
    ),
    (
      ["convert", "a.png", "-f", "overlay:logo.png", "y.webp"], 1,
      "logo.png: read: there is no file 'logo.png'\n"
    ),
    (["convert", "logo", "y.webp"], 1, "logo: read: there is no file 'logo'\n"),
    (
      ["validate", "dir.yaml"], 2,
      "dir.yaml:3:29: error: 'd/' is a directory: name a file in it, as in 'd/{name}.webp'"
    ),
  ]

  @Test("a message names the thing that is wrong, and a remedy for it", arguments: things)
  func thing(arguments: [String], status: Int32, said: String) async throws {
    try command.write("hello world\n", to: "text.jpg")
    for name in ["my list.txt", "urls.txt"] { try command.write("a.png\n", to: name) }
    try command.write("", to: "empty.jpg")
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, output: d/}\n", to: "dir.yaml")
    let outcome = try await command.run(arguments: arguments)
    #expect(outcome.status == status && outcome.errors.contains(said), "\(outcome.status): \(outcome.errors)")
  }
}
