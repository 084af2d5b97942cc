import Glibc
import Testing

/// What a terminal makes of the bytes that it is sent: rows with a scrollback, lines that break where a row is full and
/// break anew when the width changes, and the few control sequences that the display uses. Each character is as
/// wide as the C library says, so that the command isn't measured with its own measure.
struct TerminalScreen {
  private struct Row {
    /// A wide character is followed by an empty text.
    var cells: [String] = []
    /// The next row goes on with the same line.
    var isBroken = false
  }

  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var isCursorHidden = false
  /// Control sequences that stand for nothing here.
  private(set) var unknown: [String] = []
  /// Whether anything was colored.
  private(set) var hasColor = false
  /// The beginnings of lines that were too long for a row, except those of drawings that the command may have begun
  /// before it could know the width.
  private(set) var broken: [String] = []
  /// Drawings since the width changed last, one after the other, in which no line was too long.
  private var fittingDrawings = 0
  private var isDrawingBroken = false
  private var hasChangedWidth = false
  private var grid = [Row()]
  /// The cursor, from the scrollback's first row.
  private var (row, column) = (0, 0)
  private var pending: [UInt8] = []

  init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

  /// Every line from the beginning, scrollback and all, without spaces at its end; none of the empty ones after the last.
  var lines: [String] {
    var lines = [""]
    for row in grid {
      lines[lines.count - 1] += row.cells.joined()
      if !row.isBroken { lines.append("") }
    }
    lines = lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    return Array(lines[..<((lines.lastIndex { !$0.isEmpty } ?? -1) + 1)])
  }

  /// Whether the cursor stands at the beginning of the row below the last line.
  var isCursorBelow: Bool {
    column == 0 && row == (grid.lastIndex { !$0.cells.allSatisfy { $0 == " " } } ?? -1) + 1
  }

  /// Whether the command draws for this width: the first drawing after a change may be one for the width before.
  var isDrawnForWidth: Bool { fittingDrawings >= 2 }
  /// When a drawing ended after which nothing has come.
  private(set) var drawingEnd: ContinuousClock.Instant?

  // MARK: What the terminal is sent

  mutating func receive(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    var rest = pending[...]
    // What isn't whole yet waits.
    while let first = rest.first, let length = Self.length(of: rest, first), length <= rest.count {
      let text = String(decoding: rest.prefix(length), as: UTF8.self)
      drawingEnd = nil
      if first == 0x1B { control(text) } else { text.unicodeScalars.forEach { print($0) } }
      rest = rest.dropFirst(length)
    }
    pending = Array(rest)
    if !pending.isEmpty { drawingEnd = nil }
  }

  /// Of the character or the sequence at the beginning.
  private static func length(of bytes: ArraySlice<UInt8>, _ first: UInt8) -> Int? {
    switch first {
    case 0x1B:
      guard let second = bytes.dropFirst().first else { return nil }
      guard second == UInt8(ascii: "[") else { return 2 }
      return bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 - bytes.startIndex + 1 }
    case 0xF0...: return 4
    case 0xE0...: return 3
    case 0xC0...: return 2
    default: return 1
    }
  }

  private mutating func control(_ sequence: String) {
    let number = Int(sequence.dropFirst(2).dropLast()) ?? 1
    switch (sequence.last, sequence) {
    // Not beyond the screen's first row: what has scrolled away can't be reached.
    case ("A", _): row = max(max(0, grid.count - rows), row - number)
    case ("K", "\u{1B}[K"): clear(from: column, in: row)
    case ("J", "\u{1B}[J"):
      clear(from: column, in: row)
      grid.removeSubrange((row + 1)...)
      drawingEnd = .now
      fittingDrawings = isDrawingBroken ? 0 : fittingDrawings + 1
      isDrawingBroken = false
    case ("m", _): hasColor = true
    case (_, "\u{1B}[?25l"): isCursorHidden = true
    case (_, "\u{1B}[?25h"): isCursorHidden = false
    default: unknown.append(sequence)
    }
  }

  private mutating func clear(from column: Int, in row: Int) {
    grid[row].cells = Array(grid[row].cells.prefix(column))
    grid[row].isBroken = false
  }

  private mutating func print(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\r": column = 0
    case "\n": lineFeed()
    default:
      let width = Self.width(scalar)
      guard width > 0 else {
        if width < 0 { unknown.append("U+\(String(scalar.value, radix: 16))") }
        if width == 0, column > 0, column <= grid[row].cells.count {
          grid[row].cells[column - 1].unicodeScalars.append(scalar)
        }
        return
      }
      if column + width > columns {
        grid[row].isBroken = true
        let first = grid[..<row].lastIndex { !$0.isBroken }.map { $0 + 1 } ?? 0
        if !hasChangedWidth || isDrawnForWidth { broken.append(grid[first].cells.joined()) }
        isDrawingBroken = true
        column = 0
        lineFeed()
      }
      while grid[row].cells.count < column + width { grid[row].cells.append(" ") }
      grid[row].cells[column] = String(Character(scalar))
      if width == 2 { grid[row].cells[column + 1] = "" }
      column += width
    }
  }

  /// `wcwidth`, which Swift doesn't see. In a locale without Unicode it knows ASCII only.
  private static func width(_ scalar: Unicode.Scalar) -> Int {
    typealias Measure = @convention(c) (Int32) -> Int32
    guard let symbol = dlsym(nil, "wcwidth") else { return -1 }
    return Int(unsafeBitCast(symbol, to: Measure.self)(Int32(bitPattern: scalar.value)))
  }

  private mutating func lineFeed() {
    row += 1
    if row == grid.count { grid.append(Row()) }
  }

  // MARK: What its user does to it

  /// Breaks the lines anew, as terminals with a scrollback do.
  mutating func resize(columns: Int, rows: Int) {
    (hasChangedWidth, fittingDrawings, isDrawingBroken) = (true, 0, false)
    var lines: [[String]] = [[]]
    var cursor = (line: 0, offset: 0)
    for (index, row) in grid.enumerated() {
      if index == self.row { cursor = (lines.count - 1, lines[lines.count - 1].count + column) }
      lines[lines.count - 1] += row.cells
      if !row.isBroken { lines.append([]) }
    }
    if grid.last?.isBroken != true { lines.removeLast() }
    (self.columns, self.rows) = (columns, rows)
    grid = []
    for (index, line) in lines.enumerated() {
      if index == cursor.line {
        (row, column) = (grid.count + cursor.offset / columns, cursor.offset % columns)
      }
      var rest = line[...]
      repeat {
        // A wide character is kept whole.
        var end = min(columns, rest.count)
        if end < rest.count, rest[rest.startIndex + end].isEmpty { end -= 1 }
        grid.append(Row(cells: Array(rest.prefix(end)), isBroken: end < rest.count))
        rest = rest.dropFirst(max(1, end))
      } while !rest.isEmpty
    }
    while row >= grid.count { grid.append(Row()) }
  }
}

extension TerminalScreen: CustomTestStringConvertible {
  var testDescription: String { lines.joined(separator: "\n") }
}
