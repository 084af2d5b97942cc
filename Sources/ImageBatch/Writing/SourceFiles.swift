import Glibc
import ImageCaches
import ImageDownloads
import Synchronization
import SystemIO

/// The local files that a run reads: no output may take the place of one, and no run prunes one.
///
/// Files are compared by device and inode, links followed, so that neither another spelling of a path nor a link hides
/// what it leads to. Sixteen bytes a file are held: a stream may have a million of them.
final class SourceFiles: Sendable {
  private struct State {
    var identities: Set<FileIdentity> = []
    /// Paths that the index may not know yet.
    var pending: [String] = []
  }

  private let store: DiskStore
  /// Whether sources are remembered for later runs.
  private let records: Bool
  private let state = Mutex(State())
  private static let limit = 500

  init(store: DiskStore, records: Bool = true) {
    self.store = store
    self.records = records
  }

  /// Takes in every local file that the jobs name: sources, placeholders, overlays and masks.
  func add(_ jobs: [Job]) {
    for job in jobs { for path in job.localFiles { add(path) } }
  }

  private func add(_ path: String) {
    guard let identity = FileIdentity(path: path) else { return }
    let isFull = state.withLock { state in
      guard state.identities.insert(identity).inserted, records, let real = RealPath.of(path) else {
        return false
      }
      state.pending.append(real)
      return state.pending.count >= Self.limit
    }
    if isFull { flush() }
  }

  /// Whether the file at `path` is a source of this run.
  func contains(_ path: String) -> Bool {
    // Most runs have no local source at all: no system call for their outputs.
    guard state.withLock({ !$0.identities.isEmpty }), let identity = FileIdentity(path: path) else {
      return false
    }
    return state.withLock { $0.identities.contains(identity) }
  }

  /// Those of the absolute paths that are, or ever were, a source.
  func everSources(among paths: [String]) throws(CacheError) -> Set<String> {
    try store.sources(among: paths).union(paths.filter(contains))
  }

  /// Writes down what is new.
  func flush() {
    let paths = state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
    do throws(CacheError) {
      try store.recordSources(paths)
    } catch {
      store.noteRepair("the sources can't be recorded for pruning", error)
    }
  }
}

extension Job {
  /// The local files that it reads.
  var localFiles: [String] {
    allSources.compactMap { if case .file(let path) = $0 { path } else { nil } }
  }
}
