import Foundation
import LoopbackServer
import Testing

@Suite("Several mistakes in options", .timeLimit(.minutes(8)))
struct OptionMistakeTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 9, height: 7), to: "a.png")
    try command.write("imagemill: 1\njobs:\n  - {source: a.png, output: b.webp}\n", to: "m.yaml")
  }

  @Test(
    "are told at once",
    arguments: [
      (
        ["convert", "a.png", "b.webp", "-f", "fil:10,cirle", "--quality", "500"],
        ["unknown filter 'fil'", "unknown filter 'cirle'", "--quality must be 1…100"]
      ),
      (
        ["convert", "a.png", "-o", "{nam", "-f", "fil:10", "-f", "cirle", "--frames", "x"],
        ["unknown filter 'fil'", "unknown filter 'cirle'", "unmatched '{'", "--frames must be"]
      ),
      (
        ["pipe", "-f", "fil:10,text:{name},cirle", "--quality", "500"],
        ["unknown filter 'fil'", "unknown filter 'cirle'", "pipe needs -o", "--quality must be 1…100"]
      ),
      (
        ["run", "-f", "fil:10", "-o", "{nam", "--quality", "500", "m.yaml"],
        ["unknown filter 'fil'", "unmatched '{'", "--quality must be 1…100"]
      ),
      (
        ["convert", "a.png", "b.png", "--encode", "lossless=true", "--encode", "foo=1", "--orient", "x"],
        ["png has no option 'lossless'", "png has no option 'foo'", "--orient must be"]
      ),
      (
        ["convert", "a.png", "b.jpg", "--format", "webpp", "--encode", "lossless=true", "--quality", "x"],
        ["unknown format 'webpp'", "--quality must be 1…100"]
      ),
      (
        ["convert", "a.png", "b.webp", "--format", "auto", "--encode", "tile=1"],
        ["the path can't end in '.webp'"]
      ),
    ])
  func together(arguments: [String], words: [String]) async throws {
    let outcome = try await command.run(arguments: arguments)
    #expect(outcome.status == 2)
    for mistake in words { #expect(outcome.errors.contains(mistake), "\(mistake): \(outcome.errors)") }
    let lines = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("  ") }
    #expect(lines.count == words.count && lines.allSatisfy { $0.hasPrefix("imagemill: ") }, "\(lines)")
  }

  @Test("a pattern in place of the one source needs -o")
  func pattern() async throws {
    let outcome = try await command.run("convert", "*.png", "b.webp")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(
      outcome.errors
        == "imagemill: '*.png' is a pattern; several sources need -o TEMPLATE, such as -o '{name}.webp'\n")
    #expect(try await command.run("convert", "*.png", "-o", "{name}.webp").status == 0)
    let none = try await command.run("convert", "*.gif", "b.webp")
    #expect(none.status == 1 && none.errors.contains("no file '*.gif'"), "\(none.errors)")
  }

  @Test(
    "a short option with its value in one word is told apart",
    arguments: [
      (["convert", "-ffit:10x", "a.png", "x.webp"], "unknown option '-ffit:10x'; write '-f fit:10x'"),
      (["convert", "-qffit:10x", "a.png", "x.webp"], "unknown option '-qffit:10x'; write '-qf fit:10x'"),
      (["run", "-o{name}.webp", "l.txt"], "unknown option '-o{name}.webp'; write '-o '{name}.webp''"),
      (["run", "-j1", "m.yaml"], "unknown option '-j1'; write '-j 1'"),
    ])
  func joinedValues(arguments: [String], said: String) async throws {
    let outcome = try await command.run(arguments: arguments)
    #expect(outcome.status == 2 && outcome.errors.hasPrefix("imagemill: \(said)\n"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("The image to convert"), "\(outcome.errors)")
    // An operand that is missing is told as before.
    let missing = try await command.run("convert", "-f", "fit:10x")
    #expect(missing.errors.hasPrefix("imagemill: missing expected argument"), "\(missing.errors)")
  }

  @Test(
    "options that write to standard output are named once",
    arguments: [
      (
        ["--emit", "picture=-", "--emit", "srcset=-"],
        "several --emit write to standard output; name a file for each"
      ),
      (
        ["--emit", "picture=-", "--events", "-"],
        "--emit and --events both write to standard output; name a file"
      ),
      (
        ["--emit", "picture=-", "--events", "-", "--metrics", "-"], "--emit, --events, --metrics all write to"
      ),
    ])
  func standardOutput(options: [String], said: String) async throws {
    let outcome = try await command.run(arguments: ["run"] + options + ["m.yaml"])
    #expect(outcome.status == 2 && outcome.errors.hasPrefix("imagemill: \(said)"), "\(outcome.errors)")
  }

  @Test("outputs that are kept are counted with the others")
  func kept() async throws {
    try command.write("mine", to: "b.webp")
    let outcome = try await command.run("run", "--no-clobber", "m.yaml")
    #expect(outcome.errors.contains("outputs 1: 1 kept"), "\(outcome.errors)")
  }
}
