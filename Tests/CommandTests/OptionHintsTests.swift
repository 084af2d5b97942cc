import Testing

@testable import imagemill

/// What is said of options that other programs have, without a process.
@Suite("Hints for other programs' options", .timeLimit(.minutes(8)))
struct OptionHintsTests {
  /// The options of the commands that have jobs or sources. Describing a command to oneself takes a while.
  static let options: [String: [String]] = {
    do {
      let commands = try HelpDump.root().subcommands ?? []
      return Dictionary(
        uniqueKeysWithValues: commands.filter { Self.commands.contains($0.commandName) }.map { command in
          let names = (command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
          return (command.commandName, names.map { ($0.kind == "short" ? "-" : "--") + $0.name })
        })
    } catch {
      Issue.record(error)
      return [:]
    }
  }()

  static let commands = ["run", "pipe", "convert", "fetch", "plan", "inspect", "ls"]

  @Test(
    "are given by each command that has the option, and by one at least",
    arguments: OptionHints.foreign.keys.sorted())
  func rows(foreign: String) throws {
    let replacement = try #require(OptionHints.foreign[foreign])
    let option = String(replacement.prefix { $0 != " " })
    var givers = 0
    for command in Self.commands {
      let known = try #require(Self.options[command])
      #expect(!known.contains(foreign), "imagemill \(command) has \(foreign) itself")
      let text = OptionHints.improved("Unknown option '\(foreign)'", [command, foreign], known: known)
      let isFit = !option.hasPrefix("-") || known.contains(option)
      #expect(text.contains("; use \(replacement)") == isFit, "\(command): \(text)")
      if isFit { givers += 1 }
    }
    #expect(givers > 0)
  }

  @Test(
    "name the option that does it",
    arguments: [
      ("--cookie", "-H 'Cookie: NAME=VALUE'"), ("--user-agent=x", "-H 'User-Agent: NAME'"),
      ("--outdir", "--output-dir"),
      ("--resize", "-f limit:WxH"), ("--concurrency", "--downloads"),
    ])
  func names(foreign: String, replacement: String) {
    #expect(
      OptionHints.improved("Unknown option '\(foreign)'", ["run", foreign])
        == "Unknown option '\(foreign)'; use \(replacement)")
  }

  @Test(
    "say how a short option's value is written, for every command, with switches before it or not",
    arguments: commands)
  func joinedValues(command: String) throws {
    let root = try HelpDump.root()
    let arguments = try #require(root.subcommands?.first { $0.commandName == command }?.arguments)
    let options = arguments.filter { $0.kind == "option" }.flatMap(\.spellings).filter { $0.count == 2 }
    #expect(!options.isEmpty)
    for option in options {
      let text = OptionHints.joined(
        "Unknown option '\(option)1'", [command, "\(option)1", "a b"], options: arguments)
      #expect(text == "Unknown option '\(option)1'; write '\(option) 1'")
      let other = OptionHints.joined(
        "The value 'x' is invalid for '\(option) <n>'", [command, "-q\(option.dropFirst())7", "x"],
        options: arguments)
      let isSwitch = arguments.contains { $0.kind == "flag" && $0.spellings.contains("-q") }
      let name = "-q\(option.dropFirst())"
      #expect(other == (isSwitch ? "Unknown option '\(name)7'; write '\(name) 7'" : nil))
    }
    // A long option with one dash, a negative number, and letters that are no options.
    for word in ["-format", "-10", "-zz"] {
      #expect(OptionHints.joined("Unknown option '\(word)'", [command, word], options: arguments) == nil)
    }
  }

  @Test("suggest the nearest long option, and never a short one")
  func nearest() {
    for name in ["--filtre", "--qualtiy", "--pre-host"] {
      let text = OptionHints.improved("Unknown option '\(name)'", ["run", name])
      #expect(text.contains("Did you mean '--"), "\(text)")
    }
    #expect(OptionHints.improved("Unknown option '--zzzzzz'", ["run"]) == "Unknown option '--zzzzzz'")
  }
}
