import ArgumentParser
import ImageFilters

/// What is said of a command line that can't be understood: what is wrong, what to write instead, and where to read on.
enum CommandLineComplaint {
  /// Complains of a first word, or of a second one below a command with commands of its own, that is none.
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
      let nearest = NearestName.of(word, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw Complaint(
        .usage,
        "there is no command '\(path) \(word)'\(nearest)\n  There are \(names.joined(separator: ", ")).")
    }
  }

  /// The parser's message in our form: its help of the option in question, and what such a value looks like.
  ///
  /// `text` is such as
  ///
  ///     Error: The value '5' is invalid for '--timeout <dur>'
  ///     Help:  --timeout <dur>  For one whole download.
  ///     Usage: imagemill run [<options>] [<manifests> ...]
  ///       See 'imagemill run --help' for more information.
  static func text(_ text: String) -> String {
    var message = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("Error: ") {
        let sentence = line.dropFirst("Error: ".count)
        message += "imagemill: \(sentence.prefix(1).lowercased())\(sentence.dropFirst())\n"
        if let form = form(ofValueIn: String(sentence)) { message += "  \(form)\n" }
      } else if line.hasPrefix("Help:") {
        message += "  " + line.dropFirst("Help:".count).drop { $0 == " " } + "\n"
      } else if line.hasPrefix("  See '") {
        message += "\(line)\n"
      }
    }
    return message.isEmpty ? text + "\n" : message
  }

  /// How a value is written that is invalid, by the name of its kind.
  private static func form(ofValueIn sentence: String) -> String? {
    guard sentence.contains("is invalid for '"), let kind = sentence.firstMatch(of: #/<([^>]+)>'/#)?.1 else {
      return nil
    }
    switch kind {
    case "dur": return "A time is a number with ms, s, m or h, such as 500ms or 30s."
    case "size": return "A size is a number of bytes, or one with kB, MB, GB, KiB, MiB or GiB, such as 200kB."
    case "n": return "It is a number, such as 4."
    case "name=source": return "A named source is NAME=SOURCE, such as logo=logo.png."
    case "key=value":
      return "An encoder option is KEY=VALUE, such as effort=6; 'imagemill formats' lists them."
    case "kind=file": return "Markup is KIND=FILE, such as picture=hero.html."
    default: return nil
    }
  }
}
