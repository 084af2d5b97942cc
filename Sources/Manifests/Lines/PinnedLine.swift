import ImageCaches

/// A line of a list that may pin what its source holds, as `sha256sum` writes it: 64 hexadecimal digits, a space, a
/// space or `*`, and a name. A backslash at the start says that `\\`, `\n` and `\r` in the name are escapes.
enum PinnedLine {
  /// A source and nothing else.
  case plain
  /// A digest and a name.
  case pinned(ContentDigest, name: String)
  /// What looks like a digest before a name, but has another number of digits.
  case otherDigest(count: Int)

  /// How far behind the digest's first character the name begins.
  static let nameOffset = 66
  /// The shortest digest that people use: MD5's.
  private static let fewestDigits = 32

  static func read(_ line: Substring) -> PinnedLine {
    let isEscaped = line.first == "\\"
    let rest = isEscaped ? line.dropFirst() : line
    let digits = rest.utf8.prefix(while: isHexDigit).count
    let after = rest.utf8.dropFirst(digits)
    guard digits >= fewestDigits, after.starts(with: "  ".utf8) || after.starts(with: " *".utf8) else {
      return .plain
    }
    guard let digest = ContentDigest(hex: rest.prefix(digits)) else { return .otherDigest(count: digits) }
    let name = rest.dropFirst(digits + 2)
    return .pinned(digest, name: isEscaped ? unescaped(name) : String(name))
  }

  /// What is said of a digest that has so many digits.
  static func problem(_ count: Int) -> String {
    "a digest before a source has 64 hexadecimal digits, as sha256sum prints them; this has \(count)"
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }

  private static func unescaped(_ name: Substring) -> String {
    var result = ""
    var rest = name[...]
    while let character = rest.popFirst() {
      switch (character, character == "\\" ? rest.first : nil) {
      case ("\\", "n"): result.append("\n")
      case ("\\", "r"): result.append("\r")
      case ("\\", "\\"): result.append("\\")
      default:
        result.append(character)
        continue
      }
      rest.removeFirst()
    }
    return result
  }
}
