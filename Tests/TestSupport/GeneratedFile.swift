import Foundation

/// A source file that is made from a table. `make generated` writes all of them.
package struct GeneratedFile {
  package let path: String
  package let text: String

  /// - Parameter path: Relative to the repository.
  package init(_ path: String, lines: [String]) {
    self.path = path
    text = lines.joined(separator: "\n") + "\n"
  }

  /// Writes the file if `IMAGEMILL_WRITE_GENERATED` is set.
  /// - Returns: Whether the file in the repository has the text.
  package func isCurrent() throws -> Bool {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../"
    if ProcessInfo.processInfo.environment["IMAGEMILL_WRITE_GENERATED"] != nil {
      try Data(text.utf8).write(to: URL(fileURLWithPath: root + path))
    }
    return try String(contentsOfFile: root + path, encoding: .utf8) == text
  }
}

/// Names and literals of generated Swift.
package enum GeneratedSwift {
  /// A table's name in lower camel case: `box-blur` is `boxBlur`, `ci:CIGaussianBlur` is `ciGaussianBlur`.
  package static func identifier(_ name: String) -> String {
    var name = name
    if name.hasPrefix("ci:CI") { name = "ci" + name.dropFirst(5) }
    if name.hasPrefix("input") { name = String(name.dropFirst(5).prefix(1)).lowercased() + name.dropFirst(6) }
    name = name.replacing("colour", with: "color").replacing("centre", with: "center")
    let parts = name.split(separator: "-")
    return parts.prefix(1).joined() + parts.dropFirst().map { capitalized(String($0)) }.joined()
  }

  /// A word as an enum's case.
  package static func caseName(_ word: String) -> String {
    let name = identifier(word)
    if let first = name.first, first.isNumber { return "bits\(name)" }
    return ["in", "default", "repeat", "none"].contains(name) ? "`\(name)`" : name
  }

  package static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

  /// An enum with a case for each word.
  package static func enumeration(_ name: String, of words: [String], summary: String) -> [String] {
    ["  /// \(summary)", "  public enum \(name): String, Sendable, CaseIterable {"]
      + words.map { word in
        let name = caseName(word)
        return "    case \(name)" + (name.replacing("`", with: "") == word ? "" : " = \"\(word)\"")
      } + ["  }"]
  }
}
