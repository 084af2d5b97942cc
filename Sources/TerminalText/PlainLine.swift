/// Converts a line of mdoc(7) to plain text, with the spacing that mdoc defines for its macros.
package enum PlainLine {
  /// The macros that may be used within a line.
  package static let macros: Set<String> = [
    "Ar", "Cm", "Dq", "Em", "Ev", "Fl", "Ic", "Li", "Nm", "No", "Ns", "Op", "Pa", "Pq", "Ql", "Sq", "Sx",
    "Sy",
    "Xr",
  ]

  /// The text of a macro line, given without its leading dot, or of a heading.
  package static func text(_ line: String) -> String {
    var text = ""
    var joins = true
    var closings: [String] = []
    var macro = ""
    var isFirst = true
    func isClosing(_ word: String) -> Bool { [".", ",", ";", ":", ")", "?", "!"].contains(word) }
    func add(_ piece: String) {
      text += (joins || text.isEmpty ? "" : " ") + piece
      joins = false
    }
    var words = split(line)[...]
    while let word = words.popFirst() {
      if !word.isQuoted, macros.contains(word.text) {
        macro = word.text
        isFirst = true
        switch macro {
        case "Ns": joins = true
        case "Op": open("[", "]")
        case "Pq": open("(", ")")
        case "Sq", "Ql": open("'", "'")
        case "Dq": open("\"", "\"")
        case "Nm" where words.first.map({ isClosing($0.text) || macros.contains($0.text) }) ?? true:
          add("imagemill")
        case "Fl" where words.isEmpty: add("-")
        default: break
        }
        continue
      }
      if isClosing(word.text), !word.isQuoted {
        // Punctuation at the end of a line goes after closing brackets and quotes.
        if words.isEmpty {
          text += closings.reversed().joined()
          closings = []
        }
        text += word.text
        joins = false
        continue
      }
      if word.text == "(", !word.isQuoted {
        add("(")
        joins = true
        continue
      }
      switch macro {
      case "Fl": add("-" + word.text)
      case "Xr" where !isFirst:
        text += "(\(word.text))"
        macro = ""
      default: add(word.text)
      }
      isFirst = false
    }
    return text + closings.reversed().joined()

    func open(_ opening: String, _ closing: String) {
      add(opening)
      joins = true
      closings.append(closing)
    }
  }

  private static let escapes: [(escape: String, sign: String)] = [
    ("\\&", ""), ("\\-", "-"), ("\\(dq", "\""), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"),
    ("\\(ti", "~"),
    ("\\e", "\\"),
  ]

  /// Replaces mdoc's escapes by the characters that they produce.
  package static func unescaped(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    // The escaped backslash comes last in the list, so that its result is not read as another escape.
    return escapes.reduce(text) { $0.replacing($1.escape, with: $1.sign) }
  }

  /// Splits a line into words. A word in double quotes may contain spaces.
  private static func split(_ line: String) -> [(text: String, isQuoted: Bool)] {
    var words: [(text: String, isQuoted: Bool)] = []
    var rest = Substring(line)
    while let first = rest.first {
      if first == " " {
        rest = rest.dropFirst()
      } else if first == "\"" {
        let word = rest.dropFirst().prefix { $0 != "\"" }
        words.append((unescaped(String(word)), true))
        rest = rest.dropFirst(word.count + 2)
      } else {
        let word = rest.prefix { $0 != " " }
        words.append((unescaped(String(word)), false))
        rest = rest.dropFirst(word.count)
      }
    }
    return words
  }
}
