/// A terminal as far as the live display uses one: text, line ends, and cursor movements and erasures of
/// ECMA-48.
struct FakeTerminal {
  private(set) var lines: [[Character]] = [[]]
  private(set) var row = 0
  private var column = 0
  /// What was written that no terminal of this kind understands.
  private(set) var unknown: [String] = []

  /// The text on it, without the empty lines at its end.
  var text: [String] {
    var shown = lines.map { String($0) }
    while shown.last?.isEmpty == true { shown.removeLast() }
    return shown
  }

  mutating func write(_ text: String) {
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\n":
        row += 1
        column = 0
        if row == lines.count { lines.append([]) }
      case "\r": column = 0
      case "\u{1B}": sequence(&rest)
      default: put(Character(scalar))
      }
    }
  }

  private mutating func put(_ character: Character) {
    while lines[row].count <= column { lines[row].append(" ") }
    lines[row][column] = character
    column += 1
  }

  private mutating func sequence(_ rest: inout ArraySlice<Unicode.Scalar>) {
    guard rest.popFirst() == "[" else { return unknown.append("ESC") }
    var parameter = ""
    while let next = rest.first, ("0"..."9").contains(next) || next == ";" {
      parameter.unicodeScalars.append(next)
      rest.removeFirst()
    }
    switch rest.popFirst() {
    case "A": row = max(0, row - (Int(parameter) ?? 1))
    case "K": lines[row].removeLast(max(0, lines[row].count - column))
    case "J":
      lines[row].removeLast(max(0, lines[row].count - column))
      for index in lines.indices where index > row { lines[index] = [] }
    case "m": break
    case let other: unknown.append("\(parameter)\(other.map { "\($0)" } ?? "")")
    }
  }
}
