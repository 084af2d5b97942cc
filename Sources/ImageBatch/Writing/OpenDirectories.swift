import Synchronization
import SystemIO

/// The output directories that were used last, open. A run writes thousands of files into a few of them.
final class OpenDirectories: Sendable {
  private struct Key: Hashable {
    let path: String
    /// The same path may lie inside one root and outside of another.
    let root: OutputDirectory
  }

  /// Each costs a descriptor.
  private static let limit = 8

  /// The last used one is the last.
  private let opened = Mutex<[(key: Key, directory: OpenDirectory)]>([])

  /// The open directory of `location`; nil if it isn't among the last used.
  func open(_ location: String, in root: OutputDirectory) -> OpenDirectory? {
    let key = Key(path: DirectoryEntry(location).directory, root: root)
    return opened.withLock { opened in
      guard let index = opened.lastIndex(where: { $0.key == key }) else { return nil }
      let found = opened.remove(at: index)
      opened.append(found)
      return found.directory
    }
  }

  /// Keeps a directory for the next output of the same directory and root.
  func keep(_ directory: OpenDirectory, _ location: String, in root: OutputDirectory) {
    let key = Key(path: DirectoryEntry(location).directory, root: root)
    opened.withLock { opened in
      opened.removeAll { $0.key == key }
      opened.append((key, directory))
      if opened.count > Self.limit { opened.removeFirst() }
    }
  }
}
