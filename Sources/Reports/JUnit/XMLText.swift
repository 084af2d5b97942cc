/// Texts in XML 1.0 and HTML, for element content and for attributes in double quotes alike.
enum XMLText {
  /// `text` escaped. What XML 1.0 has no character for (controls, U+FFFE, U+FFFF) becomes `�`; line breaks and tabs
  /// become character references, so that attributes keep them.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { isSpecial($0) }) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t": result += "&#9;"
      case "\n": result += "&#10;"
      case "\r": result += "&#13;"
      case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Also whatever isn't ASCII, where a character that needs a look may begin.
  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, 0x7F..., UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      true
    default: false
    }
  }
}
