import Foundation
import TerminalText
import Testing

@testable import imagemill

@Suite("imagemill help", .timeLimit(.minutes(8)))
struct HelpTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  @Test("shows a topic's page as plain text where there is no terminal", arguments: HelpTopic.all.map(\.name))
  func topics(name: String) async throws {
    let outcome = try await command.run("help", name)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let section = name == "manifest" ? 5 : ["filters", "s3", "scale"].contains(name) ? 7 : 1
    let title = name == "imagemill" ? "IMAGEMILL" : "IMAGEMILL-\(name.uppercased())"
    #expect(outcome.lines.first == "\(title)(\(section))")
    #expect(outcome.lines.contains("NAME") && outcome.lines.contains("DESCRIPTION"))
    for line in outcome.lines {
      #expect(!line.hasPrefix(".") && !line.contains("\\&") && !line.contains("\\-"), "\(line)")
    }
  }

  @Test("pages use nothing that the plain text doesn't know")
  func macros() throws {
    for (name, text) in try ManualsCommand.pages() {
      for line in text.split(separator: "\n") where line.hasPrefix(".") && !line.hasPrefix(".\\\"") {
        let macro = String(line.dropFirst().prefix { $0 != " " })
        #expect(PlainPage.knownMacros.contains(macro), "\(name): \(line)")
      }
    }
  }

  @Test("a page's text has what mandoc makes of it, letter for letter", .enabled(if: hasMandoc))
  func letters() async throws {
    for topic in HelpTopic.all {
      try topic.page().write(toFile: command.work + "/page", atomically: true, encoding: .utf8)
      let made = try await command.run(
        ["-c", "mandoc -T ascii page | col -bx"], executable: "/bin/sh")
      // Headers and footers are mandoc's own. It breaks lines at hyphens too.
      func letters(_ lines: some Collection<Substring>) -> String {
        lines.joined().filter { !$0.isWhitespace && !"'`\"-".contains($0) }
      }
      let theirs = letters(made.text.split(separator: "\n").dropFirst().dropLast())
      let ours = letters(PlainPage.text(of: try topic.page()).split(separator: "\n").dropFirst())
      let shared = zip(ours, theirs).prefix { $0 == $1 }.count
      #expect(ours == theirs, "\(topic.name) differs at \(ours.dropFirst(max(0, shared - 20)).prefix(60))")
    }
  }

  private static let hasMandoc = FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc")

  /// The words of every command and subcommand; none for imagemill itself.
  private static let commands: [[String]] = {
    let commands = Imagemill.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    return [[]]
      + commands.flatMap { command in
        [[command._commandName]]
          + command.configuration.subcommands.map { [command._commandName, $0._commandName] }
      }
  }()

  @Test("no line of a command's help is wider than a terminal", arguments: commands)
  func width(words: [String]) async throws {
    let outcome = try await command.run(words + ["--help"], environment: ["COLUMNS": "80"])
    #expect(outcome.status == 0 && outcome.lines.contains { $0.hasPrefix("USAGE: imagemill") })
    for line in outcome.lines { #expect(line.count <= 80, "\(line)") }
  }

  @Test("a wrong topic is answered with the nearest one, and 2")
  func wrong() async throws {
    let slip = try await command.run("help", "manfest")
    #expect(slip.status == 2 && slip.output.isEmpty)
    #expect(slip.errors.contains("unknown topic 'manfest'; did you mean 'manifest'?"))
    let filter = try await command.run("help", "fill")
    #expect(filter.status == 2 && filter.errors.contains("'imagemill filters fill'"))
  }

  @Test("on a terminal man shows the page, and nothing of it stays behind", .enabled(if: hasScript))
  func terminal() async throws {
    // A man that tells what it is given, and that it is there: 'ls -l FILE'.
    let bin = command.directory + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: bin + "/man", withDestinationPath: "/bin/ls")
    let outcome = try await command.run(
      ["-qec", "\(CommandRun.executable) help run", "/dev/null"],
      environment: ["PATH": "\(bin):/usr/bin:/bin", "TMPDIR": command.work], executable: "/usr/bin/script")
    #expect(outcome.status == 0)
    #expect(outcome.text.firstMatch(of: #/^-r.* \/.*imagemill-run\.1\s$/#) != nil, "\(outcome.text)")
    #expect(command.files.isEmpty)
  }

  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
}
