import Synchronization
import SystemIO

/// An LRU cache of open output directories. A run writes thousands of files to a few of them.
final class OpenDirectories: Sendable {
  private struct Key: Hashable {
    let path: String
    /// Part of the key because the check of a path depends on the root: the same path may be inside one and
    /// outside another.
    let root: OutputDirectory
  }

  /// Each open directory takes a file descriptor.
  private static let limit = 8

  /// In order of use, the most recent last.
  private let opened = Mutex<[(key: Key, directory: OpenDirectory)]>([])

  /// The open directory of `location`; nil if it isn't in the cache.
  func open(_ location: String, in root: OutputDirectory) -> OpenDirectory? {
    let key = Key(path: DirectoryEntry(location).directory, root: root)
    return opened.withLock { opened in
      guard let index = opened.lastIndex(where: { $0.key == key }) else { return nil }
      let found = opened.remove(at: index)
      opened.append(found)
      return found.directory
    }
  }

  /// Adds the directory of `location`, evicting the least recently used one if there are too many.
  func keep(_ directory: OpenDirectory, _ location: String, in root: OutputDirectory) {
    let key = Key(path: DirectoryEntry(location).directory, root: root)
    opened.withLock { opened in
      opened.removeAll { $0.key == key }
      opened.append((key, directory))
      if opened.count > Self.limit { opened.removeFirst() }
    }
  }
}
