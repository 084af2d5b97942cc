import Curl

/// The directives of a message's `Cache-Control` fields (RFC 9111 §5.2), in order.
struct CacheControl: Hashable, Sendable {
  /// The value of any longer time, in seconds (RFC 9111 §1.2.2).
  static let longestTime = 1 << 31

  /// Names are in lower case; a value is nil if there is no `=`.
  private let directives: [(name: String, value: String?)]

  static func == (left: CacheControl, right: CacheControl) -> Bool {
    left.directives.elementsEqual(right.directives) { $0.name == $1.name && $0.value == $1.value }
  }

  func hash(into hasher: inout Hasher) {
    for directive in directives { hasher.combine(directive.name) }
  }

  /// - Parameter fields: All fields of the message.
  init(_ fields: [HeaderField]) {
    directives = FieldList.members(of: fields.values(of: "Cache-Control")).map { member in
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = FieldList.trimmed(parts[0]).lowercased()
      guard parts.count == 2 else { return (name, nil) }
      return (name, FieldList.trimmed(parts[1]))
    }
  }

  /// Whether the directive is present, with or without a value.
  func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

  /// Whether the directive is present without a value: `no-cache` with a list of fields applies only to these fields.
  func hasBare(_ name: String) -> Bool { directives.contains { $0.name == name && $0.value == nil } }

  /// The first value of a directive in seconds, at most ``longestTime``; nil if the directive is absent. An invalid
  /// value counts as 0, which is stale (RFC 9111 §4.2.1).
  func seconds(_ name: String) -> Int? {
    guard let directive = directives.first(where: { $0.name == name }) else { return nil }
    guard var value = directive.value else { return 0 }
    if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
      value = String(value.dropFirst().dropLast())
    }
    return Self.deltaSeconds(value) ?? 0
  }

  /// Parses a whole number of seconds, at most ``longestTime``; nil for any other text.
  static func deltaSeconds(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return text.utf8.reduce(0) { min(longestTime, $0 * 10 + Int($1) - 48) }
  }
}

/// Comma-separated fields (RFC 9110 §5.6.1).
enum FieldList {
  /// The trimmed members of all lines, without empty ones. A comma in a quoted string doesn't separate members.
  static func members(of lines: [String]) -> [String] {
    lines.flatMap { line in
      var members: [String] = []
      var member = ""
      var isQuoted = false
      var isEscaped = false
      for character in line.unicodeScalars {
        if isEscaped {
          isEscaped = false
        } else if isQuoted, character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isQuoted.toggle()
        } else if character == ",", !isQuoted {
          members.append(member)
          member = ""
          continue
        }
        member.unicodeScalars.append(character)
      }
      members.append(member)
      return members.map(trimmed).filter { !$0.isEmpty }
    }
  }

  /// The text without spaces and tabs at its ends.
  static func trimmed(_ text: some StringProtocol) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    guard let first = text.firstIndex(where: { !isBlank($0) }),
      let last = text.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(text[first...last])
  }
}
