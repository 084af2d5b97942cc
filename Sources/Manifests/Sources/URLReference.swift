/// A URL or relative reference, taken apart and resolved as RFC 3986, section 5, says.
struct URLReference: Sendable, Hashable {
  var scheme: String?
  /// User, host and port, as written; nil where there is no `//`.
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  /// Takes `text` apart as the appendix B of RFC 3986 does. nil where a character in it can't be in a URL.
  init?(parsing text: String) {
    var rest = text[...]
    scheme = Self.scheme(of: text)
    if let scheme { rest = rest.dropFirst(scheme.count + 1) }
    if let hash = rest.firstIndex(of: "#") {
      fragment = String(rest[rest.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      let found = String(rest[..<end])
      if found.contains(where: { $0.isWhitespace || "<>\"{}|\\^`".contains($0) }) { return nil }
      authority = found
      rest = rest[end...]
    }
    path = String(rest)
  }

  /// The scheme of `text` in lower case, if it has one. One letter is no scheme but a drive or a name.
  static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon]
    guard scheme.utf8.count > 1, let first = scheme.first, first.isASCII, first.isLetter else { return nil }
    let isScheme = scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return isScheme ? scheme.lowercased() : nil
  }

  /// The host without user and port.
  var host: String? {
    guard let authority else { return nil }
    let hostAndPort = authority[
      (authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex)...]
    if hostAndPort.hasPrefix("["), let end = hostAndPort.firstIndex(of: "]") {
      return String(hostAndPort[...end])
    }
    return String(hostAndPort.prefix { $0 != ":" })
  }

  /// The URL that `reference` means here (RFC 3986, 5.2). What a URL can't hold, such as a space, is encoded.
  func resolving(_ reference: String) -> String {
    guard let relative = URLReference(parsing: PercentEncoding.mended(reference)) else { return reference }
    var result = self
    result.fragment = relative.fragment
    if let authority = relative.authority {
      result.authority = authority
      (result.path, result.query) = (Self.removingDotSegments(relative.path), relative.query)
    } else if relative.path.isEmpty {
      if let query = relative.query { result.query = query }
    } else {
      result.query = relative.query
      let merged = relative.path.hasPrefix("/") ? relative.path : directoryPath + relative.path
      result.path = Self.removingDotSegments(merged)
    }
    return result.text
  }

  /// The whole as text.
  var text: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
      + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
  }

  private var directoryPath: String {
    guard let slash = path.lastIndex(of: "/") else { return "/" }
    return String(path[...slash])
  }

  private static func removingDotSegments(_ path: String) -> String {
    var output: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { output.append("") }
      case "..":
        if output.count > 1 { output.removeLast() }
        if isLast { output.append("") }
      default: output.append(segment)
      }
    }
    return output.joined(separator: "/")
  }
}

/// Percent-encoding (RFC 3986, 2.1).
enum PercentEncoding {
  /// `text` with every byte encoded that can't stand in a URL; what is encoded already stays.
  static func mended(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      if byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte) {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The text that was encoded; nil where it isn't UTF-8 or an escape is cut short.
  static func decoded(_ text: String) -> String? {
    var result: [UInt8] = []
    var bytes = text.utf8[...]
    while let byte = bytes.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard bytes.count >= 2, let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
      else {
        return nil
      }
      result.append(value)
      bytes = bytes.dropFirst(2)
    }
    return String(validating: result, as: UTF8.self)
  }
}
