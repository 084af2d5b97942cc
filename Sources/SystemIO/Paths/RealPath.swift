import Glibc

/// Paths with every link resolved.
package enum RealPath {
  /// The absolute path of what is at `path`; nil if nothing is there, or it can't be reached (`errno` says which).
  package static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The same for a file that may not be there yet: the links of its directory are resolved, and a link in its own
  /// place isn't.
  package static func ofEntry(_ path: String) -> String? {
    let entry = DirectoryEntry(path)
    return of(entry.directory).map(entry.path(in:))
  }

  /// The same for a path of which any part may be missing: what is there is resolved, and the rest is taken by its
  /// letters.
  /// - Returns: nil where the system refuses to say what is there.
  package static func ofLongestPrefix(_ path: String) -> String? {
    var existing = path.isEmpty ? "." : path
    var missing: [String] = []
    while true {
      if let real = of(existing) {
        let components = Paths.absoluteComponents(missing.reversed().joined(separator: "/"), from: real)
        return "/" + components.joined(separator: "/")
      }
      guard SystemError.last.isMissing, existing != "/", existing != "." else { return nil }
      let entry = DirectoryEntry(existing)
      missing.append(entry.name)
      existing = entry.directory
    }
  }
}
