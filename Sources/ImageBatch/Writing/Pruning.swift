import Glibc
import ImageCaches
import SystemIO

/// Removes files that a manifest no longer makes. A file is removed only if a run of the same scope wrote it
/// inside the output directory, it hasn't changed since, and it was never a source.
struct Pruning {
  let store: DiskStore
  let fingerprints: FileDigestCache
  let sources: SourceFiles

  /// The outcome for a stale file.
  enum Fate: Sendable, Hashable {
    case removed
    /// The file had already been removed.
    case gone
    /// The file is kept, for the given reason.
    case kept(String)
  }

  /// The outcome of pruning each file. Changes nothing.
  func fates(of stale: [RegistryEntry]) throws(CacheError) -> [(entry: RegistryEntry, fate: Fate)] {
    let everSources = try sources.everSources(among: stale.map(\.path))
    return stale.map { entry in
      switch examination(of: entry, everSources) {
      case .removable: (entry, .removed)
      case .not(let fate): (entry, fate)
      }
    }
  }

  /// What is at the path of a stale file.
  private enum Examination {
    /// A file that may be removed, as long as it doesn't change.
    case removable(FileDigestCache.File)
    case not(Fate)
  }

  private func examination(of entry: RegistryEntry, _ everSources: Set<String>) -> Examination {
    var information = stat()
    guard lstat(entry.path, &information) == 0 else {
      let error = SystemError.last
      return .not(error.isMissing ? .gone : .kept(error.text))
    }
    guard let file = FileDigestCache.File(path: entry.path),
      fingerprints.digests(of: [file])[file] == entry.digest
    else { return .not(Self.changed) }
    guard Paths.isInside(entry.path, entry.scope.directory) else {
      return .not(.kept("it is outside the output directory; remove it by hand if you don't need it"))
    }
    // A directory on the way may have become a link since.
    guard RealPath.ofEntry(entry.path) == entry.path else { return .not(Self.linked) }
    guard !everSources.contains(entry.path) else {
      return .not(.kept("it was a source of a run; remove it by hand if you don't need it"))
    }
    return .removable(file)
  }

  private static let changed = Fate.kept(
    "it has changed since it was written; remove it by hand if you don't need it")
  private static let linked = Fate.kept(
    "its directory is now a symbolic link; remove it by hand if you don't need it")

  /// Removes what may be removed, and directories that this empties.
  func run(_ stale: [RegistryEntry]) throws(CacheError) -> [(path: String, fate: Fate)] {
    let everSources = try sources.everSources(among: stale.map(\.path))
    // Each file is read just before it is removed: reading all of them first may take minutes, in which one is edited.
    let result = stale.map { (path: $0.path, fate: remove($0, everSources)) }
    try store.unregister(
      paths: result.compactMap { path, fate in if case .kept = fate { nil } else { path } })
    return result
  }

  private func remove(_ entry: RegistryEntry, _ everSources: Set<String>) -> Fate {
    let file: FileDigestCache.File
    switch examination(of: entry, everSources) {
    case .removable(let found): file = found
    case .not(let fate): return fate
    }
    let name = DirectoryEntry(entry.path)
    let directory: OpenDirectory
    do throws(AtomicFile.Failure) { directory = try OpenDirectory(name.directory) } catch {
      return SystemError(code: error.code).isMissing ? .gone : .kept(error.message)
    }
    // The open directory is compared, not its path: another process may replace a part of that at any time.
    guard directory.realPath == name.directory else { return Self.linked }
    do throws(SystemError) {
      guard
        try FileFingerprint(path: file.fingerprint.path, status: directory.status(of: name.name))
          == file.fingerprint
      else { return Self.changed }
      try directory.remove(name.name)
    } catch {
      return error.isMissing ? .gone : .kept(error.text)
    }
    removeEmptyDirectories(from: entry.path, upTo: entry.scope.directory)
    return .removed
  }

  /// The output directory itself stays.
  private func removeEmptyDirectories(from path: String, upTo root: String) {
    var directory = DirectoryEntry(path).directory
    // rmdir(2) fails for a directory that isn't empty or writable, which ends the loop.
    while Paths.isInside(directory, root), rmdir(directory) == 0 {
      directory = DirectoryEntry(directory).directory
    }
  }
}
