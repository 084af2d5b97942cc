public import ImageCaches
import ImageDownloads
import Synchronization
import SystemIO

/// Gathers what a lock file holds while a run goes on.
public final class LockRecorder: Sendable {
  private struct State {
    var lock = LockFile()
    var recipes: [Int: [String]] = [:]
    /// The present digests of sources that were refused.
    var mismatches: [String: String] = [:]
  }

  private let paths: LockPaths?
  private let state = Mutex(State())

  /// A recorder for the lock file at `path`; nil where only mismatches are wanted.
  public init(path: String?) { paths = path.flatMap(LockPaths.init) }

  /// Takes in a job before it runs.
  public func note(_ job: Job) {
    guard paths != nil else { return }
    let recipes = job.outputs.map { LockFile.recipe($0, of: job) }
    state.withLock { state in
      state.recipes[job.index] = recipes
      // Until it is known to have been used: a run with a placeholder never gets to know it.
      for source in job.sources where state.lock.sources[source.displayText] == nil {
        state.lock.sources[source.displayText] = LockFile.Source()
      }
    }
  }

  /// Takes in a source that was used.
  public func note(_ record: SourceRecord) {
    state.withLock { $0.lock.sources[record.stored.displayText] = LockFile.Source(record) }
  }

  /// Takes in an output.
  public func note(_ result: OutputResult) {
    if let found = result.error?.foundDigest {
      state.withLock { $0.mismatches[result.error?.source ?? result.source] = found.hex }
    }
    guard let paths, let path = result.path.flatMap(paths.relative), let digest = result.sha256,
      let bytes = result.bytes, result.status != .failed, result.status != .kept
    else { return }
    state.withLock { state in
      let recipes = state.recipes[result.index] ?? []
      let recipe = result.outputIndex < recipes.count ? recipes[result.outputIndex] : ""
      state.lock.outputs[path] = LockFile.Output(sha256: digest, bytes: bytes, recipe: recipe)
    }
  }

  /// The lock of a run of these manifests. Standard input is none that could be compared later.
  public func lock(manifests: [String]) throws(CacheError) -> LockFile {
    var lock = state.withLock(\.lock)
    for path in manifests where path != "-" {
      guard let name = paths?.relative(path),
        let digest = try FileDescriptor.open(path, 0)?.digest(path: path)
      else { continue }
      lock.manifests[name] = digest.digest.hex
    }
    return lock
  }

  /// The SHA-256 of each source that was refused because its bytes differ from what was pinned.
  public var mismatches: [String: String] { state.withLock(\.mismatches) }
}
