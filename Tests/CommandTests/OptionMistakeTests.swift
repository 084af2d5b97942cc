import Foundation
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
}
