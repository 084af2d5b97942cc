import Foundation
import LoopbackServer
import Testing

/// Reports, logs and lock files never replace what a run reads or makes.
@Suite("Files beside the outputs", .timeLimit(.minutes(8)))
struct SideFileTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write(PNGImage.bytes(width: 9, height: 6), to: "b.png")
    try command.write("source\nb.png\n", to: "rows.csv")
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: ./a.png, output: made.webp}
        - {from: ./rows.csv, source: "./{source}", output: "{name}.webp"}
      """, to: "m.yaml")
    try command.write("b.png\n", to: "list.txt")
    try FileManager.default.createSymbolicLink(
      atPath: command.work + "/link.yaml", withDestinationPath: "m.yaml")
  }

  static let options = ["--report", "--emit", "--events", "--metrics", "--lock"]
  static let written = [
    "m.yaml", "./m.yaml", "link.yaml", "a.png", "rows.csv", "b.png", "made.webp", "b.webp",
  ]

  private func arguments(_ option: String, _ path: String) -> [String] {
    [option, option == "--emit" ? "json=\(path)" : path]
  }

  private static func normal(_ path: String) -> String {
    path.hasPrefix("./") ? String(path.dropFirst(2)) : path
  }

  private var contents: [String: Data?] {
    Dictionary(uniqueKeysWithValues: command.files.map { ($0, command.read($0)) })
  }

  @Test("replace no manifest, table, source or output, whether it is there or not", arguments: options)
  func claimed(option: String) async throws {
    for isMade in [false, true] {
      if isMade { #expect(try await command.run("run", "m.yaml").status == 0) }
      let before = contents
      for path in Self.written {
        // The name of a report gives its format, so that a link leads to what it must not replace.
        let name = option == "--report" ? "report.json" : path
        if name != path {
          guard command.files.contains(Self.normal(path)) else { continue }
          try FileManager.default.createSymbolicLink(
            atPath: command.work + "/" + name, withDestinationPath: path)
        }
        let outcome = try await command.run(arguments: ["run", "m.yaml"] + arguments(option, name))
        if name != path { try FileManager.default.removeItem(atPath: command.work + "/" + name) }
        #expect(outcome.status == 2, "\(option) \(path): \(outcome.errors)")
        #expect(outcome.errors.contains("\(option) would replace the "), "\(outcome.errors)")
        #expect(contents == before, "\(option) \(path)")
      }
    }
  }

  @Test("replace no list, on standard input or by name", arguments: options.dropLast())
  func lists(option: String) async throws {
    let before = contents
    let words = arguments(option, "list.txt").map { "'\($0)'" }.joined(separator: " ")
    for line in ["pipe -o '{name}.webp' \(words) < list.txt", "run list.txt -o '{name}.webp' \(words)"] {
      let outcome = try await command.run(
        ["-c", "'\(CommandRun.executable)' \(line)"], executable: "/bin/bash")
      #expect(outcome.status == 2, "\(line): \(outcome.errors)")
      #expect(contents == before, "\(line)")
    }
  }

  @Test("replace no image of a list that hasn't been read")
  func images() async throws {
    let before = contents
    for option in ["--events", "--metrics"] {
      let outcome = try await command.run(
        "pipe", "-o", "{name}.webp", option, "b.png", input: Data("a.png\n".utf8))
      #expect(outcome.status == 2 && outcome.errors.contains("the png image b.png"), "\(outcome.errors)")
      #expect(contents == before)
    }
  }

  @Test("aren't each other, for all pairs of options")
  func pairs() async throws {
    let before = contents
    for (index, first) in Self.options.enumerated() {
      for second in Self.options[index...] where first != second || ["--report", "--emit"].contains(first) {
        let outcome = try await command.run(
          arguments: ["run", "m.yaml"] + arguments(first, "x.json") + arguments(second, "./x.json"))
        #expect(outcome.status == 2, "\(first) \(second): \(outcome.errors)")
        #expect(outcome.errors.contains("both write"), "\(first) \(second): \(outcome.errors)")
        #expect(contents == before, "\(first) \(second)")
      }
    }
  }

  @Test("may be written again by the next run, and to the same device")
  func again() async throws {
    let all = [
      "--report", "r.json", "--emit", "json=e.json", "--events", "v.ndjson", "--metrics", "t.prom", "--lock",
      "l.json",
    ]
    for _ in 0..<2 { #expect(try await command.run(arguments: ["run", "m.yaml"] + all).status == 0) }
    let null = ["--emit", "json=/dev/null", "--events", "/dev/null", "--metrics", "/dev/null"]
    let outcome = try await command.run(arguments: ["run", "m.yaml"] + null)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "a template of '-' is a usage error, and no file of that name is made",
    arguments: ["pipe", "run", "convert"])
  func dash(name: String) async throws {
    let arguments =
      ["run": ["run", "list.txt"], "convert": ["convert", "a.png", "b.png"]][name] ?? ["pipe"]
    let outcome = try await command.run(
      arguments: arguments + ["-o", "-", "--format", "png"], input: Data("a.png\n".utf8))
    #expect(outcome.status == 2 && outcome.errors.contains("standard output"), "\(outcome.errors)")
    #expect(!command.files.contains("-"))
  }
}
