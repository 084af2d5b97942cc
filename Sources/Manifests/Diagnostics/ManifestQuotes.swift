import Glibc
import SystemIO

/// The lines of manifests, read again for mistakes that are found after reading, such as outputs that would replace sources.
package struct ManifestQuotes {
  /// The largest file to read again, in bytes.
  private static let maximum = 4 << 20

  /// Nil for a file that has no lines to show.
  private var texts: [String: ManifestText?] = [:]

  /// Has read nothing yet.
  package init() {}

  /// The diagnostic with its line, if it was found late and the file can be read again.
  package mutating func quoting(_ diagnostic: ManifestDiagnostic) -> ManifestDiagnostic {
    guard diagnostic.isFoundLate, diagnostic.line > 0, diagnostic.sourceLine == nil,
      let line = text(diagnostic.file)?.excerpt(diagnostic.line)
    else { return diagnostic }
    return diagnostic.quoting(line)
  }

  private mutating func text(_ path: String) -> ManifestText? {
    if let known = texts[path] { return known }
    let text = Self.read(path)
    texts[path] = .some(text)
    return text
  }

  /// - Returns: Nil for standard input, pipes, long and compressed files, and those that can't be read any more: their mistakes
  ///   are reported without the line.
  private static func read(_ path: String) -> ManifestText? {
    var facts = stat()
    guard path != "-", stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= maximum,
      let bytes = try? File.contents(of: path, limit: maximum), !bytes.starts(with: Inflater.signature)
    else { return nil }
    return try? ManifestText(name: path, bytes: bytes)
  }
}
