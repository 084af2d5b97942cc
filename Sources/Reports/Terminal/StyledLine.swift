import TerminalText

/// A line of a display with styles, whose width is known.
struct StyledLine: Equatable {
  /// A "select graphic rendition" parameter of ECMA-48.
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

  /// The width in columns.
  var width: Int { parts.reduce(0) { $0 + TerminalText.width($1.text) } }

  /// Appends text, with control characters replaced.
  mutating func append(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { parts.append(Part(text: TerminalText.visible(text), style: style)) }
  }

  static func + (line: StyledLine, other: StyledLine) -> StyledLine {
    var result = line
    result.parts += other.parts
    return result
  }

  static func + (line: StyledLine, text: String) -> StyledLine { line + StyledLine(text) }

  /// Cuts the line to at most `columns`, with `…` for the omitted part.
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

  /// - Parameter unicode: Whether the terminal shows other characters than ASCII. Names keep theirs in any case.
  func text(color: Bool, unicode: Bool = true) -> String {
    parts.map { part in
      let text = unicode ? part.text : String(part.text.map { Self.ascii[$0] ?? $0 })
      return color && part.style != .plain ? "\u{1B}[\(part.style.rawValue)m\(text)\u{1B}[0m" : text
    }.joined()
  }

  /// The display's own characters and what stands for them, of the same width.
  private static let ascii: [Character: Character] = [
    "━": "=", "─": "-", "▸": ">", "↓": "v", "…": "~", "×": "x",
  ]
}
