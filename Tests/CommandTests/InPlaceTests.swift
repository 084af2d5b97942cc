import Foundation
import LoopbackServer
import Testing
import Vips

@Suite("Sources that --in-place replaces", .timeLimit(.minutes(8)))
struct InPlaceTests {
  private let command: CommandRun
  private let original = Data(PNGImage.bytes(width: 40, height: 30, seed: 1))
  private let other = Data(PNGImage.bytes(width: 40, height: 30, seed: 2))

  init() throws {
    command = try CommandRun()
    try command.write(Array(original), to: "a.png")
    try command.write(Array(other), to: "b.png")
  }

  @Test("--in-place replaces a source, at once and whole")
  func inPlace() async throws {
    try command.write(
      "imagemill: 1\njobs:\n  - {source: ./a.png, filter: fit:10x10, output: a.png}\n", to: "m.yaml")
    #expect(try await command.run("run", "--in-place", "m.yaml").status == 0)
    let made = try #require(command.read("a.png"))
    #expect(made != original)
    #expect(command.files == ["a.png", "b.png", "m.yaml"])
    #expect(try await command.run("convert", "--in-place", "-f", "fit:5x5", "b.png", "b.png").status == 0)
    #expect(command.read("b.png") != other)
  }

  @Test("--in-place replaces a source after all other jobs have read it, in whatever order they are listed")
  func inPlaceLast() async throws {
    let (replacing, reading) = (
      "source: ./a.png, filter: fit:10x10, output: a.png",
      "source: ./b.png, filter: \"overlay:./a.png\", output: o/over.png"
    )
    for jobs in [[replacing, reading], [reading, replacing]] {
      try command.write(Array(original), to: "a.png")
      try command.write(
        "imagemill: 1\njobs:\n" + jobs.map { "  - {\($0)}\n" }.joined()
          + "  - {source: ./a.png, output: o/same.png}\n", to: "m.yaml")
      let outcome = try await command.run("run", "--no-cache", "--force", "--in-place", "m.yaml")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(command.read("a.png").flatMap { PNGImage.size(of: $0) }?.width == 10)
      #expect(command.read("o/same.png").flatMap { PNGImage.size(of: $0) }?.width == 40)
      // The overlay covers all of the base, which has its size.
      let (over, same) = (try command.image("o/over.png"), try command.image("o/same.png"))
      for (x, y) in [(0, 0), (20, 15), (39, 29)] {
        #expect(try over.color(x: x, y: y) == same.color(x: x, y: y))
      }
    }
  }
}
