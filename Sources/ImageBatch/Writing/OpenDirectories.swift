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

  private struct State {
    /// In order of use, the most recent last.
    var opened: [(key: Key, directory: OpenDirectory)] = []
    /// Hashes of all keys so far.
    var known: Set<Int> = []
  }

  private let state = Mutex(State())

  /// The open directory of `location`; nil if it isn't in the cache.
  func open(_ location: String, in root: OutputDirectory) -> OpenDirectory? {
    let key = Key(path: DirectoryEntry(location).directory, root: root)
    return state.withLock { state in
      guard let index = state.opened.lastIndex(where: { $0.key == key }) else { return nil }
      let found = state.opened.remove(at: index)
      state.opened.append(found)
      return found.directory
    }
  }

  /// Adds the directory of `location`, evicting the least recently used one if there are too many.
  /// - Returns: Whether it is added for the first time.
  func keep(_ directory: OpenDirectory, _ location: String, in root: OutputDirectory) -> Bool {
    let key = Key(path: DirectoryEntry(location).directory, root: root)
    return state.withLock { state in
      state.opened.removeAll { $0.key == key }
      state.opened.append((key, directory))
      if state.opened.count > Self.limit { state.opened.removeFirst() }
      return state.known.insert(key.hashValue).inserted
    }
  }
}
