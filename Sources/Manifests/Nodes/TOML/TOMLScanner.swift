/// Scans a TOML document's bytes and tracks the place.
struct TOMLScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var column = 1

  typealias Failure = JSONNodes.Failure

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position >= bytes.count }
  var place: TextPlace { TextPlace(line: line, column: column) }

  func fail(_ message: String, at place: TextPlace? = nil) -> Failure {
    Failure(place: place ?? self.place, message: "not TOML: \(message)")
  }

  func peek(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  mutating func take(_ text: String) -> Bool {
    guard peek(text) else { return false }
    for _ in 0..<text.utf8.count { advance() }
    return true
  }

  mutating func skipSpace() {
    while !isAtEnd, bytes[position] == 0x20 || bytes[position] == 0x09 { advance() }
  }

  /// Skips spaces, comments and line breaks.
  mutating func skipBlankLines() {
    while !isAtEnd {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: advance()
      case UInt8(ascii: "#"): while !isAtEnd, bytes[position] != 0x0A { advance() }
      default: return
      }
    }
  }

  /// Skips to the next line.
  /// - Throws: `Failure` if the rest of the line isn't a comment.
  mutating func endLine() throws(Failure) {
    skipSpace()
    if peek("#") { while !isAtEnd, bytes[position] != 0x0A { advance() } }
    if isAtEnd || take("\r\n") || take("\n") { return }
    throw fail("expected the end of the line")
  }

  mutating func bareKey() -> String {
    run { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
  }

  /// A bare value.
  mutating func word() -> String {
    run { byte in byte > 0x20 && !",]}#=[{\"'".utf8.contains(byte) }
  }

  private mutating func run(while matches: (UInt8) -> Bool) -> String {
    let start = position
    while !isAtEnd, matches(bytes[position]) { advance() }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  // MARK: Strings

  /// A string of any of the four kinds, and the place of its first character if it has no escapes.
  mutating func string() throws(Failure) -> (text: String, place: TextPlace?) {
    for (quote, isLiteral, isLong) in [
      ("'''", true, true), ("\"\"\"", false, true), ("'", true, false), ("\"", false, false),
    ] {
      guard take(quote) else { continue }
      return try body(closing: quote, isLiteral: isLiteral, isLong: isLong)
    }
    throw fail("expected a string in quotes")
  }

  private mutating func body(
    closing quote: String, isLiteral: Bool, isLong: Bool
  ) throws(Failure) -> (text: String, place: TextPlace?) {
    if isLong, !take("\r\n") { _ = take("\n") }
    let start = place
    var text: [UInt8] = []
    var isAsWritten = !isLong
    while true {
      guard !isAtEnd else { throw fail("a string has no closing \(quote)", at: start) }
      if peek(quote) {
        // A long string may end in up to two quotes before the closing three.
        if isLong, bytes[position...].dropFirst(3).first == quote.utf8.first {
          text.append(bytes[position])
          advance()
          continue
        }
        _ = take(quote)
        return (String(decoding: text, as: UTF8.self), isAsWritten ? start : nil)
      }
      let byte = bytes[position]
      if byte == UInt8(ascii: "\\"), !isLiteral {
        isAsWritten = false
        text += try escape(isLong: isLong)
      } else if byte == 0x0A || byte == 0x0D, !isLong {
        throw fail("a string has no closing \(quote) on the same line", at: start)
      } else if byte < 0x20, ![0x09, 0x0A, 0x0D].contains(byte) {
        throw fail("a control character in a string must be escaped, such as \\u0007")
      } else {
        text.append(byte)
        advance()
      }
    }
  }

  private mutating func escape(isLong: Bool) throws(Failure) -> [UInt8] {
    let start = place
    advance()
    if isLong, !isAtEnd, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      while !isAtEnd, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { advance() }
      return []
    }
    let simple: [(String, Unicode.Scalar)] = [
      ("b", "\u{8}"), ("t", "\t"), ("n", "\n"), ("f", "\u{C}"), ("r", "\r"), ("\"", "\""), ("\\", "\\"),
    ]
    for (letter, scalar) in simple where take(letter) { return Array(String(scalar).utf8) }
    for (letter, count) in [("u", 4), ("U", 8)] where take(letter) {
      let digits = String(decoding: bytes[position...].prefix(count), as: UTF8.self)
      guard digits.utf8.count == count, let value = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(value)
      else {
        throw fail("'\\\(letter)' needs the \(count) hexadecimal digits of a character", at: start)
      }
      for _ in 0..<count { advance() }
      return Array(String(scalar).utf8)
    }
    throw fail("invalid escape; write a backslash as '\\\\', or use single quotes", at: start)
  }

  private mutating func advance() {
    if bytes[position] == 0x0A {
      line += 1
      column = 1
    } else if bytes[position] & 0xC0 != 0x80 {
      column += 1
    }
    position += 1
  }
}
