import Glibc

/// Paths with every link resolved.
enum RealPath {
  /// The absolute path of what is at `path`; nil if nothing is there.
  static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The same for a file that may not be there yet: the links of its directory are resolved, and a link in its own
  /// place isn't.
  static func ofEntry(_ path: String) -> String? {
    let entry = DirectoryEntry(path)
    return of(entry.directory).map(entry.path(in:))
  }

  /// Whether the absolute path `path` is below the absolute path `directory`.
  static func isInside(_ path: String, _ directory: String) -> Bool {
    path.hasPrefix(directory == "/" ? "/" : directory + "/")
  }
}

/// A path as a directory and a name in it.
struct DirectoryEntry {
  /// "." for a path without a separator.
  let directory: String
  let name: Substring

  init(_ path: String) {
    let slash = path.lastIndex(of: "/")
    directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    name = slash.map { path[path.index(after: $0)...] } ?? path[...]
  }

  /// The same name in another directory.
  func path(in directory: String) -> String {
    directory == "/" ? "/\(name)" : "\(directory)/\(name)"
  }
}
