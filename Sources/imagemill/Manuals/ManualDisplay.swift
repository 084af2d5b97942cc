/// Literal displays of commands and files.
///
/// mdoc's `.Dl` is a macro line: mdoc interprets its quotes and lone dots, and man(1) folds long lines. So pages have
/// `.Dl` and `.Bd -literal` with plain text, and this makes displays in which every character is literal and long
/// commands are continued with a backslash.
enum ManualDisplay {
  /// The longest line of a command: 78 columns less the 11 by which mandoc and groff indent a display.
  static let width = 66

  /// The page with its displays expanded.
  static func expanded(_ page: String) -> String {
    var result: [String] = []
    var isLiteral = false
    var isCommands = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let isCommand = line.hasPrefix(".Dl ")
      if isCommands, !isCommand {
        result.append(".Ed")
        isCommands = false
      }
      if isCommand {
        if !isCommands {
          // A display adds its own blank line; mandoc warns of a second one.
          if result.last == ".Pp" { result.removeLast() }
          result.append(".Bd -literal -offset indent")
          isCommands = true
        }
        result += continued(String(line.dropFirst(4))).map(escaped)
      } else if line.hasPrefix(".Bd -literal") || line == ".Ed" {
        isLiteral = line != ".Ed"
        result.append(line)
      } else {
        result.append(isLiteral ? escaped(line) : line)
      }
    }
    return result.joined(separator: "\n")
  }

  /// The lines of a command. An option stays with its value, and `|`, `<` and `>` with the next word.
  static func continued(_ command: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for piece in pieces(of: command) {
      // Two columns are left for " \".
      if !line.isEmpty, line.count + 1 + piece.count > width - 2 {
        lines.append(line + " \\")
        line = "    " + piece
      } else {
        line += (line.isEmpty ? "" : " ") + piece
      }
    }
    return lines + [line]
  }

  /// The line, escaped so that mdoc interprets nothing and no renderer replaces ASCII by typographic characters.
  static func escaped(_ line: String) -> String {
    let signs: [Character: String] = [
      "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
    ]
    let text = line.map { signs[$0] ?? String($0) }.joined()
    return text.hasPrefix(".") ? "\\&" + text : text
  }

  private static func pieces(of command: String) -> [String] {
    var pieces: [String] = []
    var joinsNext = false
    for word in words(of: command) {
      let isOption = word.hasPrefix("-") && word != "-"
      if joinsNext, !isOption, let last = pieces.popLast() {
        pieces.append(last + " " + word)
      } else {
        pieces.append(word)
      }
      joinsNext = isOption || ["|", "<", ">"].contains(word)
    }
    return pieces
  }

  /// Words as a shell splits them, with their quotes.
  private static func words(of command: String) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in command {
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      }
      if character == " ", quote == nil {
        words.append(word)
        word = ""
      } else {
        word.append(character)
      }
    }
    return words + [word]
  }
}
