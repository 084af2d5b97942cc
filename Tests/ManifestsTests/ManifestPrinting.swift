import TestSupport

/// Writes values in one of the forms of a manifest, with one of its spellings each time.
struct ManifestPrinter {
  var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  private mutating func chance(_ count: Int) -> Bool { Int.random(in: 1...count, using: &random) == 1 }

  // MARK: JSON

  mutating func json(_ value: ModelValue) -> String { space() + jsonValue(value) + space() }

  private mutating func space() -> String {
    ["", " ", "\n", "\t", "\r\n  "].randomElement(using: &random) ?? ""
  }

  private mutating func jsonValue(_ value: ModelValue) -> String {
    switch value {
    case .text(let text): return jsonText(text)
    case .number(let number): return "\(number)"
    case .flag(let flag): return "\(flag)"
    case .list(let values):
      return "[" + values.map { space() + jsonValue($0) + space() }.joined(separator: ",") + "]"
    case .mapping(let members):
      return "{"
        + members.map { space() + jsonText($0.key) + space() + ":" + space() + jsonValue($0.value) + space() }
        .joined(separator: ",") + "}"
    }
  }

  mutating func jsonText(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || chance(8) {
        // UTF-16, as RFC 8259 wants it.
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: chance(2))
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  // MARK: YAML

  /// Block style, with flow style, anchors and aliases within.
  mutating func yaml(_ value: ModelValue) -> String {
    (anchors, anchorCount) = ([:], 0)
    var text = chance(3) ? "---\n" : ""
    if chance(4) { text = "%YAML 1.2\n---\n" }
    for member in value.members { text += yamlMember(member, "") }
    return text + (chance(4) ? "...\n" : "")
  }

  /// Values that have an anchor.
  private var anchors: [ModelValue: String] = [:]
  private var anchorCount = 0

  private mutating func yamlMember(_ member: ModelValue.Member, _ indentation: String) -> String {
    indentation + yamlKey(member.key) + ":" + yamlBlock(member.value, indentation)
  }

  private mutating func yamlKey(_ key: String) -> String {
    isPlain(key) && !chance(5) ? key : chance(2) ? escapedText(key) : yamlQuoted(key)
  }

  /// What follows a key or a dash, to the end of its last line.
  private mutating func yamlBlock(_ value: ModelValue, _ indentation: String) -> String {
    let comment = chance(8) ? " # a comment: [\n" : "\n"
    switch value {
    case .list(let values) where !values.isEmpty && !chance(4):
      let inner = indentation + (chance(2) ? "  " : "")
      return comment + values.map { inner + "-" + yamlBlock($0, inner + "  ") }.joined()
    case .mapping(let members) where !members.isEmpty && !chance(4):
      let inner = indentation + (chance(2) ? "  " : "    ")
      return comment + members.map { yamlMember($0, inner) }.joined()
    default: return " " + yamlFlow(value) + comment
    }
  }

  private mutating func yamlFlow(_ value: ModelValue) -> String {
    if let anchor = anchors[value], chance(2) { return "*\(anchor) " }
    if case .mapping = value, anchors[value] == nil, chance(4) {
      // Within, the anchor isn't complete.
      anchorCount += 1
      let name = "a\(anchorCount)"
      let text = yamlFlow(value)
      // It may have got one of its own meanwhile.
      guard !text.hasPrefix("&") else { return text }
      anchors[value] = name
      return "&\(name) " + text
    }
    switch value {
    case .text(let text): return yamlText(text)
    case .number(let number): return "\(number)"
    case .flag(let flag):
      return flag ? ["true", "True", "TRUE"].randomElement(using: &random) ?? "" : "false"
    case .list(let values): return "[" + values.map { yamlFlow($0) }.joined(separator: ", ") + "]"
    case .mapping(let members):
      return "{" + members.map { yamlKey($0.key) + ": " + yamlFlow($0.value) }.joined(separator: ", ") + "}"
    }
  }

  private mutating func yamlText(_ text: String) -> String {
    if isPlain(text), !chance(4) { return text }
    let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7f}" }
    return isPrintable && chance(2) ? yamlQuoted(text) : escapedText(text)
  }

  private func yamlQuoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

  private func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, (97...122).contains(first) else { return false }
    return !["null", "true", "false"].contains(text)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || "-./".utf8.contains($0) }
  }

  // MARK: TOML

  mutating func toml(_ value: ModelValue) -> String {
    var plain = ""
    var tables = ""
    for member in value.members {
      switch member.value {
      case .mapping(let members) where !chance(3):
        tables += "[\(tomlKey(member.key))]" + tomlEnd()
        for member in members { tables += tomlPair(member) }
      case .list(let values) where member.key == "jobs" && !chance(4):
        for value in values {
          tables += "[[ jobs ]]" + tomlEnd()
          for member in value.members { tables += tomlPair(member) }
        }
      default: plain += tomlPair(member)
      }
    }
    return plain + tables
  }

  private mutating func tomlEnd() -> String { chance(6) ? " # ]\n" : chance(6) ? "\r\n" : "\n" }

  private mutating func tomlPair(_ member: ModelValue.Member) -> String {
    if case .mapping(let members) = member.value, !members.isEmpty, chance(2) {
      return members.map {
        tomlKey(member.key) + " . " + tomlKey($0.key) + "=" + tomlValue($0.value) + tomlEnd()
      }
      .joined()
    }
    return tomlKey(member.key) + " = " + tomlValue(member.value) + tomlEnd()
  }

  private mutating func tomlKey(_ key: String) -> String {
    let isBare =
      !key.isEmpty
      && key.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    return isBare && !chance(4) ? key : escapedText(key)
  }

  private mutating func tomlValue(_ value: ModelValue) -> String {
    switch value {
    case .text(let text): return tomlText(text)
    case .number(let number):
      return number > 999 ? "\(number / 1000)_" + "\(number + 1000)".suffix(3) : "\(number)"
    case .flag(let flag): return "\(flag)"
    case .list(let values):
      return "["
        + values.map { (chance(3) ? "\n # a comment\n" : "") + tomlValue($0) }.joined(separator: " , ")
        + (chance(3) && !values.isEmpty ? ",\n]" : "]")
    case .mapping(let members):
      return "{" + members.map { tomlKey($0.key) + " = " + tomlValue($0.value) }.joined(separator: ", ") + "}"
    }
  }

  private mutating func tomlText(_ text: String) -> String {
    let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "'" && $0 != "\u{7f}" }
    return isPrintable && chance(2) ? "'\(text)'" : escapedText(text)
  }

  /// With YAML's and TOML's escapes, which stand for scalars: surrogates are none.
  private mutating func escapedText(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || chance(8) {
        let digits = String(scalar.value, radix: 16)
        result +=
          scalar.value > 0xFFFF
          ? "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
          : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
