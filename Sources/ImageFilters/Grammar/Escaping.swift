/// Escapes, inside a value, the four characters that the chain grammar reserves.
enum Escaping {
  /// Writes `%`, `,`, `:` and `=` as `%25`, `%2C`, `%3A` and `%3D`.
  static func escaped(_ value: String) -> String {
    var text = ""
    for character in value.unicodeScalars {
      switch character {
      case "%": text += "%25"
      case ",": text += "%2C"
      case ":": text += "%3A"
      case "=": text += "%3D"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }

  /// Decodes the four escapes. Any other `%` is kept, as in `50%`.
  static func unescaped(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
        let character = character(bytes[position + 1], bytes[position + 2])
      {
        result.append(character)
        position += 3
      } else {
        result.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func character(_ first: UInt8, _ second: UInt8) -> UInt8? {
    switch (first, second) {
    case (UInt8(ascii: "2"), UInt8(ascii: "5")): UInt8(ascii: "%")
    case (UInt8(ascii: "2"), UInt8(ascii: "C")), (UInt8(ascii: "2"), UInt8(ascii: "c")): UInt8(ascii: ",")
    case (UInt8(ascii: "3"), UInt8(ascii: "A")), (UInt8(ascii: "3"), UInt8(ascii: "a")): UInt8(ascii: ":")
    case (UInt8(ascii: "3"), UInt8(ascii: "D")), (UInt8(ascii: "3"), UInt8(ascii: "d")): UInt8(ascii: "=")
    default: nil
    }
  }
}
