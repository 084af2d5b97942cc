/// Reads JSON (RFC 8259) strictly into nodes with places.
struct JSONNodes {
  private let bytes: [UInt8]
  private var position = 0
  private var line: Int
  private var column = 1
  /// The byte up to which `column` has been counted.
  private var counted = 0

  private static let maximumDepth = 64

  struct Failure: Error {
    var place: TextPlace
    var message: String
  }

  /// Reads the value in `text`.
  /// - Parameter line: The number of the first line.
  /// - Throws: `Failure` if the text isn't JSON, or continues after the value.
  static func read(_ text: some StringProtocol, line: Int = 1) throws(Failure) -> ManifestNode {
    var reader = JSONNodes(bytes: Array(text.utf8), line: line)
    return try reader.document()
  }

  /// Reads the value in `bytes`, which must be UTF-8.
  static func read(bytes: [UInt8], line: Int) throws(Failure) -> ManifestNode {
    var reader = JSONNodes(bytes: bytes, line: line)
    return try reader.document()
  }

  private init(bytes: [UInt8], line: Int) {
    self.bytes = bytes
    self.line = line
  }

  private mutating func document() throws(Failure) -> ManifestNode {
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else {
      // One object per line is NDJSON.
      let isLines = peek("{") && bytes[..<position].contains(0x0A)
      let hint = isLines ? ": a file with one object per line needs the extension .ndjson" : ""
      throw fail("unexpected text after the JSON value\(hint)")
    }
    return value
  }

  private mutating func value(depth: Int) throws(Failure) -> ManifestNode {
    skipSpace()
    guard depth < Self.maximumDepth else { throw fail("nested more than \(Self.maximumDepth) deep") }
    guard position < bytes.count else { throw fail("expected a JSON value, but the text ends") }
    let place = place()
    switch bytes[position] {
    case UInt8(ascii: "{"): return ManifestNode(.mapping(try members(depth: depth)), at: place)
    case UInt8(ascii: "["): return ManifestNode(.list(try elements(depth: depth)), at: place)
    case UInt8(ascii: "\""):
      let (text, isLiteral) = try string()
      let textPlace = TextPlace(line: place.line, column: place.column + 1)
      return ManifestNode(.text(text), at: place, textPlace: isLiteral ? textPlace : nil)
    case UInt8(ascii: "t"): return ManifestNode(try word("true", .bool(true)), at: place)
    case UInt8(ascii: "f"): return ManifestNode(try word("false", .bool(false)), at: place)
    case UInt8(ascii: "n"): return ManifestNode(try word("null", .null), at: place)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return ManifestNode(.number(try number()), at: place)
    case UInt8(ascii: "'"): throw fail("strings need double quotes")
    case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
      throw fail("expected a JSON value (extra comma?)")
    default: throw fail("expected a JSON value; strings need double quotes")
    }
  }

  private mutating func members(depth: Int) throws(Failure) -> [ManifestNode.Entry] {
    position += 1
    var entries: [ManifestNode.Entry] = []
    skipSpace()
    if take("}") { return entries }
    while true {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw fail("expected a key in double quotes")
      }
      let place = place()
      let key = try string().text
      skipSpace()
      guard take(":") else { throw fail("expected ':' after the key '\(key)'") }
      entries.append(.init(key: key, place: place, value: try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return entries }
      guard take(",") else { throw fail("expected ',' or '}' after the value of '\(key)'") }
      skipSpace()
      if peek("}") { throw fail("extra comma before '}': remove it") }
    }
  }

  private mutating func elements(depth: Int) throws(Failure) -> [ManifestNode] {
    position += 1
    var nodes: [ManifestNode] = []
    skipSpace()
    if take("]") { return nodes }
    while true {
      nodes.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return nodes }
      guard take(",") else { throw fail("expected ',' or ']' after an array's value") }
      skipSpace()
      if peek("]") { throw fail("extra comma before ']': remove it") }
    }
  }

  // MARK: Scalars

  private mutating func word(_ word: String, _ value: ManifestNode.Value) throws(Failure)
    -> ManifestNode.Value
  {
    guard bytes[position...].starts(with: word.utf8) else {
      throw fail("expected a JSON value; strings need double quotes")
    }
    position += word.utf8.count
    return value
  }

  private mutating func number() throws(Failure) -> String {
    let start = position
    _ = take("-")
    let digitsStart = position
    guard digits() > 0 else { throw fail("expected a digit") }
    if bytes[digitsStart] == UInt8(ascii: "0"), position - digitsStart > 1 {
      throw fail("a JSON number can't begin with 0")
    }
    if take("."), digits() == 0 { throw fail("expected a digit after the decimal point") }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard digits() > 0 else { throw fail("expected a digit in the exponent") }
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() -> Int {
    let start = position
    while position < bytes.count, (48...57).contains(bytes[position]) { position += 1 }
    return position - start
  }

  /// The string, and whether it has no escapes.
  private mutating func string() throws(Failure) -> (text: String, isLiteral: Bool) {
    position += 1
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\""),
      bytes[position] != UInt8(ascii: "\\"),
      bytes[position] >= 0x20
    {
      position += 1
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      defer { position += 1 }
      return (String(decoding: bytes[start..<position], as: UTF8.self), true)
    }
    var text = Array(bytes[start..<position])
    while true {
      guard position < bytes.count else { throw fail("a string has no closing quote") }
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return (String(decoding: text, as: UTF8.self), false)
      case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
      case 0..<0x20: throw fail("a control character in a string must be escaped, such as \\n")
      default:
        text.append(byte)
        position += 1
      }
    }
  }

  private mutating func escape() throws(Failure) -> Unicode.Scalar {
    guard position + 1 < bytes.count else { throw fail("a string has no closing quote") }
    let simple: [UInt8: Unicode.Scalar] = [
      UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
      UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
    if let scalar = simple[bytes[position + 1]] {
      position += 2
      return scalar
    }
    guard let high = codeUnit() else { throw fail("invalid escape") }
    if let scalar = Unicode.Scalar(high) {
      position += 6
      return scalar
    }
    let start = position
    position += 6
    guard UTF16.isLeadSurrogate(UInt16(high)), let low = codeUnit(), (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    else {
      position = start
      throw fail("unpaired surrogate")
    }
    position += 6
    return scalar
  }

  /// The value of `\uXXXX` at the position; nil if there is none.
  private func codeUnit() -> UInt32? {
    guard position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    let digits = String(decoding: bytes[(position + 2)..<(position + 6)], as: UTF8.self)
    return digits.first == "+" || digits.first == "-" ? nil : UInt32(digits, radix: 16)
  }

  // MARK: Places

  private func peek(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  /// The place of `position`. Calls come in rising order, so each byte is counted once.
  private mutating func place() -> TextPlace {
    while counted < position {
      if bytes[counted] == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if bytes[counted] & 0xC0 != 0x80 {
        column += 1
      }
      counted += 1
    }
    return TextPlace(line: line, column: column)
  }

  private mutating func fail(_ message: String) -> Failure {
    Failure(place: place(), message: "not JSON: \(message)")
  }
}
