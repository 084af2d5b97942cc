/// An error of libyaml, such as "did not find expected key" with the context "while parsing a block mapping".
struct YAMLError: Error {
  var problem: String
  var context: String?
  /// Whether the problem is a character that YAML doesn't allow.
  var isOfCharacter = false
  var place: TextPlace
  /// The start of the construct that the context names.
  var contextPlace = TextPlace(line: 1, column: 1)

  /// The place, and the message with a remedy.
  func failure(in text: ManifestText) -> JSONNodes.Failure {
    switch context {
    case "while scanning an alias": return .init(place: contextPlace, message: Self.badName("an alias", "*"))
    case "while scanning an anchor":
      return .init(place: contextPlace, message: Self.badName("an anchor", "&"))
    case "while scanning a quoted scalar" where problem.contains("found unexpected"):
      return .init(place: contextPlace, message: "not YAML: the quote isn't closed")
    case "while parsing a flow mapping" where isUnclosed(in: text):
      return .init(place: contextPlace, message: "not YAML: the '{' isn't closed")
    case "while parsing a flow sequence" where isUnclosed(in: text):
      return .init(place: contextPlace, message: "not YAML: the '[' isn't closed")
    default: break
    }
    // libyaml adds a line break at the end of the text, so its place may be beyond the last line.
    let last = text.lineCount
    let end = TextPlace(line: last, column: (text.line(last) ?? "").unicodeScalars.count + 1)
    let place = place.line > last ? end : place
    let found = text.line(place.line)?.unicodeScalars.dropFirst(place.column - 1).first
    if found == "\t" && problem.contains("cannot start any token")
      || problem.contains("found a tab character")
    {
      return .init(place: place, message: "not YAML: tabs can't be used for indentation: use spaces")
    }
    if let value = QuotingHints.bracedValue(in: text, at: place) {
      let part = value.text.hasPrefix("{") ? "begins with" : "contains"
      return .init(
        place: value.place, message: "not YAML: quote a value that \(part) '{', as in \"\(value.text)\"")
    }
    if context?.contains("flow") == true,
      let value = QuotingHints.commentedValue(in: text, upTo: place.line)
    {
      return .init(
        place: value.place,
        message: "not YAML: '#' begins a comment, which hides the rest of this line: quote the value, as in "
          + "\"\(value.text)\"")
    }
    let doing = context.map { " (\($0))" } ?? ""
    return .init(place: place, message: "not YAML: \(problem)\(doing)\(remedy)")
  }

  /// Whether the text ends before a bracket is closed, other than in a comment.
  private func isUnclosed(in text: ManifestText) -> Bool {
    isAtEnd(of: text) && QuotingHints.commentedValue(in: text, upTo: min(place.line, text.lineCount)) == nil
  }

  /// Whether only blanks follow.
  private func isAtEnd(of text: ManifestText) -> Bool {
    let rest = (text.line(place.line) ?? "").unicodeScalars.dropFirst(place.column - 1)
    guard rest.allSatisfy({ $0 == " " }) else { return false }
    return (place.line...max(place.line, text.lineCount)).dropFirst().allSatisfy { number in
      text.line(number)?.allSatisfy { $0 == " " } != false
    }
  }

  private static func badName(_ owner: String, _ sign: String) -> String {
    "not YAML: the name of \(owner) may contain only letters, digits, '-' and '_'; quote a string that begins "
      + "with '\(sign)'"
  }

  private var remedy: String {
    if isOfCharacter { return ": remove it, or escape it in double quotes, such as \\u0007" }
    if problem.contains("cannot start any token") {
      return "; put the string in quotes, and indent with spaces"
    }
    if problem.contains("mapping values are not allowed") { return "; put a string with ': ' in quotes" }
    return problem.contains("could not find expected ':'") ? "; write ': ' after a key" : ""
  }
}
