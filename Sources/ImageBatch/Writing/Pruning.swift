import Glibc
import ImageCaches

/// Removes the files that a manifest no longer makes, and only those: files that a run has put in place for it, that
/// this run hasn't, and that are still as they were put there.
struct Pruning {
  let store: DiskStore
  let stamps: StampMemory

  /// What became of a stale file.
  enum Fate: Sendable, Hashable {
    case removed
    /// Somebody has removed it already.
    case gone
    /// It has been edited since, or can't be removed.
    case kept(String)
  }

  /// What would become of a file.
  func fate(of entry: LedgerEntry) -> Fate {
    var information = stat()
    guard lstat(entry.path, &information) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .gone : .kept(describe(errno))
    }
    guard let file = StampMemory.File(path: entry.path), stamps.digests(of: [file])[file] == entry.digest
    else { return .kept("it has been changed since it was written; remove it by hand if it isn't wanted") }
    return .removed
  }

  /// Removes what may be removed.
  func run(_ stale: [LedgerEntry]) throws(CacheError) -> [(path: String, fate: Fate)] {
    var fates: [(path: String, fate: Fate)] = []
    for entry in stale {
      var fate = fate(of: entry)
      if fate == .removed, unlink(entry.path) != 0 { fate = errno == ENOENT ? .gone : .kept(describe(errno)) }
      fates.append((entry.path, fate))
    }
    try store.strike(
      paths: fates.compactMap { path, fate in if case .kept = fate { nil } else { path } })
    return fates
  }
}
