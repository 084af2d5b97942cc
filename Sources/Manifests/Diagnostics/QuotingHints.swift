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
  /// - Parameter isList: Whether the value must be a list.
  static func comma(
    _ entry: ManifestNode.Entry, after value: ManifestNode.Entry, in entries: [ManifestNode.Entry],
    _ text: ManifestText, isList: Bool = false
  ) -> [String]? {
    guard isBare(entry, in: text), let beginning = value.value.scalar,
      let start = entries.firstIndex(where: { $0.place == value.place })
    else { return nil }
    let pieces = entries[(start + 1)...].prefix { isBare($0, in: text) }
    guard pieces.first?.place == entry.place else { return [] }
    let members = [beginning] + pieces.map(\.key)
    if isList { return [": write it in brackets, as in \(value.key): [\(members.joined(separator: ", "))]"] }
    let whole = members.joined(separator: ",")
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

  /// An unquoted value that YAML reads as something else.
  struct Value {
    let text: String
    let place: TextPlace
  }

  /// The unquoted value at `place` that contains a field, such as `{name}.png` or `out/{name}.png`; nil if there is none.
  static func bracedValue(in text: ManifestText, at place: TextPlace) -> Value? {
    guard let line = text.excerpt(place.line), line.utf8.count <= longestLine else { return nil }
    let pattern =
      #/(?:: +|- +|\[ *|, +)([^\s,\[\]{}'"#&*!|>%@`][^\s,\[\]{}'"]*)?((?:\{[A-Za-z_][A-Za-z0-9_:-]*\}[^\s,\[\]{}'"]*)+)/#
    for match in line.matches(of: pattern) {
      let value = String(match.1 ?? "") + match.2
      // A lone '{name}' is a mapping, which the tables of keys report.
      if value.hasPrefix("{"), value.firstIndex(of: "}") == value.indices.last { continue }
      let end = line.unicodeScalars.distance(from: line.startIndex, to: match.range.upperBound)
      let start = end - value.unicodeScalars.count
      if (start...end + 1).contains(place.column - 1) {
        return Value(text: value, place: TextPlace(line: place.line, column: start + 1))
      }
    }
    return nil
  }

  /// The value such as `#fff` in a flow mapping or list that was read as a comment, with the rest of its line; nil if there
  /// is none in the last lines up to this one. libyaml finds the mistake where the collection should have gone on.
  static func commentedValue(in text: ManifestText, upTo last: Int) -> Value? {
    for number in stride(from: last, through: max(last - 20, 1), by: -1) {
      guard let line = text.excerpt(number), line.utf8.count <= longestLine,
        let match = line.firstMatch(of: #/(?:: +|, +|\[ *)(#[0-9A-Za-z]+)[^#]*[}\]]/#)
          // A text with a word such as '#1' in it.
          ?? line.firstMatch(of: #/: +((?:(?!: )[^"'#,{}\[\]])+ #[0-9A-Za-z]*)[^#"']*[}\]]/#)
      else { continue }
      let column = line.unicodeScalars.distance(from: line.startIndex, to: match.1.startIndex) + 1
      return Value(text: String(match.1), place: TextPlace(line: number, column: column))
    }
    return nil
  }

  private static func quoted(_ value: String) -> String { "\"\(value)\"" }

  private static func rest(of text: ManifestText, from place: TextPlace) -> [Unicode.Scalar]? {
    guard let line = text.excerpt(place.line), line.utf8.count <= longestLine else { return nil }
    return Array(line.unicodeScalars.dropFirst(place.column - 1))
  }
}
