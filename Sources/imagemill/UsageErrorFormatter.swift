import ArgumentParser
import ImageFilters
import Manifests

/// Formats usage errors: the mistake, the correction, and where to read more.
enum UsageErrorFormatter {
  /// Checks the first word, and after a command with subcommands the second.
  /// - Throws: `CommandError` if it isn't a command.
  static func check(_ arguments: [String]) throws {
    var command: any ParsableCommand.Type = Imagemill.self
    var path = "imagemill"
    for word in arguments {
      let subcommands = command.configuration.subcommands
      if subcommands.isEmpty || word.hasPrefix("-") { return }
      if let next = subcommands.first(where: { $0._commandName == word }) {
        (command, path) = (next, "\(path) \(word)")
        continue
      }
      let names = subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
      if command == Imagemill.self, let hint = hint(forFirst: word) {
        throw CommandError(.usage, "unknown command 'imagemill \(word)'; \(hint)")
      }
      let nearest = question(forSubcommand: word, of: command) ?? NearestName.question(word, among: names)
      throw CommandError(
        .usage,
        "unknown command '\(path) \(word)'\(nearest)\n  Commands: \(names.joined(separator: ", "))")
    }
  }

  /// A question whether a subcommand of another command was meant; nil if none has the name.
  private static func question(forSubcommand word: String, of command: any ParsableCommand.Type) -> String? {
    let owner = command.configuration.subcommands.first { owner in
      owner.configuration.shouldDisplay
        && owner.configuration.subcommands.contains { $0._commandName == word }
    }
    return owner.map { "; did you mean 'imagemill \($0._commandName) \(word)'?" }
  }

  /// What to write instead of a first word that isn't a command but an image, a manifest, or another program's way to say
  /// something; nil for other words.
  private static func hint(forFirst word: String) -> String? {
    if word == "version" { return "write 'imagemill --version'" }
    let quoted = ShellWord.quoted(word)
    if RunOperands([word]).targets == [word] {
      return "to convert an image, write 'imagemill convert \(quoted) OUTPUT'"
    }
    let isManifest = ManifestArguments.extensions.contains { word.lowercased().hasSuffix(".\($0)") }
    return isManifest ? "to run a manifest, write 'imagemill run \(quoted)'" : nil
  }

  /// The parser's message in imagemill's form: the error, the form of the value, and the option's help.
  ///
  /// `text` is, for example:
  ///
  ///     Error: The value '5' is invalid for '--timeout <dur>'
  ///     Help:  --timeout <dur>  Time limit for one download.
  ///     Usage: imagemill run [<options>] [<manifest> ...]
  ///       See 'imagemill run --help' for more information.
  /// - Parameter arguments: The command line.
  static func text(_ text: String, arguments: [String]) -> String {
    var message = ""
    // The help of an operand is of no use if an option is to blame.
    var showsHelp = true
    for line in text.split(separator: "\n") {
      if line.hasPrefix("Error: ") {
        let sentence = OptionHints.improved(String(line.dropFirst("Error: ".count)), arguments)
        let missing = "Missing expected argument"
        showsHelp = !line.hasPrefix("Error: " + missing) || sentence.hasPrefix(missing)
        message += "imagemill: \(sentence.prefix(1).lowercased())\(sentence.dropFirst())\n"
        if let form = form(ofValueIn: sentence) { message += "  \(form)\n" }
      } else if line.hasPrefix("Help:") {
        guard showsHelp else { continue }
        message += "  " + line.dropFirst("Help:".count).drop { $0 == " " } + "\n"
      } else if line.hasPrefix("  See '") {
        message += "\(line)\n"
      }
    }
    return message.isEmpty ? text + "\n" : message
  }

  /// The form that an invalid value should have, by its placeholder, as a sentence; nil if the message is about another
  /// mistake.
  static func form(ofValueIn sentence: String) -> String? {
    guard sentence.contains("is invalid for '"), let kind = sentence.firstMatch(of: #/<([^>]+)>'/#)?.1 else {
      return nil
    }
    switch kind {
    case "dur":
      return "A duration is a number of seconds, or a number with ms, s, m or h, such as 500ms or 30s."
    case "size":
      return "A size is a number of bytes, or one with k, M, G, kB, MB, GB, KiB, MiB or GiB, such as 200kB."
    case "n": return "The value is a number, such as 4."
    case "name=source": return "A named source is NAME=SOURCE, such as logo=logo.png."
    case "key=value":
      return "An encoder option is KEY=VALUE, such as effort=6; 'imagemill formats' lists the options."
    case "kind=file": return "Markup is KIND=FILE, such as picture=hero.html."
    default: return nil
    }
  }
}
