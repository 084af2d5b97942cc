import Glibc

/// Resolves symbolic links (realpath(3)).
package enum RealPath {
  /// The absolute path of an existing file, with links resolved; nil if it doesn't exist or can't be reached,
  /// with the reason in `errno`.
  package static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The absolute path of a file that may not exist. Links in its directory are resolved, but not a link at
  /// the path itself.
  package static func ofEntry(_ path: String) -> String? {
    let entry = DirectoryEntry(path)
    return of(entry.directory).map(entry.path(in:))
  }

  /// The absolute path of a file of which any directory may be missing. The longest existing prefix is
  /// resolved; the rest is appended and normalized as text.
  /// - Returns: nil if an existing component can't be accessed.
  package static func ofLongestPrefix(_ path: String) -> String? {
    var existing = path.isEmpty ? "." : path
    var missing: [String] = []
    while true {
      if let real = of(existing) {
        return Paths.absolute(missing.reversed().joined(separator: "/"), from: real)
      }
      guard SystemError.last.isMissing, existing != "/", existing != "." else { return nil }
      let entry = DirectoryEntry(existing)
      missing.append(entry.name)
      existing = entry.directory
    }
  }
}

/// The real paths of directories that many files share. Resolving one takes a system call for each part of its path.
package struct RealDirectories: Sendable {
  /// By bytes: Swift takes texts with the same characters in other bytes for equal.
  private var known: [[UInt8]: String] = [:]
  /// A run uses few directories, but a stream may name any number.
  private static let limit = 10_000

  /// Creates an empty table.
  package init() {}

  /// The absolute path of an existing file or directory, with links resolved; nil if it doesn't exist.
  package mutating func path(of path: String) -> String? {
    let key = Array(path.utf8)
    if let real = known[key] { return real }
    guard let real = RealPath.of(path) else { return nil }
    if known.count >= Self.limit { known = [:] }
    known[key] = real
    return real
  }

  /// The absolute path of a file, with the links of its directory resolved; nil if the directory doesn't exist.
  package mutating func path(ofEntry path: String) -> String? {
    let entry = DirectoryEntry(path)
    return self.path(of: entry.directory).map(entry.path(in:))
  }
}

/// The places that paths lead to, with the links of their directories resolved, so that two paths to one place are equal before
/// anything is there. A missing directory is taken for one that will be made. A link at the path itself isn't resolved.
package struct RealPlaces: Sendable {
  /// By bytes: Swift takes texts with the same characters in other bytes for equal.
  private var directories: [[UInt8]: String] = [:]
  /// A run uses few directories, but a stream may name any number.
  private static let limit = 10_000

  /// Creates an empty table.
  package init() {}

  /// The place of an absolute path.
  package mutating func place(of path: String) -> String {
    let entry = DirectoryEntry(path)
    return entry.path(in: place(ofDirectory: entry.directory))
  }

  /// The place of a directory by its absolute path, with a link at the path itself resolved too. It is looked at once.
  package mutating func place(ofDirectory path: String) -> String {
    let key = Array(path.utf8)
    if let known = directories[key] { return known }
    // A directory that can't be looked at is compared as text.
    let real = RealPath.ofLongestPrefix(path) ?? path
    if directories.count >= Self.limit { directories = [:] }
    directories[key] = real
    return real
  }
}
