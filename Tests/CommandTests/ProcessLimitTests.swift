import Foundation
import LoopbackServer
import Testing

/// The limits of the shell under which the command is started.
@Suite("Process limits", .timeLimit(.minutes(4)))
struct ProcessLimitTests {
  @Test(
    "a limit that leaves no room for libraries and threads is refused by name, with the value that is enough",
    arguments: [("-v", 300_000), ("-v", 1_000_000), ("-d", 100_000), ("-d", 190_000), ("-s", 128)])
  func refusal(option: String, limit: Int) async throws {
    let command = try CommandRun()
    let page = PNGImage.bytes(width: 8, height: 6, seed: 1)
    try command.write(page, to: "a.png")
    for words in ["convert a.png b.png", "pipe -o 'o-{name}.png' a.png"] {
      let refused = try await command.run(
        ["-c", "ulimit \(option) \(limit); exec '\(CommandRun.executable)' \(words)"], executable: "/bin/bash"
      )
      #expect(refused.status == 2, "\(refused.errors)")
      #expect(refused.errors.contains(" is \(limit) KiB, but imagemill needs "), "\(refused.errors)")
      #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
      #expect(command.files == ["a.png"])
      let remedy = try #require(refused.errors.firstMatch(of: /'(ulimit -[vds] [0-9]+)'/)?.1)
      let made = try await command.run(
        ["-c", "\(remedy); exec '\(CommandRun.executable)' \(words)"], executable: "/bin/bash")
      #expect(made.status == 0, "\(made.errors)")
      for name in command.files where name != "a.png" {
        try FileManager.default.removeItem(atPath: command.work + "/" + name)
      }
    }
  }
}
