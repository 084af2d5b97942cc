import ImageDownloads
import TerminalText

/// An error in a manifest, with its position and a remedy.
package struct ManifestDiagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// The manifest's path as given; `-` is standard input.
  package var file: String
  /// The line, from 1; 0 if the mistake concerns the file as a whole.
  package var line: Int
  /// The column, from 1, in Unicode scalars.
  package var column: Int
  /// One sentence with the mistake and its correction. It contains no secrets.
  package var message: String
  /// The line of the manifest; nil if it isn't known or may contain a secret.
  package var sourceLine: String?
  /// The record's other mistakes, if this is the first of several.
  package var further: [ManifestDiagnostic] = []
  /// The local files that the record names as sources, as far as they are known. No output may replace them.
  package var reads: [String] = []
  /// Whether the error, such as a wrong header, makes the whole input unreadable.
  package var concernsInput = false
  /// Whether it was found after the manifest had been read, so that its line may be read again to show it.
  package var isFoundLate = false
  /// Whether the record or its input can't be read, so that its result has no fields.
  package var isUnreadable = false

  /// Makes a diagnostic. Long messages are shortened, and secrets in the line are hidden.
  package init(file: String, line: Int, column: Int, message: String, sourceLine: String? = nil) {
    self.file = file
    self.line = line
    self.column = column
    self.message = Self.shortened(message)
    self.sourceLine = sourceLine.flatMap(Self.shown)
  }

  /// The diagnostic with this line of the manifest, unless the line may contain a secret.
  func quoting(_ line: String) -> ManifestDiagnostic {
    var diagnostic = self
    diagnostic.sourceLine = Self.shown(line)
    return diagnostic
  }

  private static func shown(_ line: String) -> String? {
    line.allSatisfy(\.isWhitespace) ? nil : withoutSecrets(line)
  }

  /// The place and the message, then the line and a caret:
  ///
  ///     images.yaml:14:7: error: unknown filter 'crcle' (did you mean 'circle'?)
  ///           - filter: crcle
  ///                     ^
  package var description: String {
    let place = line > 0 ? ":\(line):\(column)" : ""
    let head = "\(TerminalText.visible(file))\(place): error: \(TerminalText.visible(message))"
    guard let sourceLine else { return head }
    let (shown, caret) = Self.excerpt(of: sourceLine, column: column)
    return "\(head)\n\(shown)\n\(caret)"
  }

  /// This mistake and the further ones of its record, each by itself.
  package var each: [ManifestDiagnostic] {
    var first = self
    first.further = []
    return [first] + further
  }

  /// The messages of a record's mistakes as one, for a record that is one result.
  package var wholeMessage: String {
    further.reduce(message) { text, other in
      text + "; \(other.line == line ? "" : "line \(other.line), ")column \(other.column): \(other.message)"
    }
  }

  /// The line, shortened around the place if it is long, and the line with the caret. Both keep the tabs, so that they
  /// align with any tab stops.
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

  /// The message, without its middle if it is very long.
  private static func shortened(_ message: String) -> String {
    guard message.utf8.count > 2000, message.unicodeScalars.count > 1000 else { return message }
    let scalars = message.unicodeScalars
    return String(scalars.prefix(600)) + "…" + String(scalars.suffix(300))
  }

  /// The line with the user part of URLs starred out; nil if it seems to contain a credential.
  private static func withoutSecrets(_ line: String) -> String? {
    let lowered = line.lowercased()
    let telling = ["authorization", "cookie", "token", "password", "secret", "api-key", "apikey"]
    if telling.contains(where: lowered.contains) { return nil }
    if lowered.trimmingPrefix(while: { " \t-{\"'".contains($0) }).hasPrefix("user") { return nil }
    return SecretText.starred(in: line)
  }
}

/// All errors in a manifest, in the order of their places.
package struct ManifestErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The errors, at least one.
  package var diagnostics: [ManifestDiagnostic]

  /// Wraps the errors.
  package init(_ diagnostics: [ManifestDiagnostic]) {
    self.diagnostics = diagnostics
  }

  /// All diagnostics, separated by line breaks.
  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

extension StringProtocol {
  fileprivate func trimmingPrefix(while matches: (Character) -> Bool) -> SubSequence {
    drop(while: matches)
  }
}
