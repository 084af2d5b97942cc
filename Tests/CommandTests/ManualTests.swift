import Foundation
import TerminalText
import Testing

@testable import imagemill

/// The manuals, the help and the tables say the same.
@Suite("The manuals", .timeLimit(.minutes(8)))
struct ManualTests {
  private let command: CommandRun
  private static let manuals =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../man"
  static let commands = [
    "run", "pipe", "convert", "fetch", "ls", "plan", "report", "validate", "init", "inspect", "filters",
    "formats",
    "config",
    "cache",
    "schema",
    "completions", "doctor", "help",
  ]

  init() throws { command = try CommandRun() }

  private func manual(_ name: String) throws -> String {
    try String(contentsOfFile: Self.manuals + "/" + name, encoding: .utf8).replacing("\\-", with: "-")
  }

  @Test("generated pages are those that are checked in; 'make manuals' makes them anew")
  func generated() async throws {
    let outcome = try await command.run("manuals", ".")
    #expect(outcome.status == 0)
    #expect(command.files.count == Self.commands.count + 5)
    for name in command.files {
      let checkedIn = FileManager.default.contents(atPath: Self.manuals + "/" + name)
      #expect(command.read(name) == checkedIn, "\(name) is stale")
    }
  }

  @Test("a filter's other names are told with the defaults that differ from its own")
  func otherNames() async throws {
    let page = try manual("imagemill-filters.7")
    for (name, sentence) in [
      ("blur", "Also called BlurFilter. With this name, the defaults are edge=extend and linear=true"),
      (
        "fill",
        "Also called AspectScaledToFillSizeFilter, imageAspectScaledToFill. With these names, the default is snap=false"
      ),
      ("rounded", "Also called RoundedCornersFilter, imageRounded"),
    ] {
      let outcome = try await command.run("filters", name)
      #expect(outcome.status == 0 && outcome.text.contains(sentence + "\n"), "\(name)")
      // The page has a line for each sentence.
      #expect(page.contains(sentence.replacingOccurrences(of: ". ", with: ".\n") + ".\n"), "\(name)")
    }
  }

  @Test("every option of a command's help is in its page", arguments: commands)
  func options(name: String) async throws {
    let help = try await command.run(name, "--help")
    #expect(help.status == 0)
    let page = try manual("imagemill-\(name).1")
    // Its own list, not what its prose says of other commands'.
    let list = help.text.split(separator: "\n").filter { $0.drop { $0 == " " }.hasPrefix("-") }.joined(
      separator: "\n")
    let options = list.matches(of: #/(?:^|[ \[])(--[a-z][a-z0-9-]+)/#).map { String($0.1) }
    #expect(options.contains("--help"))
    for option in Set(options) where !["--help", "--version"].contains(option) {
      #expect(page.contains("Fl " + option.dropFirst()), "\(option) of \(name)")
    }
  }

  @Test(
    "every page passes mandoc's checks",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/mandoc")))
  func lint() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.manuals) {
      let mandoc = Process()
      mandoc.executableURL = URL(fileURLWithPath: "/usr/bin/mandoc")
      mandoc.arguments = ["-T", "lint", "-W", "warning", Self.manuals + "/" + name]
      let output = Pipe()
      mandoc.standardOutput = output
      mandoc.standardError = output
      try mandoc.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      mandoc.waitUntilExit()
      #expect(text.isEmpty, "\(text)")
    }
  }

  /// What stands in a page's displays, block by block.
  private static func displays(of page: String) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line == ".Ed" {
        blocks.append(block ?? [])
        block = nil
      } else if line.hasPrefix(".Bd -literal") {
        block = []
      } else if !line.hasPrefix(".") {
        block?.append(line)
      }
    }
    return blocks.filter { !$0.isEmpty }
  }

  /// The pages as they are before anything is escaped.
  private static func plainDisplays() throws -> [String: [[String]]] {
    var result: [String: [[String]]] = [:]
    for (name, text) in try ManualsCommand.pages() {
      result[name] = displays(of: text).map { $0.map(PlainLine.unescaped) }
    }
    return result
  }

  static let renderers: [(name: String, arguments: [String])] = [
    ("/usr/bin/mandoc", ["-T", "utf8"]), ("/usr/bin/mandoc", ["-T", "ascii"]),
    ("/usr/bin/groff", ["-mdoc", "-Tutf8", "-P-c"]), ("/usr/bin/groff", ["-mdoc", "-Tascii", "-P-c"]),
  ].filter { FileManager.default.isExecutableFile(atPath: $0.0) }

  @Test("examples are shown byte for byte, whoever renders the page", arguments: 0..<renderers.count)
  func rendered(number: Int) throws {
    let (executable, arguments) = Self.renderers[number]
    var shown = 0
    for (name, blocks) in try Self.plainDisplays() {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: executable)
      process.arguments = arguments + [Self.manuals + "/" + name]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      // Bold and underlined characters are written twice, over each other.
      for line in text.replacing(#/.\u{8}/#, with: "").split(separator: "\n") {
        #expect(line.count <= 80, "\(name): \(line)")
      }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      for block in blocks {
        // Not cut by a terminal of 80 columns.
        for line in block where line.contains("imagemill ") {
          #expect(line.count <= ManualDisplay.width, "\(name): \(line)")
        }
        let isShown = lines.indices.contains { start in
          let indent = lines[start].prefix { $0 == " " }
          return start + block.count <= lines.count
            && zip(lines[start...], block).allSatisfy { $0 == $1 || $0 == indent + $1 }
        }
        #expect(isShown, "\(executable) \(arguments): \(name):\n\(block.joined(separator: "\n"))")
        shown += 1
      }
    }
    #expect(shown > 100)
  }

  @Test(
    "a long command is continued where a shell takes it for one",
    arguments: [
      "imagemill run",
      "printf '%s\\n' https://example.com/a.jpg https://example.com/b.jpg | imagemill pipe -f a -o 'b c'",
      "imagemill convert -H \"Authorization: Bearer $TOKEN\" https://images.example.com/private/photo.jpg private.jpg",
      "IMAGEMILL_HEADER=\"Authorization: Bearer $TOKEN\" imagemill convert https://images.example.com/photo.jpg photo.jpg",
    ])
  func continued(line: String) {
    let lines = ManualDisplay.continued(line)
    #expect(lines.allSatisfy { $0.count <= ManualDisplay.width })
    let joined = lines.joined(separator: "\n").replacing(" \\\n    ", with: " ")
    #expect(joined == line)
  }

  @Test("every key of the schema is in imagemill-manifest(5)")
  func keys() async throws {
    let schema = try await command.run("schema")
    let document = try #require(try JSONSerialization.jsonObject(with: schema.output) as? [String: Any])
    let definitions = try #require(document["$defs"] as? [String: [String: Any]])
    var keys: [String] = []
    for object in [document, definitions["job"], definitions["output"]] {
      keys += (object?["properties"] as? [String: Any])?.keys.sorted() ?? []
    }
    #expect(keys.count > 20)
    let page = try manual("imagemill-manifest.5")
    let named = Set(
      page.split(separator: "\n").filter { $0.hasPrefix(".It Ic ") || $0.hasPrefix(".Ic ") }
        .flatMap { $0.split(separator: " ").map(String.init) })
    for key in keys { #expect(named.contains(key), "\(key)") }
  }

  @Test("a page has the paragraphs of the command's help", arguments: commands)
  func paragraphs(name: String) throws {
    let command = try #require(try HelpDump.root().subcommands?.first { $0.commandName == name })
    let discussion = command.discussion ?? ""
    let prose = discussion.components(separatedBy: "\n\n").filter { !$0.isEmpty && !$0.hasPrefix("  ") }
    let page = try manual("imagemill-\(name).1")
    let description = try #require(page.components(separatedBy: ".Sh DESCRIPTION\n").last)
    let text = description.components(separatedBy: "\n.Sh ")[0].components(separatedBy: "\n.Ss ")[0]
      .components(separatedBy: "\n.Bl ")[0]
    #expect(text.components(separatedBy: "\n.Pp\n").count == 1 + prose.count || prose.isEmpty, "\(text)")
  }

  @Test("every command is in imagemill(1)", arguments: commands)
  func overview(name: String) throws {
    #expect(try manual("imagemill.1").contains(".It Cm \(name)"))
  }

  @Test("completions are made for every shell, and know every command", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let outcome = try await command.run("completions", shell)
    #expect(outcome.status == 0)
    for name in Self.commands { #expect(outcome.text.contains(name), "\(name)") }
  }

  @Test("the README's commands are there for CI to run")
  func readme() throws {
    let readme = try String(contentsOfFile: Self.manuals + "/../README.md", encoding: .utf8)
    for (name, line) in [("main", "make demo"), ("tests", "make test")] {
      #expect(readme.contains("<!-- command: \(name) -->\n```sh\n\(line)\n```"))
    }
  }
}
