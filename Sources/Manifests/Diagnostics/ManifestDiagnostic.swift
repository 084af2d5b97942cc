import TerminalText

/// One thing that is wrong with a manifest: where, what, and what to write instead.
package struct ManifestDiagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// The manifest's path as it was given; `-` is standard input.
  package var file: String
  /// From 1.
  package var line: Int
  /// From 1, in Unicode scalars.
  package var column: Int
  /// One sentence: what is wrong, and what to write instead. It shows no secret.
  package var message: String
  /// The line of the manifest; nil where it isn't known or could show a secret.
  package var sourceLine: String?
  /// Whether no record of the input can be understood because of it, as with a wrong header.
  package var concernsInput = false

  /// Something wrong at a place.
  package init(file: String, line: Int, column: Int, message: String, sourceLine: String? = nil) {
    self.file = file
    self.line = line
    self.column = column
    self.message = Self.shortened(message)
    // A blank line shows nothing.
    self.sourceLine = sourceLine.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : Self.withoutSecrets($0) }
  }

  /// The place and the message, then the line and a caret under the place:
  ///
  ///     images.yaml:14:7: error: unknown filter 'crcle' (did you mean 'circle'?)
  ///           - filter: crcle
  ///                     ^
  package var description: String {
    let head = "\(TerminalText.visible(file)):\(line):\(column): error: \(TerminalText.visible(message))"
    guard let sourceLine else { return head }
    let (shown, caret) = Self.excerpt(of: sourceLine, column: column)
    return "\(head)\n\(shown)\n\(caret)"
  }

  /// The line, shortened around the place where it is long, and the line that holds the caret. Tabs stay in both,
  /// so that they agree whatever the terminal's tab stops are.
  private static func excerpt(of line: String, column: Int) -> (shown: String, caret: String) {
    let scalars = Array(line.unicodeScalars)
    let place = min(max(column - 1, 0), scalars.count)
    let start = place > 100 ? place - 60 : 0
    let end = min(scalars.count, start + 160)
    var before = String(String.UnicodeScalarView(scalars[start..<place]))
    var after = String(String.UnicodeScalarView(scalars[place..<end]))
    if start > 0 { before = "…" + before }
    if end < scalars.count { after += "…" }
    let shown = (before + after).split(separator: "\t", omittingEmptySubsequences: false)
      .map { TerminalText.visible(String($0)) }.joined(separator: "\t")
    let indentation = before.split(separator: "\t", omittingEmptySubsequences: false)
      .map { String(repeating: " ", count: TerminalText.width(TerminalText.visible(String($0)))) }
      .joined(separator: "\t")
    return (shown, indentation + "^")
  }

  /// The message without the middle of what is quoted in it, where that is very long.
  private static func shortened(_ message: String) -> String {
    guard message.utf8.count > 2000, message.unicodeScalars.count > 1000 else { return message }
    let scalars = message.unicodeScalars
    return String(scalars.prefix(600)) + "…" + String(scalars.suffix(300))
  }

  /// The line, or nil where it looks as if it held a credential; the user part of a URL is starred out.
  private static func withoutSecrets(_ line: String) -> String? {
    let lowered = line.lowercased()
    let telling = ["authorization", "cookie", "token", "password", "secret", "api-key", "apikey"]
    if telling.contains(where: lowered.contains) { return nil }
    if lowered.trimmingPrefix(while: { " \t-{\"'".contains($0) }).hasPrefix("user") { return nil }
    return starringUserInformation(line)
  }

  private static func starringUserInformation(_ line: String) -> String {
    var scalars = Array(line.unicodeScalars)
    let ends: Set<Unicode.Scalar> = ["/", " ", "\t", "\"", "'", ",", "?", "#"]
    var index = 0
    while index + 2 < scalars.count {
      guard scalars[index] == ":", scalars[index + 1] == "/", scalars[index + 2] == "/" else {
        index += 1
        continue
      }
      index += 3
      let end = scalars[index...].firstIndex(where: ends.contains) ?? scalars.count
      if let at = scalars[index..<end].lastIndex(of: "@") {
        for position in index..<at { scalars[position] = "*" }
      }
      index = end
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

/// Everything that is wrong with a manifest, in the order of the places.
package struct ManifestErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// Never empty.
  package var diagnostics: [ManifestDiagnostic]

  /// All that was found.
  package init(_ diagnostics: [ManifestDiagnostic]) {
    self.diagnostics = diagnostics
  }

  /// Every diagnostic, one after the other.
  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

extension StringProtocol {
  fileprivate func trimmingPrefix(while matches: (Character) -> Bool) -> SubSequence {
    drop(while: matches)
  }
}
