import Foundation
import LoopbackServer
import Testing

/// Outputs that are too large, as the source's header and the filters tell.
@Suite("Outputs that are too large", .timeLimit(.minutes(8)))
struct RefusedSizeTests {
  @Test("are refused by a plan of a local source, and the others are planned")
  func plan() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: ./a.png
          outputs: [{output: l.png, filter: "scale:30000x30000"}, {output: s.png, filter: "fit:20x"}]
      """, to: "m.yaml")
    for arguments in [["plan"], ["run", "--dry-run"]] {
      let outcome = try await command.run(arguments: arguments + ["m.yaml"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let lines = outcome.lines
      let large = try #require(lines.first { $0.contains("l.png") }, "\(outcome.text)")
      #expect(
        large.hasPrefix("refuse ") && large.contains("scale would produce 30000x30000 pixels"), "\(large)")
      #expect(lines.contains { $0.hasPrefix("render ") && $0.contains("s.png") }, "\(outcome.text)")
    }
    let raised = try await command.run("run", "--dry-run", "--max-pixels", "1000000000", "m.yaml")
    #expect(!raised.text.contains("refuse"), "\(raised.text)")
  }
}
