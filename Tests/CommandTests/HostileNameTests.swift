import Foundation
import LoopbackServer
import Testing

/// Names that hold control characters, in everything that a command says to a person.
@Suite("Hostile names on the terminal", .timeLimit(.minutes(8)))
struct HostileNameTests {
  private let command: CommandRun

  /// What sets a terminal's title, and what turns the rest of a line around.
  private static let name = "a\u{1B}]0;x\u{7}\u{202E}.png"

  init() throws {
    command = try CommandRun()
    let image = PNGImage.bytes(width: 8, height: 6)
    for name in [Self.name, "a.png"] { try command.write(image, to: name) }
    try command.write(Array(image.prefix(image.count / 2)), to: "cut" + Self.name)
    try command.write(manifest(output: "made-{name}.webp"), to: "m.yaml")
    try command.write(manifest(output: "{name}.png"), to: "same.yaml")
    try command.write("\(Self.name)\nnone\(Self.name)\n", to: "list.txt")
    try command.write(manifest(output: "x.webp"), to: Self.name + ".yaml")
  }

  private func manifest(output: String) -> String {
    "imagemill: 1\njobs: [{source: \"./a\\e]0;x\\a\\u202E.png\", output: \"\(output)\"}]\n"
  }

  /// Command lines whose output is for people. NAME stands for the hostile one.
  static let lines: [[String]] = [
    ["convert", "NAME", "none/../NAME/x.png"], ["convert", "-v", "NAME", "b.NAME"],
    ["convert", "noneNAME", "b.png"],
    ["convert", "NAME", "NAME"], ["convert", "--on-corrupt", "warn", "cutNAME", "b.webp"],
    ["convert", "--no-clobber", "a.png", "NAME"], ["convert", "-o", "{name}.NAME.webp", "noneNAME"],
    ["convert", "-v", "-o", "{name}.webp", "NAME"], ["convert", "a.png", "NAME/"],
    ["inspect", "NAME"], ["inspect", "noneNAME"], ["inspect", "cutNAME"], ["fetch", "NAME"],
    ["fetch", "file:NAME"], ["run", "m.yaml"], ["run", "-v", "m.yaml"], ["run", "-n", "m.yaml"],
    ["run", "--check", "m.yaml"], ["run", "same.yaml"], ["run", "noneNAME"],
    ["run", "--lock", "NAME/l", "m.yaml"],
    ["run", "--check", "--lock", "NAME", "m.yaml"], ["run", "--failed", "noneNAME", "m.yaml"],
    ["run", "--frozen", "--lock", "l.lock", "m.yaml"], ["run", "--cache-dir", "a.png/NAME", "m.yaml"],
    ["run", "-o", "{name}.webp", "list.txt"], ["run", "-n", "-o", "{name}.webp", "list.txt"],
    ["run", "--report", "a.png/NAME.json", "m.yaml"], ["run", "--events", "a.png/NAME", "m.yaml"],
    ["run", "--shard", "NAME", "m.yaml"], ["run", "--NAME", "m.yaml"], ["run", "-j", "NAME", "m.yaml"],
    ["run", "NAME.yaml"], ["plan", "m.yaml"], ["plan", "same.yaml"],
    ["plan", "-o", "{name}.webp", "list.txt"],
    ["validate", "noneNAME"], ["validate", "m.yaml", "NAME.yaml", "noneNAME"],
    ["pipe", "-o", "made-{name}.webp", "noneNAME"], ["pipe", "-o", "{NAME}", "a.png"],
    ["pipe", "-f", "NAME", "-o", "{name}.webp", "a.png"],
    ["pipe", "--netrc-file", "NAME/x", "-o", "x", "a.png"],
    ["cache", "explain", "made.webp"], ["cache", "explain", "NAME"],
    ["cache", "stats", "--cache-dir", "a.png/NAME"],
    ["cache", "NAME"], ["filters", "NAME"], ["formats", "NAME"], ["help", "NAME"], ["NAME"],
  ]

  @Test("are shown without their control characters", arguments: lines)
  func shown(words: [String]) async throws {
    if words.contains("l.lock") {
      #expect(try await command.run("run", "--lock", "l.lock", "m.yaml").status == 0)
      try command.write(PNGImage.bytes(width: 9, height: 9), to: Self.name)
    }
    if words == ["run", "--check", "m.yaml"] || words[0] == "cache" {
      #expect(try await command.run("run", "m.yaml").status == 0)
    }
    var arguments = words.map { $0.replacing("NAME", with: Self.name) }
    if arguments == ["cache", "explain", "made.webp"] {
      arguments[2] = try #require(command.files.first { $0.hasPrefix("made-") })
    }
    let outcome = try await command.run(arguments: arguments)
    for text in [outcome.text, outcome.errors] {
      let found = text.unicodeScalars.filter {
        $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" || $0 == "\u{202E}"
      }
      #expect(found.isEmpty, "\(text.debugDescription)")
    }
  }
}
