/// What a page shows as it is typed: commands and files.
///
/// mdoc's `.Dl` is a macro line, whose quotes and lone dots are mdoc's own, and man(1) folds what is longer than the
/// terminal. So pages say `.Dl` and `.Bd -literal` with plain text, and this makes displays of them in which every
/// character stands for itself, with long commands continued by a backslash.
enum ManualDisplay {
  /// What a command may take of 78 columns: a display is indented by 11 in mandoc's output, and in groff's.
  static let width = 66

  /// The page with its displays made.
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
          // A display makes its own room.
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

  /// A command line on as many lines as it needs. An option stays with its value, `|`, `<` and `>` with what follows.
  static func continued(_ command: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for piece in pieces(of: command) {
      // What follows a piece may be " \".
      if !line.isEmpty, line.count + 1 + piece.count > width - 2 {
        lines.append(line + " \\")
        line = "    " + piece
      } else {
        line += (line.isEmpty ? "" : " ") + piece
      }
    }
    return lines + [line]
  }

  /// A line in which nothing means anything to mdoc, and no renderer puts a typographic sign for a plain one.
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

  /// Words as a shell parts them, quotes kept.
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
