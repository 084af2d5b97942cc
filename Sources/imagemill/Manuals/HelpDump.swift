import FoundationEssentials

/// A command as the argument parser describes it, so that the parser, `--help`, the manuals and the completions have
/// one source.
struct HelpDump: Decodable {
  struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var arguments: [Argument]?
    var subcommands: [Command]?
    var shouldDisplay: Bool?
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var defaultValue: String?
    var sectionTitle: String?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool

    /// All names of an option with their dashes; none for an operand.
    var spellings: [String] { (names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name } }

    /// The abstract of an option, with the default before its period.
    var abstractWithDefault: String {
      let abstract = abstract ?? ""
      guard let value = defaultValue else { return abstract }
      return abstract.hasSuffix(".")
        ? "\(abstract.dropLast()) (default: \(value))." : "\(abstract) (default: \(value))"
    }

    /// The names as one text, the same for the same option of several commands.
    var spelling: String { spellings.sorted().joined(separator: " ") }
  }

  var command: Command

  /// The root command with its subcommands.
  static func root() throws -> Command {
    var root = try JSONDecoder().decode(HelpDump.self, from: Data(Imagemill._dumpHelp().utf8)).command
    // The parser adds its own 'help' after imagemill's.
    var names: Set<String> = []
    root.subcommands = root.subcommands?.filter { names.insert($0.commandName).inserted }
    return root
  }
}
