import SystemIO

/// Hides the user names, passwords and tokens of the URLs in a text, such as a message or a filter chain, whose URLs are
/// percent-encoded. The text needn't be well-formed: messages about wrong URLs quote them.
///
///     SecretText.hidden(in: "can't read http://me:secret@example.com/a.png")
///     // can't read http://…@example.com/a.png
package enum SecretText {
  /// The text with `…` in place of each secret.
  package static func hidden(in text: String) -> String {
    replacing(text) { _ in "…" }
  }

  /// A message about a wrong chain. It may quote a part of a URL whose colons should have been encoded.
  package static func hidden(in message: String, about chain: String) -> String {
    guard hidden(in: chain) != chain else { return message }
    return message.replacing(#/'[^'@]*@/#, with: "'…@")
  }

  /// The text with asterisks in place of each secret, so that columns stay.
  package static func starred(in text: String) -> String {
    replacing(text) { String(repeating: "*", count: $0.unicodeScalars.count) }
  }

  private static func replacing(_ text: String, with replacement: (String) -> String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") || $0 == escape })
    else { return text }
    var result = ""
    let bytes = Array(text.utf8)
    var end = 0
    for secret in secrets(in: bytes) where secret.lowerBound >= end {
      result += String(decoding: bytes[end..<secret.lowerBound], as: UTF8.self)
      result += replacement(String(decoding: bytes[secret], as: UTF8.self))
      end = secret.upperBound
    }
    return end == 0 ? text : result + String(decoding: bytes[end...], as: UTF8.self)
  }

  // MARK: Finding secrets

  /// A byte of a text, as written or percent-encoded.
  private struct Unit {
    let byte: UInt8
    let isEscaped: Bool
    let place: Range<Int>

    func isPlain(_ bytes: StaticString) -> Bool { !isEscaped && isOne(of: bytes) }

    func isOne(of bytes: StaticString) -> Bool {
      bytes.withUTF8Buffer { $0.contains(byte) }
    }
  }

  private static let escape = UInt8(ascii: "%")

  private static func units(_ bytes: [UInt8]) -> [Unit] {
    var units: [Unit] = []
    var index = 0
    while index < bytes.count {
      let place = index..<min(index + 3, bytes.count)
      if bytes[index] == escape, place.count == 3,
        case let decoded = PercentEncoding.decodedBytes(String(decoding: bytes[place], as: UTF8.self)),
        decoded.count == 1
      {
        units.append(Unit(byte: decoded[0], isEscaped: true, place: place))
      } else {
        units.append(Unit(byte: bytes[index], isEscaped: false, place: index..<index + 1))
      }
      index = units[units.count - 1].place.upperBound
    }
    return units
  }

  /// The places of the secrets, in order.
  private static func secrets(in bytes: [UInt8]) -> [Range<Int>] {
    let units = units(bytes)
    var found: [Range<Int>] = []
    var index = 0
    while index < units.count {
      let separator = units[index...].prefix { $0.isOne(of: ":/") }
      let isWhole = separator.map(\.byte) == Array("://".utf8)
      let hasColon = separator.contains { $0.isOne(of: ":") }
      guard isWhole || (hasColon || separator.count > 1) && isMisspelled(units[..<index], hasColon) else {
        index += max(1, separator.count)
        continue
      }
      // In a chain, a colon that isn't encoded ends the URL.
      let isEncoded = isWhole && units[index].isEscaped
      index += separator.count
      let rest = units[index...].prefix { unit in
        !unit.isPlain(" \t\r\n") && !(isEncoded && unit.isPlain(":,"))
      }
      if let user = userInformation(rest, isEncoded), isWhole || rest.contains(where: { $0.isOne(of: ":") }) {
        found.append(user)
      }
      found += tokens(rest)
    }
    return found.filter { !$0.isEmpty && !bytes[$0].allSatisfy { $0 == UInt8(ascii: "*") } }
      .sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Whether a text ends in a scheme, which other characters follow than `://`.
  /// - Parameter hasColon: Whether a colon is among them. Without one, the scheme isn't the end of a path.
  private static func isMisspelled(_ start: ArraySlice<Unit>, _ hasColon: Bool) -> Bool {
    let name = start.suffix(5).reversed().prefix { $0.isOne(of: "HTPShtps3") }.map(\.byte)
    guard ["http", "https", "s3"].contains(String(decoding: name.reversed(), as: UTF8.self).lowercased())
    else {
      return false
    }
    // Not the end of a word.
    guard let before = start.dropLast(name.count).last else { return true }
    return !before.isOne(of: hasColon ? "._-" : "/._-") && !isLetterOrDigit(before.byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte >= 0x80
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// The user name and password of a URL.
  /// - Parameter url: What follows the scheme.
  private static func userInformation(_ url: ArraySlice<Unit>, _ isEncoded: Bool) -> Range<Int>? {
    var authority = url.prefix { !$0.isPlain("/?#") }
    // Not in an IPv6 address.
    if !authority.contains(where: { $0.isPlain("@") || $0.isPlain("]") }),
      let colon = authority.lastIndex(where: { $0.isOne(of: ":") }),
      authority[(colon + 1)...].contains(where: { !$0.isOne(of: "0123456789'\"),;.") })
    {
      // What looks like a port is the beginning of a password that has a slash.
      authority = url
    }
    let end =
      authority.lastIndex { $0.isPlain("@") }
      ?? (isEncoded ? authority.lastIndex { $0.isOne(of: "@") } : nil)
    guard let end, let first = url.first else { return nil }
    return first.place.lowerBound..<url[end].place.lowerBound
  }

  /// The values of the parameters that carry signatures or tokens.
  private static func tokens(_ url: ArraySlice<Unit>) -> [Range<Int>] {
    guard let question = url.firstIndex(where: { $0.isOne(of: "?") }) else { return [] }
    let query = url[(question + 1)...].prefix { !$0.isPlain("#'\"<>") }
    return query.split { $0.isOne(of: "&?") }.compactMap { parameter in
      guard let equals = parameter.firstIndex(where: { $0.isOne(of: "=") }), equals + 1 < parameter.endIndex,
        let last = parameter.last
      else { return nil }
      let name = String(decoding: parameter[..<equals].map(\.byte), as: UTF8.self).lowercased()
      return WebAddress.isSecret(name) ? parameter[equals + 1].place.lowerBound..<last.place.upperBound : nil
    }
  }
}
