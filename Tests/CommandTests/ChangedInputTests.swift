import Foundation
import ImageFilters
import LoopbackServer
import Testing

@Suite("What else an image is made of", .timeLimit(.minutes(8)))
struct ChangedInputTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  private func plain(_ color: [UInt8]) -> [UInt8] {
    PNGImage.bytes(width: 20, height: 20, channels: 3) { _, _ in color }
  }

  @Test("another overlay, mask or font in the same place is another image; the same one is none")
  func changes() async throws {
    let fonts = Set(["sans", "serif", "monospace", "sans bold"].compactMap { FontFile.path(for: $0) })
      .sorted()
    try #require(fonts.count > 1, "two fonts are needed to tell one from the other")
    func copyFont(_ path: String) throws {
      let data = try #require(FileManager.default.contents(atPath: path))
      try command.write(Array(data), to: "own.ttf")
    }
    try command.write(PNGImage.bytes(width: 60, height: 40), to: "a.png")
    try command.write(plain([200, 0, 0]), to: "logo.png")
    try command.write(plain([200, 200, 200]), to: "stencil.png")
    try copyFont(fonts[0])
    try command.write(
      """
      imagemill: 1
      sources: {logo: logo.png}
      jobs:
        - source: a.png
          outputs:
            - {output: overlay.png, filter: "overlay:logo:south"}
            - {output: mask.png, filter: "mask:stencil.png"}
            - {output: text.png, filter: "text:Ada:font=own.ttf:size=20"}
            - {output: alone.png, filter: "flip"}
      """, to: "imagemill.yaml")
    let names = ["overlay.png", "mask.png", "text.png", "alone.png"]
    var before: [String: Data?] = [:]
    let steps: [(change: () throws -> Void, changed: [String])] = [
      ({}, names), ({}, []), ({ try command.write(plain([0, 0, 200]), to: "logo.png") }, ["overlay.png"]),
      ({ try command.write(plain([90, 90, 90]), to: "stencil.png") }, ["mask.png"]),
      ({ try copyFont(fonts[1]) }, ["text.png"]),
    ]
    for (step, (change, changed)) in steps.enumerated() {
      try change()
      let outcome = try await command.run("run")
      #expect(outcome.status == 0, "\(outcome.errors)")
      // The summary leaves out what is 0.
      let isCounted =
        changed.isEmpty
        ? outcome.errors.contains("outputs 4: 4 unchanged;")
        : outcome.errors.contains("outputs 4: \(changed.count) written")
      #expect(isCounted, "step \(step): \(outcome.errors)")
      for name in names {
        #expect(
          (command.read(name) != before[name] ?? nil) == changed.contains(name), "step \(step): \(name)")
        before[name] = command.read(name)
      }
    }
  }

  @Test("a manifest's font files lie where its sources do, and not outside")
  func places() async throws {
    let font = try #require(FontFile.path(for: "serif"))
    try FileManager.default.createDirectory(
      atPath: command.work + "/set/fonts", withIntermediateDirectories: true)
    let data = try #require(FileManager.default.contents(atPath: font))
    try command.write(Array(data), to: "set/fonts/own.ttf")
    try command.write(Array(data), to: "outside.ttf")
    try command.write(PNGImage.bytes(width: 60, height: 40), to: "set/a.png")
    func manifest(_ font: String) -> String {
      """
      imagemill: 1
      filters: {caption: "text:Ada:font=\(font):size=20"}
      jobs: [{source: a.png, filter: caption, output: b.png}]
      """
    }
    try command.write(manifest("fonts/own.ttf"), to: "set/m.yaml")
    let outcome = try await command.run("run", "set/m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.files.contains("set/b.png"))
    try command.write(manifest("../outside.ttf"), to: "set/m.yaml")
    let refused = try await command.run("validate", "set/m.yaml")
    #expect(
      refused.status == 2 && refused.errors.contains("outside the manifest's directory"), "\(refused.errors)")
  }
}
