import Glibc
import ImageCaches
import SystemIO

/// Removes files that a manifest no longer makes, and only those: inside the output directory, put there by a run of
/// the same scope, never a source, and still as they were written.
struct Pruning {
  let store: DiskStore
  let fingerprints: FileDigestCache
  let sources: SourceFiles

  /// The outcome for a stale file.
  enum Fate: Sendable, Hashable {
    case removed
    /// Somebody has removed it already.
    case gone
    /// It stays, and why.
    case kept(String)
  }

  /// What pruning would do with each file; changes nothing.
  func fates(of stale: [RegistryEntry]) throws(CacheError) -> [(entry: RegistryEntry, fate: Fate)] {
    let everSources = try sources.everSources(among: stale.map(\.path))
    return stale.map { entry in
      let state = state(of: entry)
      guard state == .removed else { return (entry, state) }
      guard Paths.isInside(entry.path, entry.scope.directory) else {
        return (entry, .kept("it is outside the output directory; remove it by hand if you don't need it"))
      }
      // A directory on the way may have become a link since.
      guard RealPath.ofEntry(entry.path) == entry.path else {
        return (entry, .kept("its directory is now a symbolic link; remove it by hand if you don't need it"))
      }
      guard !everSources.contains(entry.path) else {
        return (entry, .kept("it was a source of a run; remove it by hand if you don't need it"))
      }
      return (entry, .removed)
    }
  }

  /// Whether a file is as it was written: `removed` stands for a file that is.
  func state(of entry: RegistryEntry) -> Fate {
    var information = stat()
    guard lstat(entry.path, &information) == 0 else {
      let error = SystemError.last
      return error.isMissing ? .gone : .kept(error.text)
    }
    guard let file = FileDigestCache.File(path: entry.path),
      fingerprints.digests(of: [file])[file] == entry.digest
    else { return .kept("it has changed since it was written; remove it by hand if you don't need it") }
    return .removed
  }

  /// Removes what may be removed, and directories that this empties.
  func run(_ stale: [RegistryEntry]) throws(CacheError) -> [(path: String, fate: Fate)] {
    var result: [(path: String, fate: Fate)] = []
    for (entry, planned) in try fates(of: stale) {
      var fate = planned
      if fate == .removed {
        if unlink(entry.path) != 0 {
          let error = SystemError.last
          fate = error.code == ENOENT ? .gone : .kept(error.text)
        } else {
          removeEmptyDirectories(from: entry.path, upTo: entry.scope.directory)
        }
      }
      result.append((entry.path, fate))
    }
    try store.unregister(
      paths: result.compactMap { path, fate in if case .kept = fate { nil } else { path } })
    return result
  }

  /// The output directory itself stays.
  private func removeEmptyDirectories(from path: String, upTo root: String) {
    var directory = DirectoryEntry(path).directory
    // A directory that isn't empty, or isn't ours to remove, ends it.
    while Paths.isInside(directory, root), rmdir(directory) == 0 {
      directory = DirectoryEntry(directory).directory
    }
  }
}
