package import ImageCaches
import ImageDownloads
import Synchronization
import SystemIO

/// Collects a lock file's contents during a run.
package final class LockRecorder: Sendable {
  private struct State {
    var lock = LockFile()
    var recipes: [Int: [String]] = [:]
    /// The current digests of sources that were rejected.
    var mismatches: [String: String] = [:]
  }

  private let paths: LockPaths?
  private let state = Mutex(State())

  /// Creates a recorder for the lock file at `path`; nil records only mismatches.
  package init(path: String?) { paths = path.flatMap(LockPaths.init) }

  /// Records a job before it runs.
  package func note(_ job: Job) {
    guard paths != nil else { return }
    let recipes = job.outputs.map { LockFile.recipe($0, of: job) }
    state.withLock { state in
      state.recipes[job.index] = recipes
      // Add an empty entry, which stays if the source isn't used.
      for source in job.sources where state.lock.sources[source.displayText] == nil {
        state.lock.sources[source.displayText] = LockFile.Source()
      }
    }
  }

  /// Records a source that was used.
  package func note(_ record: SourceRecord) {
    // Without a file to write, a run of millions of sources would keep them all for nothing.
    guard paths != nil else { return }
    state.withLock { $0.lock.sources[record.stored.displayText] = LockFile.Source(record) }
  }

  /// Records an output.
  package func note(_ result: OutputResult) {
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

  /// The lock of a run of these manifests. Standard input is left out, because it can't be compared later.
  /// - Throws: `CacheError` if a manifest can't be read.
  package func lock(manifests: [String]) throws(CacheError) -> LockFile {
    var lock = state.withLock(\.lock)
    for path in manifests where path != "-" {
      guard let name = paths?.relative(path),
        let digest = try FileDescriptor.open(path, 0)?.digest(path: path)
      else { continue }
      lock.manifests[name] = digest.digest.hex
    }
    return lock
  }

  /// The SHA-256 of each source that was rejected because it differs from the pinned digest.
  package var mismatches: [String: String] { state.withLock(\.mismatches) }
}
