import Foundation
import LoopbackServer
import Testing
import Vips

@Suite("Transitions through run", .timeLimit(.minutes(8)))
struct TransitionCommandTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(
      PNGImage.bytes(width: 40, height: 20, channels: 3) { _, _ in [200, 10, 10] }, to: "red.png")
    try command.write(
      PNGImage.bytes(width: 30, height: 30, channels: 3) { _, _ in [10, 10, 200] }, to: "blue.png")
  }

  @Test(
    "an animation from the placeholder to the source, and nothing made twice", arguments: ["webp", "gif"])
  func placeholder(format: String) async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: red.png
          placeholder: blue.png
          output: a.\(format)
          filter: scale:32x16
          transition: {from: placeholder, kind: crossdissolve, duration: 400ms, fps: 30}
      """, to: "imagemill.yaml")
    let first = try await command.run("run")
    #expect(first.status == 0, "\(first.errors)")
    let count = 12
    let made = try command.image("a.\(format)", frames: count)
    #expect(made.pageCount == count && made.width == 32 && made.pageHeight == 16)
    let delays = try #require(made.integers("delay"))
    #expect(delays.reduce(0, +) == 400 && delays.allSatisfy { (30...40).contains($0) }, "\(delays)")
    let (start, end) = try (made.color(x: 16, y: 8), made.color(x: 16, y: (count - 1) * 16 + 8))
    #expect(start[2] > 180 && start[0] < 30, "\(start)")
    #expect(end[0] > 180 && end[2] < 30, "\(end)")
    let bytes = command.read("a.\(format)")
    let second = try await command.run("run")
    #expect(second.errors.contains("1 unchanged"), "\(second.errors)")
    // The image at the beginning is part of the key.
    try command.write(
      PNGImage.bytes(width: 9, height: 9, channels: 3) { _, _ in [10, 200, 10] }, to: "blue.png")
    let third = try await command.run("run")
    #expect(third.errors.contains("1 written"), "\(third.errors)")
    #expect(command.read("a.\(format)") != bytes)
  }

  @Test("kinds by matrix, from a named source, and a GIF's time for every rate")
  func kinds() async throws {
    try command.write(
      """
      imagemill: 1
      sources: {before: blue.png}
      jobs:
        - source: red.png
          outputs:
            - output: "{kind}-{fps}.gif"
              transition: {from: before, kind: "{kind}", duration: 0.5s, fps: "{fps}"}
              matrix: {kind: [flip-left, flip-right, flip-top, flip-bottom], fps: [10, 24, 50]}
      """, to: "imagemill.yaml")
    let outcome = try await command.run("run")
    #expect(outcome.status == 0, "\(outcome.errors)")
    var contents: Set<Data> = []
    for kind in ["flip-left", "flip-right", "flip-top", "flip-bottom"] {
      for (rate, count) in [(10, 5), (24, 12), (50, 25)] {
        let made = try command.image("\(kind)-\(rate).gif", frames: count)
        #expect(made.pageCount == count && made.integers("delay")?.reduce(0, +) == 500)
        contents.insert(try #require(command.read("\(kind)-\(rate).gif")))
      }
    }
    #expect(contents.count == 12)
  }

  @Test("convert takes the filter, and refuses a format that holds no animation before it starts")
  func convert() async throws {
    let good = try await command.run(
      "convert", "red.png", "-f", "transition:blue.png:flip-top:0.2s:20", "out.webp")
    #expect(good.status == 0, "\(good.errors)")
    #expect(try command.image("out.webp", frames: 4).integers("delay") == [50, 50, 50, 50])
    let bad = try await command.run("convert", "red.png", "-f", "transition:blue.png", "out.png")
    #expect(bad.status == 2 && bad.errors.contains("write webp or gif"), "\(bad.errors)")
  }
}
