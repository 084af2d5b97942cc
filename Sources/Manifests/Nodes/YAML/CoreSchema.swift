/// Interprets plain scalars by YAML's core schema (YAML 1.2.2, section 10.3).
enum CoreSchema {
  static func value(of plain: String) -> ManifestNode.Value {
    switch plain {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: return isNumber(plain) ? .number(plain) : .text(plain)
    }
  }

  private static func isNumber(_ text: String) -> Bool {
    if text.hasPrefix("0x") || text.hasPrefix("0o") {
      return Int(text.dropFirst(2), radix: text.hasPrefix("0x") ? 16 : 8) != nil
    }
    let body = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard body.utf8.contains(where: { (48...57).contains($0) }) else { return false }
    // Double's parser also accepts words and hexadecimal numbers, which the core schema doesn't.
    return body.utf8.allSatisfy { (48...57).contains($0) || ".eE+-".utf8.contains($0) } && Double(text) != nil
  }
}
