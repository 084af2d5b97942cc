import SystemIO
import WebValues

@testable import ImageDownloads

extension FuzzTarget {
  /// URLs; behind a line break, a reference that is resolved against the first line.
  static let url = text("url") { text in
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let reference = URLReference(parsing: lines[0]) {
      try require(URLReference(parsing: reference.text), is: reference, "'\(reference.text)'")
      // Against a relative reference, the result's first segment may look like a scheme.
      if lines.count > 1, reference.scheme != nil, let resolved = reference.resolving(lines[1]) {
        try require(URLReference(parsing: resolved.text), is: resolved, "resolved, '\(resolved.text)'")
      }
    }
    guard let address = WebAddress(lines[0]) else { return }
    try check(address)
    if lines.count > 1, let resolved = address.resolving(lines[1]) { try check(resolved) }
  }

  private static func check(_ address: WebAddress) throws(Finding) {
    let text = address.description
    guard let again = WebAddress(text) else { throw Finding(description: "'\(text)' isn't a URL") }
    try require(again.description, is: text, "normalized")
    try require(again.origin, is: address.origin, "the origin of '\(text)'")
    try require(text.utf8.allSatisfy { $0 > 32 && $0 != 127 }, "'\(text)' has blanks or control characters")
    try require(text.hasPrefix(address.origin), "'\(text)' has another origin than \(address.origin)")
    // The parser of references is another one, and must find the same host.
    let reference = URLReference(parsing: text)
    try require(reference?.host, is: address.host, "the host of '\(text)'")
    if let ip = IPAddress(host: address.host) {
      try require(IPAddress(ip.description), is: ip, "the address of '\(text)'")
    }
    _ = address.displayText
  }

  static let netrc = text("netrc") { text in
    let netrc = Netrc(parsing: text)
    for host in ["example.com", "localhost", "", text] { _ = netrc.credential(for: host) }
    // A quoted value is read as it is, whatever it holds.
    let value = text.split(whereSeparator: \.isNewline).joined()
    let quoted = value.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    let credential = Netrc(parsing: "machine a.test login u password \"\(quoted)\"\n").credential(
      for: "a.test")
    try require(credential?.password.unicodeScalars.elementsEqual(value.unicodeScalars) == true, "'\(value)'")
  }

  static let date = text("http-date") { text in
    for now in [0, 1_790_000_000, 253_402_300_799] {
      guard let seconds = HTTPDate.parse(text, now: now) else { continue }
      let printed = HTTPDate.format(seconds)
      try require(HTTPDate.parse(printed, now: now), is: seconds, "'\(text)', printed as '\(printed)'")
    }
  }

  /// Fields of Cache-Control, one a line.
  static let cacheControl = text("cache-control") { text in
    let lines = text.split(separator: "\n").map(String.init)
    let control = CacheControl(lines.map { HeaderField("Cache-Control", $0) })
    for name in ["max-age", "s-maxage", "stale-if-error", "no-cache", "no-store"] {
      guard let seconds = control.seconds(name) else {
        try require(!control.has(name), "'\(name)' has no time")
        continue
      }
      try require((0...CacheControl.longestTime).contains(seconds), "\(seconds) seconds")
      try require(control.has(name), "'\(name)' has a time but isn't there")
    }
    // Members of a line whose quotes are closed are those of the line made of them.
    let members = FieldList.members(of: lines)
    guard members.dropLast().allSatisfy({ FieldList.members(of: [$0]) == [$0] }) else { return }
    try require(members.allSatisfy { !$0.isEmpty && FieldList.trimmed($0) == $0 }, "\(members)")
  }

  static let contentRange = text("content-range") { text in
    guard let range = ContentRange(text) else { return }
    let printed = "bytes \(range.first)-\(range.last)/\(range.total.map(String.init) ?? "*")"
    try require(ContentRange(printed), is: range, "'\(printed)'")
    // More than one blank between the unit and the numbers is put up with.
    let numbers = text.split(separator: " ").last ?? ""
    try require(numbers.utf8.allSatisfy { "0123456789-/*".utf8.contains($0) }, "'\(text)' is accepted")
    try require(range.first >= 0 && range.first <= range.last, "'\(text)'")
    try require(range.total.map { range.last < $0 } ?? true, "'\(text)'")
  }
}
