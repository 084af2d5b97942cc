import ArgumentParser
import FoundationEssentials

/// A command's options, by their long names.
struct OptionTable {
  struct Option {
    let isFlag: Bool
    let isRepeating: Bool
    let defaultValue: String?
    /// What the help says of a default that depends on something, such as `the number of available CPUs`.
    let defaultSummary: String?
    /// What the option means, with its default.
    let summary: String
  }

  private var options: [String: Option] = [:]
  /// Long and short names, with the long name of their option.
  private var names: [String: String] = [:]

  init(_ command: any ParsableCommand.Type) throws {
    let dump = try JSONDecoder().decode(HelpDump.self, from: Data(command._dumpHelp().utf8))
    for argument in dump.command.arguments ?? [] where argument.kind != "positional" {
      guard let long = argument.names?.first(where: { $0.kind == "long" })?.name else { continue }
      options[long] = Option(
        isFlag: argument.kind == "flag", isRepeating: argument.isRepeating,
        defaultValue: argument.defaultValue,
        defaultSummary: argument.abstract?.firstMatch(of: #/\(default: ([^)]+)\)/#).map { String($0.1) },
        summary: argument.abstractWithDefault)
      for name in argument.names ?? [] { names[(name.kind == "short" ? "-" : "--") + name.name] = long }
    }
  }

  subscript(name: String) -> Option? { options[name] }

  /// What the options mean, by long name.
  var summaries: [String: String] { options.mapValues(\.summary) }

  /// The options that arguments contain. An operand or a value can't be mistaken for one: the parser refuses values that
  /// begin with a hyphen, and what follows `--` isn't looked at.
  func names(in arguments: ArraySlice<String>) -> Set<String> {
    var found: Set<String> = []
    for argument in arguments {
      if argument == "--" { break }
      if argument.hasPrefix("--") {
        let name = String(argument.prefix { $0 != "=" })
        if let long = names[name] { found.insert(long) }
      } else if argument.hasPrefix("-") {
        // Switches can be joined, as in '-nq'.
        for letter in argument.dropFirst() {
          guard let long = names["-\(letter)"] else { break }
          found.insert(long)
          if options[long]?.isFlag == false { break }
        }
      }
    }
    return found
  }
}
