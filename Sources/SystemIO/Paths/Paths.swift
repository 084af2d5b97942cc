import Glibc

/// Paths as text: nothing is looked up.
///
/// They are divided by bytes. A slash and a combining mark after it are one `Character`: by characters, `a/\u{301}b`
/// would have no slash, and `../\u{301}b` would not begin with `../`.
package enum Paths {
  private static let slash = UInt8(ascii: "/")

  /// Whether the path begins at the root.
  package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == slash }

  /// Whether the path ends with a slash, and so can name no file.
  package static func endsWithSlash(_ path: some StringProtocol) -> Bool {
    Substring(path).utf8.last == slash
  }

  /// What stands between the slashes, without the empty.
  package static func components(_ path: some StringProtocol) -> [Substring] {
    Substring(path).utf8.split(separator: slash).map { Substring($0) }
  }

  /// The path of `name` in `directory`.
  package static func joined(_ directory: String, _ name: some StringProtocol) -> String {
    endsWithSlash(directory) ? directory + name : "\(directory)/\(name)"
  }

  /// Without empty and `.` components, and with `..` taken back as far as there is something to take back; empty where
  /// nothing is left. A link on the way may lead elsewhere.
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

  /// The components from the root, normalized, of a path that is seen from `directory` unless it is absolute.
  package static func absoluteComponents(_ path: String, from directory: String) -> [Substring] {
    normalized((isAbsolute(path) ? [] : components(directory)) + components(path), isAbsolute: true)
  }

  /// How the place with the components `path` is named from the one with `base`, with `..` where it lies outside.
  package static func relative(_ path: [Substring], to base: [Substring]) -> [Substring] {
    let shared = zip(path, base).prefix { $0 == $1 }.count
    return base.dropFirst(shared).map { _ in ".." } + path.dropFirst(shared)
  }

  /// Whether the absolute path `path` is below the absolute path `directory`, neither of which has `..` components.
  package static func isInside(_ path: String, _ directory: String) -> Bool {
    path.utf8.starts(with: (directory == "/" ? "/" : directory + "/").utf8)
  }

  /// Whether a path leads out of the directory that it is seen from: it is absolute, or goes up further than down.
  package static func leaves(_ path: String) -> Bool {
    isAbsolute(path) || normalized(components(path), isAbsolute: false).first == ".."
  }

  /// The process's directory, which imagemill never changes. Where the system doesn't tell it, the root: what is
  /// relative is then at least relative to one place.
  package static let workingDirectory = currentDirectory ?? "/"

  /// The process's directory as it is now; nil where the system doesn't tell it.
  package static var currentDirectory: String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// `$TMPDIR`, else `/tmp`.
  package static var temporaryDirectory: String {
    guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
    return String(cString: named)
  }
}

/// A path as a directory and a name in it.
package struct DirectoryEntry: Hashable, Sendable {
  /// "." for a path without a slash, "/" for one in the root.
  package let directory: String
  /// Empty for a path that ends with a slash.
  package let name: String

  package init(_ path: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      (directory, name) = (".", path)
      return
    }
    directory = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.utf8.index(after: slash)...])
  }

  /// The same name in another directory.
  package func path(in directory: String) -> String { Paths.joined(directory, name) }
}
