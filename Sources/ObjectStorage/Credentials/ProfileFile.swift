/// The sections of `~/.aws/config` and `~/.aws/credentials`.
struct ProfileFile: Sendable {
  /// Values by section and key. The key of an indented line follows that of the line above it: `s3.addressing_style`.
  private(set) var sections: [String: [String: String]] = [:]

  /// Parses a file's text. A line that is neither a section, a comment nor `key = value` is skipped, as by AWS's tools.
  init(parsing text: String) {
    var section: String?
    var parent: String?
    for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
      let isIndented = line.first == " " || line.first == "\t"
      let content = Self.trimmed(String(String.UnicodeScalarView(line)))
      guard let first = content.first, first != "#", first != ";" else { continue }
      if first == "[" {
        section = content.firstIndex(of: "]").map {
          Self.words(content[content.index(after: content.startIndex)..<$0])
        }
        parent = nil
        continue
      }
      guard let section, let equals = content.firstIndex(of: "=") else { continue }
      let key = Self.trimmed(String(content[..<equals])).lowercased()
      let value = Self.withoutComment(Self.trimmed(String(content[content.index(after: equals)...])))
      if isIndented, let parent {
        sections[section, default: [:]]["\(parent).\(key)"] = value
      } else {
        parent = value.isEmpty ? key : nil
        sections[section, default: [:]][key] = value
      }
    }
  }

  /// The section's name with single spaces.
  private static func words(_ text: Substring) -> String {
    text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }

  private static func trimmed(_ text: String) -> String {
    var rest = Substring(text)
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest.drop { $0 == " " || $0 == "\t" })
  }

  /// The value before a `#` or `;` that follows a blank.
  private static func withoutComment(_ value: String) -> String {
    let ends = [" #", " ;", "\t#", "\t;"].compactMap { value.firstRange(of: $0)?.lowerBound }
    return ends.min().map { trimmed(String(value[..<$0])) } ?? value
  }
}
