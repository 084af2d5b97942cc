package import ImageCaches
package import ImageDownloads
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
      // Add an empty entry, which stays if the source isn't used: a check must know all sources of the manifests.
      for source in job.allSources where state.lock.sources[source.displayText] == nil {
        state.lock.sources[source.displayText] = LockFile.Source()
      }
    }
  }

  /// Records a source that has arrived, whether or not it is used.
  package func note(arrival stored: StoredSource) {
    note(SourceRecord(stored: stored, format: nil, width: nil, height: nil))
  }

  /// Records a source that was used.
  package func note(_ record: SourceRecord) {
    // Without a file to write, a run of millions of sources would keep them all for nothing.
    guard paths != nil else { return }
    let name = record.stored.displayText
    state.withLock { state in
      var source = LockFile.Source(record)
      // Another job may have used the source before, or in another way.
      if let earlier = state.lock.sources[name] { source.learn(factsOf: earlier) }
      state.lock.sources[name] = source
    }
  }

  /// Records an output.
  package func note(_ result: OutputResult) {
    for error in result.error.map({ [$0] + $0.parts }) ?? [] where error.reason == .lockFile {
      guard let found = error.foundDigest else { continue }
      state.withLock { $0.mismatches[error.source ?? result.source] = found.hex }
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

  /// The SHA-256 of each source that was rejected because it differs from the locked digest.
  package var mismatches: [String: String] { state.withLock(\.mismatches) }
}
