import ImageCaches

/// A line of a list, which may pin its source's content in the form of `sha256sum`: 64 hexadecimal digits, a space, a
/// space or `*`, and a name. After a backslash at the start, `\\`, `\n` and `\r` in the name are escapes.
enum PinnedLine {
  /// A source without a digest.
  case plain
  /// A digest and a name.
  case pinned(ContentDigest, name: String)
  /// A digest with the wrong number of digits before a name.
  case otherDigest(count: Int)

  /// The distance of the name from the digest's first character.
  static let nameOffset = 66
  /// The digits of MD5, the shortest digest in common use.
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

  /// The message for a digest with the wrong number of digits.
  static func problem(_ count: Int) -> String {
    "a digest before a source must be 64 hexadecimal digits, as printed by sha256sum; this has \(count)"
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
