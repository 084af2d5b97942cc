public import ImageDownloads
import SystemIO

/// Where sources are found: what `{dir}` is relative to.
///
///     SourceRoot(directory: "photos").directory(of: .file("photos/2026/05/a.jpg"))     // 2026/05
///
/// Paths are compared by their letters, so that two runs name their outputs alike whatever links there are.
public struct SourceRoot: Sendable, Hashable {
  /// The components of the directory, from the file system's root.
  private let directories: [String]
  private let base: Base?

  private struct Base: Sendable, Hashable {
    var origin: String
    var directories: [String]
  }

  /// A place for paths, and one for URLs.
  /// - Parameters:
  ///   - directory: A path, absolute or relative to the process's directory; empty for that directory itself.
  ///   - base: The URL that sources without a scheme are resolved against.
  public init(directory: String, base: String? = nil) {
    directories = Self.components(directory)
    self.base = base.map { Base(origin: Self.origin($0), directories: ImageSource.url($0).directories) }
  }

  /// The source's directory, as far as it differs from this place: below it, or below the nearest directory that both
  /// lie in. A URL of another origin than the base has all of its path's directories.
  public func directory(of source: ImageSource) -> String {
    switch source {
    case .file(let path):
      return Self.difference(of: Self.components(DirectoryEntry(path).directory), from: directories)
    case .url(let text):
      guard let base, Self.origin(text) == base.origin else { break }
      return Self.difference(of: source.directories, from: base.directories)
    case .data, .standardInput: break
    }
    return source.directories.joined(separator: "/")
  }

  private static func difference(of directories: [String], from root: [String]) -> String {
    let common = zip(directories, root).prefix { $0 == $1 }.count
    return directories[common...].joined(separator: "/")
  }

  /// From the file system's root.
  private static func components(_ directory: String) -> [String] {
    Paths.absoluteComponents(directory, from: Paths.workingDirectory).map(String.init)
  }

  /// Scheme, host and port.
  private static func origin(_ url: String) -> String {
    url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
      .lowercased()
  }
}
