/// `file:` URLs (RFC 8089).
package enum FileURL {
  /// The absolute path that a URL names on this machine: `file:///path`, `file:/path` or
  /// `file://localhost/path`. The path is percent-decoded; a query and a fragment are ignored.
  /// - Returns: nil for any other text, for a file on another machine, and for a path that contains NUL or
  ///   isn't UTF-8.
  package static func path(_ text: String) -> String? {
    guard let url = URLReference(parsing: text), url.scheme == "file",
      [nil, "", "localhost"].contains(url.host?.lowercased()), Paths.isAbsolute(url.path),
      let path = PercentEncoding.strictlyDecoded(url.path), !path.utf8.contains(0)
    else { return nil }
    return path
  }
}
