extension WebAddress {
  /// The URL that a reference names, seen from here (RFC 3986 §5.2); nil where it is none.
  func resolving(_ reference: String) -> WebAddress? {
    let reference = FieldList.trimmed(reference)
    if let colon = reference.firstIndex(of: ":"),
      reference[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }),
      colon != reference.startIndex
    {
      return WebAddress(reference)
    }
    if reference.hasPrefix("//") { return WebAddress("\(scheme):\(reference)") }
    let withoutFragment = reference.prefix { $0 != "#" }
    let target: String
    if withoutFragment.isEmpty {
      target = String(self.target)
    } else if withoutFragment.hasPrefix("/") {
      target = Self.withoutDots(withoutFragment)
    } else if withoutFragment.hasPrefix("?") {
      target = String(path + withoutFragment)
    } else {
      let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
      target = Self.withoutDots(directory + withoutFragment)
    }
    return WebAddress(origin + target)
  }

  /// Takes `.` and `..` out of a path (RFC 3986 §5.2.4); the query stays.
  private static func withoutDots(_ target: some StringProtocol) -> String {
    let path = target.prefix { $0 != "?" }
    var kept: [Substring] = []
    let segments = String(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/") + target.dropFirst(path.count)
  }
}
