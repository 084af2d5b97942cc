import TerminalText

/// A line of a display, which knows its width though it has colours.
struct StyledLine: Equatable {
  /// ECMA-48's "select graphic rendition".
  enum Style: Int {
    case plain = 0
    case bold = 1
    case faint = 2
    case red = 31
    case green = 32
    case cyan = 36
  }

  private struct Part: Equatable {
    var text: String
    var style: Style
  }

  private var parts: [Part] = []

  init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

  /// In columns.
  var width: Int { parts.reduce(0) { $0 + TerminalText.width($1.text) } }

  /// Control characters in `text` are made visible.
  mutating func append(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { parts.append(Part(text: TerminalText.visible(text), style: style)) }
  }

  static func + (line: StyledLine, other: StyledLine) -> StyledLine {
    var result = line
    result.parts += other.parts
    return result
  }

  static func + (line: StyledLine, text: String) -> StyledLine { line + StyledLine(text) }

  /// At most `columns` wide, with `…` where something was left out.
  func cut(to columns: Int) -> StyledLine {
    guard width > columns else { return self }
    var result = StyledLine()
    var room = columns
    for part in parts where room > 0 {
      let isLast = TerminalText.width(part.text) >= room
      result.append(isLast ? TerminalText.truncated(part.text + "…", to: room) : part.text, part.style)
      room -= TerminalText.width(part.text)
    }
    return result
  }

  func text(colour: Bool) -> String {
    parts.map { part in
      colour && part.style != .plain ? "\u{1B}[\(part.style.rawValue)m\(part.text)\u{1B}[0m" : part.text
    }.joined()
  }
}
