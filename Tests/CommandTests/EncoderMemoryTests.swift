import Foundation
import LoopbackServer
import Testing

/// Encoders that need more than `--memory`. Each says so in its own way, or not at all.
@Suite("Encoders without memory", .timeLimit(.minutes(8)))
struct EncoderMemoryTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 40, height: 30, seed: 1), to: "a.png")
  }

  @Test(
    "fail their output by name, leave no file, and are tried again", arguments: ["gif", "avif", "jxl"])
  func outOfMemory(format: String) async throws {
    let arguments = [
      "pipe", "--json", "--memory", "100MB", "-j", "1", "-f", "scale:9000x6000", "-o", "large.\(format)",
      "a.png",
    ]
    for _ in 0..<2 {
      let outcome = try await command.run(arguments: arguments)
      #expect(outcome.status == 1, "\(outcome.errors)")
      #expect(outcome.text.contains(#""code":"out-of-memory""#), "\(outcome.text)")
      // A failure that is remembered has other advice.
      #expect(
        outcome.errors.contains("rendering ran out of the worker's memory; raise --memory\n"),
        "\(outcome.errors)")
      #expect(command.read("large.\(format)") == nil)
    }
  }

  @Test("don't fail the other outputs of their source")
  func others() async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: a.png
          filter: "scale:9000x6000"
          outputs: [{output: large.avif}, {output: small.png, filter: "fit:20x"}]
      """, to: "m.yaml")
    let outcome = try await command.run("run", "--memory", "100MB", "-j", "1", "m.yaml")
    #expect(outcome.status == 1 && outcome.errors.contains("raise --memory"), "\(outcome.errors)")
    #expect(command.read("large.avif") == nil && command.read("small.png") != nil)
  }
}
