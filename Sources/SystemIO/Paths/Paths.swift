import Glibc

/// Operations on the text of paths. Except for the process's directories, nothing accesses the file system.
///
/// They work on bytes, not `Character`s. A slash and a following combining mark are one `Character`:
/// `a/\u{301}b` would contain no slash, and `../\u{301}b` would not begin with `../`.
package enum Paths {
  private static let slash = UInt8(ascii: "/")

  /// Whether the path begins with a slash.
  package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == slash }

  /// Whether the path ends with a slash and therefore can't name a file.
  package static func endsWithSlash(_ path: some StringProtocol) -> Bool {
    Substring(path).utf8.last == slash
  }

  /// The nonempty components between slashes.
  package static func components(_ path: some StringProtocol) -> [Substring] {
    Substring(path).utf8.split(separator: slash).map { Substring($0) }
  }

  /// The text after the last slash, or the whole path; empty if the path ends with a slash.
  package static func fileName(_ path: String) -> Substring {
    guard let last = path.utf8.lastIndex(of: slash) else { return path[...] }
    return path[path.utf8.index(after: last)...]
  }

  /// Joins a directory and a name with one slash.
  package static func joined(_ directory: String, _ name: some StringProtocol) -> String {
    endsWithSlash(directory) ? directory + name : "\(directory)/\(name)"
  }

  /// The path without empty and `.` components, and with each `..` removed together with the component before
  /// it, as far as possible; empty if a relative path has no component left. The result names another file if
  /// a removed component is a symbolic link.
  package static func normalized(_ path: String) -> String {
    let isAbsolute = isAbsolute(path)
    return (isAbsolute ? "/" : "")
      + normalized(components(path), isAbsolute: isAbsolute).joined(separator: "/")
  }

  private static func normalized(_ components: [Substring], isAbsolute: Bool) -> [Substring] {
    var kept: [Substring] = []
    for component in components where component != "." {
      if component == "..", let last = kept.last, last != ".." {
        kept.removeLast()
      } else if component != ".." || !isAbsolute {
        kept.append(component)
      }
    }
    return kept
  }

  /// The normalized components of the absolute path that `path` names, relative to `directory` unless it is
  /// absolute.
  package static func absoluteComponents(_ path: String, from directory: String) -> [Substring] {
    normalized((isAbsolute(path) ? [] : components(directory)) + components(path), isAbsolute: true)
  }

  /// The normalized absolute path that `path` names, without resolving links.
  /// - Parameter directory: What a relative path starts from. Default: the working directory.
  package static func absolute(_ path: String, from directory: String = workingDirectory) -> String {
    "/" + absoluteComponents(path, from: directory).joined(separator: "/")
  }

  /// The components of the relative path from `base` to `path`, both given as components of absolute paths.
  package static func relative(_ path: [Substring], to base: [Substring]) -> [Substring] {
    let shared = zip(path, base).prefix { $0 == $1 }.count
    return base.dropFirst(shared).map { _ in ".." } + path.dropFirst(shared)
  }

  /// Whether the absolute path `path` is below the absolute path `directory`. Neither may contain `..`.
  package static func isInside(_ path: String, _ directory: String) -> Bool {
    path.utf8.starts(with: (directory == "/" ? "/" : directory + "/").utf8)
  }

  /// Whether a path leads outside the directory that it is relative to: it is absolute, or its normalized
  /// form begins with `..`.
  package static func leaves(_ path: String) -> Bool {
    isAbsolute(path) || normalized(components(path), isAbsolute: false).first == ".."
  }

  /// The working directory, which imagemill never changes; `/` if it can't be determined, so that relative
  /// paths at least have one meaning.
  package static let workingDirectory = currentDirectory ?? "/"

  /// The current working directory; nil if it can't be determined.
  package static var currentDirectory: String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// `$TMPDIR` (default: `/tmp`).
  package static var temporaryDirectory: String {
    guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
    return String(cString: named)
  }
}

/// A path split into a directory and a name in it.
package struct DirectoryEntry: Hashable, Sendable {
  /// The directory: "." for a path without slashes, "/" for an entry of the root.
  package let directory: String
  /// The name; empty if the path ends with a slash.
  package let name: String

  package init(_ path: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      (directory, name) = (".", path)
      return
    }
    directory = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.utf8.index(after: slash)...])
  }

  /// The path of the same name in another directory.
  package func path(in directory: String) -> String { Paths.joined(directory, name) }
}
