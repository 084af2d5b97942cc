import Foundation
import ImageFilters
import LoopbackServer
import Testing

@Suite("Fonts and color profiles that outputs name", .timeLimit(.minutes(8)))
struct NamedFileTests {
  private let command: CommandRun

  /// A file, and how an output names it in a manifest and on a command line.
  struct Named: Sendable, CustomTestStringConvertible {
    let file: String
    let key: String
    let options: [String]
    var testDescription: String { file }
  }

  static let named = [
    Named(
      file: "own.ttf", key: "filter: \"text:Ada:font=own.ttf:size=8\"",
      options: ["-f", "text:Ada:font=own.ttf:size=8"]),
    Named(file: "own.icc", key: "profile: own.icc", options: ["--profile", "own.icc"]),
  ]

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    let font = try #require(FontFile.path(for: "sans"))
    try command.write(Array(try Data(contentsOf: URL(fileURLWithPath: font))), to: "own.ttf")
    var profile = [UInt8](repeating: 0, count: 200)
    profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
    try command.write(profile, to: "own.icc")
  }

  @Test("are not replaced by outputs, of whichever job", arguments: named)
  func outputs(_ named: Named) async throws {
    let before = command.read(named.file)
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: a.png, \(named.key), output: b.png}
        - {source: a.png, output: \(named.file), format: png}
      """, to: "m.yaml")
    let single = ["a.png"] + named.options + ["--format", "png", "-o", named.file]
    let one = ["convert", "a.png", named.file, "--format", "png"] + named.options
    for words in [["run", "m.yaml"], ["plan", "m.yaml"], ["convert"] + single, ["pipe"] + single, one] {
      let outcome = try await command.run(words)
      #expect(outcome.status == 2, "\(words): \(outcome.errors)")
      #expect(
        outcome.errors.contains(words == one ? " is the source \(named.file); " : "would replace a source"),
        "\(words): \(outcome.errors)")
      #expect(command.read(named.file) == before)
    }
    let stream = try await command.run(
      ["pipe"] + single.dropFirst(), input: Data("a.png\n".utf8))
    #expect(stream.status == 1 && stream.errors.contains("would replace a source"), "\(stream.errors)")
    #expect(command.read(named.file) == before)
  }

  @Test("are not replaced by reports", arguments: named, ["--events", "--metrics", "--lock"])
  func reports(_ named: Named, option: String) async throws {
    let before = command.read(named.file)
    try command.write(
      "imagemill: 1\njobs:\n  - {source: a.png, \(named.key), output: b.png}\n", to: "m.yaml")
    let outcome = try await command.run("run", option, named.file, "m.yaml")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("would replace the file \(named.file) that an output names"),
      "\(outcome.errors)")
    #expect(command.read(named.file) == before && command.read("b.png") == nil)
  }
}
