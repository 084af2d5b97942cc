public import struct FoundationEssentials.URL
public import ImageDownloads
import SystemIO

/// The directory and base URL that a source's `{dir}` is relative to.
///
///     let root = SourceRoot(directory: URL(filePath: "photos"))
///     let directory = root.directory(of: .file("photos/2026/05/a.jpg"))  // 2026/05
///
/// Paths are compared as text, without resolving links, so that links don't change the names of outputs.
public struct SourceRoot: Sendable, Hashable {
  /// The components of the directory's absolute path.
  private let directories: [String]
  private let base: Base?

  private struct Base: Sendable, Hashable {
    var origin: String
    var directories: [String]
  }

  /// Creates a root.
  /// - Parameters:
  ///   - directory: A directory.
  ///   - base: The URL that sources without a scheme are resolved against.
  public init(directory: URL, base: URL? = nil) {
    self.init(directory: directory.path(percentEncoded: false), base: base?.absoluteString)
  }

  /// Creates a root.
  /// - Parameters:
  ///   - directory: A path, absolute or relative to the working directory; empty for the working directory.
  ///   - base: The URL that sources without a scheme are resolved against; nil for none. Default: nil.
  package init(directory: String, base: String? = nil) {
    directories = Self.components(directory)
    self.base = base.map { Base(origin: Self.origin($0), directories: ImageSource.url($0).directories) }
  }

  /// The source's directory relative to this root or to their nearest common parent.
  /// - Parameter source: The source. For a URL with another origin than the base, all directories of its path
  ///   count.
  /// - Returns: Components joined by slashes; empty for a source without a path or in the root itself.
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

  private static func components(_ directory: String) -> [String] {
    Paths.absoluteComponents(directory, from: Paths.workingDirectory).map(String.init)
  }

  /// Scheme, host and port.
  private static func origin(_ url: String) -> String {
    url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
      .lowercased()
  }
}
