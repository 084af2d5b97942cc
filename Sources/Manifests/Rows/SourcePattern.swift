import SystemIO

/// A pattern for paths, as in `from`.
package struct SourcePattern: Sendable {
  /// A mistake in a pattern.
  package struct Failure: Error, Sendable, Hashable {
    /// A sentence for the user.
    package let message: String
  }

  private let pattern: GlobPattern

  /// Reads a pattern.
  /// - Returns: nil if the text has no special characters.
  /// - Throws: `Failure` if the pattern is wrong.
  package init?(_ text: String) throws(Failure) {
    guard GlobPattern.isPattern(text) else { return nil }
    do throws(GlobPattern.Failure) {
      pattern = try GlobPattern(parsing: text)
    } catch {
      throw Failure(message: error.message)
    }
  }

  /// The directory that every match lies in; empty for the one that the pattern is relative to.
  package var root: String { pattern.root }

  /// Whether a file matches, relative to the current directory.
  package var hasMatches: Bool {
    var walk = GlobWalk(pattern, in: "")
    return walk.next() != nil
  }

  /// Whether a path matches. The file system isn't looked at.
  package func matches(_ path: String) -> Bool {
    let root = Paths.components(pattern.root)
    let components = Paths.components(path)
    return components.starts(with: root) && pattern.matches(Array(components.dropFirst(root.count)))
  }
}
