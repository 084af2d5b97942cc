/// Hints for YAML values that need quotes: an unquoted comma, `{` or `#` has a meaning of its own.
enum QuotingHints {
  /// Longer lines are not searched.
  private static let longestLine = 2_000

  /// Whether the entry is a key of a flow mapping without a colon, such as `circle` in `{filter: fill:9x9,circle}`.
  static func isBare(_ entry: ManifestNode.Entry, in text: ManifestText) -> Bool {
    guard case .null = entry.value.value, let rest = rest(of: text, from: entry.place),
      rest.starts(with: entry.key.unicodeScalars)
    else { return false }
    let next = rest.dropFirst(entry.key.unicodeScalars.count).first { $0 != " " }
    return next == "," || next == "}"
  }

  /// The hint for an unknown key that is the rest of the value before it; empty if an earlier key already has
  /// the hint, nil for any other key.
  static func comma(
    _ entry: ManifestNode.Entry, after value: ManifestNode.Entry, in entries: [ManifestNode.Entry],
    _ text: ManifestText
  ) -> [String]? {
    guard isBare(entry, in: text), let beginning = value.value.scalar,
      let start = entries.firstIndex(where: { $0.place == value.place })
    else { return nil }
    let pieces = entries[(start + 1)...].prefix { isBare($0, in: text) }
    guard pieces.first?.place == entry.place else { return [] }
    let whole = ([beginning] + pieces.map(\.key)).joined(separator: ",")
    return [": quote a value that contains a comma, as in \(value.key): \(quoted(whole))"]
  }

  /// The hint for a value that was read as a comment, such as `#fff`; empty if it wasn't.
  static func comment(_ entry: ManifestNode.Entry, in text: ManifestText) -> String {
    guard let rest = rest(of: text, from: entry.place) else { return "" }
    let value = rest.drop { $0 != ":" }.dropFirst().drop { $0 == " " || $0 == "\t" }
    guard value.first == "#" else { return "" }
    let word = String(String.UnicodeScalarView(value.prefix { $0 != " " && $0 != "," && $0 != "}" }))
    return "; '#' begins a comment, so quote the value, as in \(entry.key): \(quoted(word))"
  }

  /// The hint for a template that was read as a mapping, such as `{name}`; empty if it wasn't.
  static func brace(_ node: ManifestNode, in text: ManifestText) -> String {
    guard let entries = node.entries, entries.count == 1, isBare(entries[0], in: text) else { return "" }
    return ": quote it, as in \(quoted("{\(entries[0].key)}"))"
  }

  /// The unquoted value at `place` that begins with a field, such as `{name}.png`; nil if there is none.
  static func bracedValue(in text: ManifestText, at place: TextPlace) -> String? {
    guard let line = text.excerpt(place.line), line.utf8.count <= longestLine else { return nil }
    for match in line.matches(of: #/(?:: +|- +)(\{[A-Za-z_][A-Za-z0-9_:-]*\}[^\s,\]}'"]+)/#) {
      let start = line.unicodeScalars.distance(from: line.startIndex, to: match.range.lowerBound)
      let end = line.unicodeScalars.distance(from: line.startIndex, to: match.range.upperBound)
      if (start...end + 1).contains(place.column - 1) { return String(match.1) }
    }
    return nil
  }

  private static func quoted(_ value: String) -> String { "\"\(value)\"" }

  private static func rest(of text: ManifestText, from place: TextPlace) -> [Unicode.Scalar]? {
    guard let line = text.excerpt(place.line), line.utf8.count <= longestLine else { return nil }
    return Array(line.unicodeScalars.dropFirst(place.column - 1))
  }
}
