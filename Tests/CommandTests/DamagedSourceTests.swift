import LoopbackServer
import Testing

/// Files that end too early.
@Suite("Damaged sources", .timeLimit(.minutes(8)))
struct DamagedSourceTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  @Test("an output of a part of its source isn't taken for whole without --on-corrupt warn")
  func leniency() async throws {
    let whole = PNGImage.bytes(width: 90, height: 90, seed: 3)
    try command.write(Array(whole.prefix(whole.count / 2)), to: "cut.png")
    try command.write("imagemill: 1\njobs:\n  - {source: cut.png, output: out.webp}\n", to: "m.yaml")
    for words in [["run", "m.yaml"], ["convert", "cut.png", "other.webp"]] {
      let warned = try await command.run(words + ["--on-corrupt", "warn"])
      #expect(warned.status == 0 && warned.errors.contains("warning"), "\(warned.errors)")
      let failed = try await command.run(words)
      #expect(failed.status == 1 && failed.errors.contains("truncated"), "\(failed.errors)")
    }
    #expect(try await command.run("run", "--check", "--on-corrupt", "warn", "m.yaml").status == 0)
    #expect(try await command.run("run", "--check", "m.yaml").status != 0)
  }

  @Test(
    "a PNG that is cut in its last rows fails each time, whichever thread meets the end",
    arguments: [12, 14, 40])
  func cutRows(bytes: Int) async throws {
    let whole = PNGImage.bytes(width: 40, height: 30, seed: 5)
    try command.write(Array(whole.dropLast(bytes)), to: "cut.png")
    for number in 0..<16 {
      let outcome = try await command.run("convert", "--no-cache", "cut.png", "\(number).png")
      // All pixels are there without the final chunk alone.
      #expect(outcome.status == (bytes == 12 ? 0 : 1), "\(outcome.errors)")
      #expect(bytes == 12 || outcome.errors.contains("truncated"), "\(outcome.errors)")
    }
  }

  @Test("an overlay that is cut in its last rows is named each time, and its source isn't blamed")
  func cutOverlay() async throws {
    try command.write(PNGImage.bytes(width: 80, height: 60, seed: 1), to: "base.png")
    try command.write(Array(PNGImage.bytes(width: 40, height: 30, seed: 5).dropLast(14)), to: "cut.png")
    let words = ["convert", "--no-cache", "base.png", "-f", "overlay:cut.png", "out.png"]
    for _ in 0..<12 {
      let failed = try await command.run(words)
      #expect(failed.status == 1 && failed.errors.contains("cut.png"), "\(failed.errors)")
      #expect(failed.errors.contains("truncated"), "\(failed.errors)")
      let warned = try await command.run(words + ["--on-corrupt", "warn"])
      #expect(warned.status == 0, "\(warned.errors)")
      let warnings = warned.errors.split(separator: "\n")
      #expect(warnings.count == 1 && warned.errors.contains("cut.png: "), "\(warned.errors)")
    }
  }
}
