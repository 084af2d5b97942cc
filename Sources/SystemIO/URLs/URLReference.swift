/// The five parts of a URL or relative reference (RFC 3986).
///
///     let base = URLReference(parsing: "https://example.org/a/b?q")
///     base?.resolving("../c.png")?.text      // https://example.org/c.png
package struct URLReference: Sendable, Hashable {
  /// The scheme in lower case; nil for a relative reference.
  package var scheme: String?
  /// User, host and port, as written; nil without `//`.
  package var authority: String?
  package var path: String
  package var query: String?
  package var fragment: String?

  /// Parses `text` as in appendix B; nil if the authority contains a character that isn't allowed there.
  package init?(parsing text: some StringProtocol) {
    var rest = Substring(text)
    scheme = Self.leadingScheme(of: rest)
    if let scheme { rest = rest.dropFirst(utf8: scheme.utf8.count + 1) }
    fragment = rest.cut(at: "#").map(String.init)
    query = rest.cut(at: "?").map(String.init)
    if rest.utf8.starts(with: "//".utf8) {
      rest = rest.dropFirst(utf8: 2)
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let found = rest[..<end]
      // Scalars: with `Character`, a combining mark would hide the character before it.
      let forbidden = "<>\"{}|\\^`".unicodeScalars
      guard !found.unicodeScalars.contains(where: { $0.properties.isWhitespace || forbidden.contains($0) })
      else {
        return nil
      }
      authority = String(found)
      rest = rest[end...]
    }
    path = String(rest)
  }

  /// The scheme of a source in a user's input, in lower case. A single letter isn't a scheme but a drive or a
  /// file name.
  package static func scheme(of text: String) -> String? {
    leadingScheme(of: text[...]).flatMap { $0.utf8.count > 1 ? $0 : nil }
  }

  /// The text before the first colon, in lower case; nil if it isn't a scheme (section 3.1).
  private static func leadingScheme(of text: Substring) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.first, first.isASCII, first.isLetter else { return nil }
    let isScheme = scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return isScheme ? scheme.lowercased() : nil
  }

  /// The host without user and port; an IPv6 address keeps its brackets.
  package var host: String? {
    guard let authority else { return nil }
    let afterUser = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority.utf8.index(after: $0) }
    let hostAndPort = authority[(afterUser ?? authority.startIndex)...]
    if hostAndPort.hasPrefix("["), let end = hostAndPort.firstIndex(of: "]") {
      return String(hostAndPort[...end])
    }
    return String(hostAndPort.prefix { $0 != ":" })
  }

  /// Resolves a reference against this URL, after encoding characters that URLs don't allow, such as spaces.
  /// - Returns: nil if the reference can't be parsed.
  package func resolving(_ reference: String) -> URLReference? {
    URLReference(parsing: PercentEncoding.normalized(reference)).map(resolving)
  }

  /// Resolves a reference against this URL (section 5.2.2).
  package func resolving(_ reference: URLReference) -> URLReference {
    var result = reference
    if reference.scheme != nil {
      result.path = Self.withoutDotSegments(reference.path)
      // Without an authority, two slashes would begin one (section 3.3).
      if result.authority == nil, result.path.utf8.starts(with: "//".utf8) {
        result.path = "/." + result.path
      }
      return result
    }
    result.scheme = scheme
    if reference.authority != nil {
      result.path = Self.withoutDotSegments(reference.path)
      return result
    }
    result.authority = authority
    if reference.path.isEmpty {
      result.path = path
      result.query = reference.query ?? query
    } else if Paths.isAbsolute(reference.path) {
      result.path = Self.withoutDotSegments(reference.path)
    } else {
      result.path = Self.withoutDotSegments(directory + reference.path)
    }
    if result.authority == nil, result.path.utf8.starts(with: "//".utf8) { result.path = "/." + result.path }
    return result
  }

  /// The parts recomposed (section 5.3).
  package var text: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
      + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
  }

  /// The path up to its last slash (section 5.2.3).
  private var directory: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return authority == nil ? "" : "/" }
    // `...slash` would also include a combining mark after the slash.
    return String(path[..<path.utf8.index(after: slash)])
  }

  /// The path with `.` and `..` removed. `..` never goes above the root (section 5.2.4).
  static func withoutDotSegments(_ path: String) -> String {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
      return path
    }
    var kept: [Substring] = []
    let root = Paths.isAbsolute(path) ? 1 : 0
    for (index, segment) in segments.enumerated() {
      let segment = Substring(segment)
      guard segment == "." || segment == ".." else {
        kept.append(segment)
        continue
      }
      if segment == "..", kept.count > root { kept.removeLast() }
      if index == segments.count - 1 { kept.append("") }
    }
    return kept.joined(separator: "/")
  }
}

extension Substring {
  fileprivate func dropFirst(utf8 count: Int) -> Substring {
    self[utf8.index(startIndex, offsetBy: count)...]
  }

  /// Removes the first `mark` and everything after it, which is returned; nil if there is no mark.
  fileprivate mutating func cut(at mark: Unicode.Scalar) -> Substring? {
    guard let place = utf8.firstIndex(of: UInt8(ascii: mark)) else { return nil }
    defer { self = self[..<place] }
    return self[utf8.index(after: place)...]
  }
}
