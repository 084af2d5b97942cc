import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Command lines that a stranger types: each does what it says, or names the mistake where it was made.
@Suite("A stranger at the keyboard", .timeLimit(.minutes(8)))
struct StrangerTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, output: a.webp}\n", to: "m.yaml")
  }

  @Test(
    "a wrong value of an output option is the option's mistake, not the manifest's",
    arguments: [
      ("--quality", "high", "--quality must be 1…100, not 'high'"),
      ("--quality", "0", "--quality must be 1…100, not '0'"),
      ("--metadata", "some", "--metadata must be one of none, copyright, all, not 'some'"),
      ("--background", "nocolor", "--background must be a CSS color name"),
      ("--frames", "0", "--frames must be all, first or a whole number"),
      ("--orient", "up", "--orient must be apply or keep, not 'up'"),
      ("--profile", "none.icc", "--profile must be srgb, keep or a readable ICC file, not 'none.icc'"),
      ("--format", "jpgg", "--format: unknown format 'jpgg' (did you mean 'jpeg'?)"),
      ("--min-savings", "much", "--min-savings must be"),
    ])
  func outputOptions(_ option: String, _ value: String, _ words: String) async throws {
    for line in [
      ["run", "m.yaml"], ["plan", "m.yaml"], ["convert", "a.png", "b.webp"],
      ["convert", "-o", "{name}.jpg", "a.png"],
      ["pipe", "-o", "{name}.jpg", "a.png"], ["pipe", "-o", "{name}.jpg"],
    ] {
      let outcome = try await command.run(
        [line[0], option, value] + line.dropFirst(), input: Data("a.png\n".utf8))
      #expect(outcome.status == 2, "\(line): \(outcome.errors)")
      #expect(outcome.errors.hasPrefix("imagemill: \(words)"), "\(line): \(outcome.errors)")
    }
    #expect(command.files == ["a.png", "m.yaml"])
  }

  @Test(
    "a word too many is named",
    arguments: [
      (["inspect", "-", "-"], "standard input has one image: give '-' once"),
      (["help", "run", "extra"], "help shows one topic; 'extra' isn't a part of 'run'"),
      (["help", "cache", "purge", "now"], "help shows one topic"),
    ])
  func tooMany(_ line: [String], _ words: String) async throws {
    let outcome = try await command.run(arguments: line)
    #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
    let page = try await command.run("help", "cache", "purge")
    #expect(page.status == 0 && String(decoding: page.output, as: UTF8.self).contains("purge"))
  }

  @Test(
    "values that could never work are refused before anything starts",
    arguments: [
      (["--timeout", "0"], "--timeout must be more than 0"),
      (["--connect-timeout", "0s"], "--connect-timeout must be more than 0"),
      (["--stall-timeout", "0ms"], "--stall-timeout must be more than 0"),
      (["--job-timeout", "0"], "--job-timeout must be more than 0"),
      (["-H", "a: b", "--header-for", "example.com"], "--header-for takes an origin"),
      (["-H", "a: b", "--header-for", "https://example.com/path"], "--header-for takes an origin"),
      (["--header-for", "https://example.com"], "--header-for needs -H"),
      (["--user", ""], "--user needs a name"),
      (["--lock", ""], "--lock needs the name of a file"),
      (["--emit", "picture="], "--emit needs the name of a file"),
      (["--events", ""], "--events needs the name of a file"),
      (["--metrics", ""], "--metrics needs the name of a file"),
    ])
  func impossible(_ options: [String], _ words: String) async throws {
    let outcome = try await command.run(["run"] + options + ["m.yaml"])
    #expect(outcome.status == 2 && outcome.errors.hasPrefix("imagemill: \(words)"), "\(outcome.errors)")
    #expect(command.files == ["a.png", "m.yaml"])
  }

  @Test("an origin of --header-for may be spelled in other ways")
  func headerOrigin() async throws {
    for origin in ["https://Example.com", "https://example.com/", "https://example.com:443"] {
      let outcome = try await command.run("run", "-H", "a: b", "--header-for", origin, "m.yaml")
      #expect(outcome.status == 0, "\(origin): \(outcome.errors)")
    }
  }

  @Test(
    "an option of another command is named with its commands, and a long option with one dash with its right spelling",
    arguments: [
      (["convert", "--report", "r.json", "a.png", "b.png"], "it is an option of 'run', 'pipe'"),
      (["validate", "-C", "x", "m.yaml"], "it is an option of 'run'"),
      (["pipe", "--check"], "it is an option of 'run'"),
      (["convert", "-quality", "80", "a.png", "b.webp"], "unknown option '-quality'; use --quality"),
      (["convert", "-resize", "80x", "a.png", "b.webp"], "unknown option '-resize'; use -f limit:WxH"),
      (["convert", "-metadata", "none", "a.png", "b.webp"], "unknown option '-metadata'; use --metadata"),
      (["convert", "-Q", "80", "a.png", "b.webp"], "unknown option '-Q'; use --quality"),
    ])
  func otherOptions(_ line: [String], _ words: String) async throws {
    let outcome = try await command.run(line)
    #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test("a file whose name begins with a dash is named with a spelling that works")
  func dash() async throws {
    try command.write(PNGImage.bytes(width: 4, height: 3), to: "-dash.png")
    let outcome = try await command.run("convert", "-dash.png", "b.webp")
    #expect(outcome.status == 2 && outcome.errors.contains("write './-dash.png'"), "\(outcome.errors)")
    #expect(try await command.run("convert", "./-dash.png", "b.webp").status == 0)
    #expect(try await command.run("convert", "--", "-dash.png", "c.webp").status == 0)
  }

  @Test("an image in the place of a list or a manifest is one mistake")
  func binary() async throws {
    var noise = SeededRandom(seed: 7)
    let bytes =
      PNGImage.bytes(width: 40, height: 30) + (0..<9000).map { _ in UInt8.random(in: 0...255, using: &noise) }
    try command.write(bytes, to: "image.yaml")
    for name in ["image.yaml", "-"] {
      let outcome = try await command.run("run", name, input: Data(bytes))
      #expect(
        outcome.status == 2
          && outcome.errors
            == "\(name):1:1: error: this is binary data, not a manifest; 'imagemill convert' converts images\n",
        "\(outcome.errors)")
    }
    let piped = try await command.run("pipe", "-o", "x.webp", input: Data(bytes))
    #expect(
      piped.status != 0
        && piped.errors.hasPrefix(
          "-:1:1: error: this is binary data, not a list; 'imagemill convert' converts images\n"),
      "\(piped.errors)")
    #expect(piped.errors.split(separator: "\n").count <= 3, "\(piped.errors)")
  }

  @Test("lines that end in NUL without -0, quoted lines and JSON lines are named with what reads them")
  func lines() async throws {
    let separated = Data("a.png\0m.yaml\0".utf8)
    let lines = try await command.run("pipe", "-o", "{name}.webp", input: separated)
    #expect(
      lines.status != 0
        && lines.errors.hasPrefix(
          "-:1:1: error: the lines have NUL characters; 'imagemill pipe -0' reads records that end in NUL\n"),
      "\(lines.errors)")
    for (line, words) in [
      ("\"a.png\"", "a line is taken literally: remove the quotes"),
      ("'a.png'", "a line is taken literally: remove the quotes"),
      ("{\"source\":\"a.png\"}", "this line is JSON: read the input as NDJSON"),
      ("dir\\a.png", "write '/' between directories"),
    ] {
      let outcome = try await command.run("pipe", "-o", "{name}.webp", input: Data((line + "\n").utf8))
      #expect(outcome.status == 1 && outcome.errors.contains(words), "\(outcome.errors)")
    }
    try command.write("source;id\na.png;7\n", to: "s.csv")
    let table = try await command.run("validate", "-o", "{id}.webp", "s.csv")
    #expect(
      table.status == 2 && table.errors.contains("its cells are separated by ';'; use commas"),
      "\(table.errors)")
  }

  @Test("a directory is no manifest, and has no first line")
  func directory() async throws {
    try FileManager.default.createDirectory(atPath: command.work + "/d", withIntermediateDirectories: true)
    for line in [["run", "d"], ["validate", "d"], ["plan", "d/"], ["run", "m.yaml", "d"]] {
      let outcome = try await command.run(line)
      #expect(
        outcome.status == 2
          && outcome.errors.hasPrefix("\(line.last ?? ""): error: can't be opened: Is a directory"),
        "\(outcome.errors)")
    }
  }

  @Test("--failed after a run without failures says so")
  func nothingFailed() async throws {
    #expect(try await command.run("run", "m.yaml").status == 0)
    let run = try await command.run("run", "--failed", "m.yaml")
    #expect(
      run.status == 0 && run.errors.contains("note: no job failed in the earlier run\n"), "\(run.errors)")
    #expect(try await command.run("pipe", "-o", "p.webp", "a.png").status == 0)
    let piped = try await command.run("pipe", "--failed", "-o", "p.webp", "a.png")
    #expect(
      piped.status == 0 && piped.errors.contains("note: no line failed in the earlier run\n"),
      "\(piped.errors)")
  }

  @Test(
    "help fits into any width, and never ends the program",
    arguments: ["1", "10", "20", "39", "40", "300", "x"])
  func width(_ columns: String) async throws {
    for line in [["--help"], ["run", "--help"], ["cache", "--help"]] {
      let outcome = try await command.run(line, environment: ["COLUMNS": columns])
      #expect(outcome.status == 0 && outcome.text.contains("USAGE:"), "\(columns): \(outcome.errors)")
    }
    let wrong = try await command.run("run", "--timeout", "x", environment: ["COLUMNS": columns])
    #expect(wrong.status == 2 && wrong.errors.contains("is invalid for '--timeout <dur>'"), "\(wrong.errors)")
  }

  @Test("'config' refuses a wrong variable, as a run does")
  func variable() async throws {
    for line in [["config"], ["run", "m.yaml"]] {
      let outcome = try await command.run(line, environment: ["IMAGEMILL_PER_HOST": "many"])
      #expect(
        outcome.status == 2
          && outcome.errors.hasPrefix("imagemill: IMAGEMILL_PER_HOST: the value 'many' is invalid"),
        "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test("'pipe --dry-run' prints paths, and refuses --json instead of ignoring it")
  func dryRun() async throws {
    #expect(try await command.run("pipe", "-n", "-o", "{name}.webp", "a.png").text == "a.webp\n")
    let outcome = try await command.run("pipe", "-n", "--json", "-o", "{name}.webp", "a.png")
    #expect(
      outcome.status == 2 && outcome.errors.contains("--dry-run prints paths only"), "\(outcome.errors)")
  }

  @Test("an unchanged output that the cache no longer knows isn't called edited")
  func forgotten() async throws {
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(try await command.run("cache", "purge", "--to", "0").status == 0)
    let outcome = try await command.run("cache", "explain", "a.webp")
    #expect(!outcome.text.contains("changed since"), "\(outcome.text)")
    #expect(
      outcome.text.contains("no longer in the cache") || outcome.text.contains("up to date"),
      "\(outcome.text)")
  }

  @Test("the messages of one image have one form, whichever command reads it")
  func messages() async throws {
    for line in [["convert", "none.png", "b.png"], ["inspect", "none.png"]] {
      let outcome = try await command.run(line)
      #expect(
        outcome.status == 1 && outcome.errors == "imagemill: none.png: read: there is no file 'none.png'\n",
        "\(outcome.errors)")
    }
  }
}
