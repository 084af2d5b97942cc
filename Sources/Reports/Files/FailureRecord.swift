package import ImageBatch
import Synchronization
import SystemIO

/// The failed results of the last run, kept as an NDJSON report for the next run's selection.
///
/// A run that can't keep them has succeeded or failed all the same, so errors are no messages: ``isKept`` says whether
/// the next run can find the file.
package final class FailureRecord: BatchReporter {
  private struct State {
    var spool: ReportSpool?
    /// The number of failures that a run can repeat.
    var failures = 0
    var isKept = false
    var isUnwritable = false
  }

  private let path: String
  private let keepsOlder: Bool
  private let state = Mutex(State())

  /// Creates a record.
  /// - Parameters:
  ///   - path: The file, whose directory is created when the batch ends.
  ///   - keepsOlder: Whether an existing file stays if jobs were not started, because it lists them, or if there was no
  ///     job, because it may list those of another manifest.
  package init(path: String, keepsOlder: Bool) {
    self.path = path
    self.keepsOlder = keepsOlder
  }

  /// Whether the batch has ended, had failures that a run can repeat, and the file lists them.
  package var isKept: Bool { state.withLock { $0.isKept && $0.failures > 0 } }

  /// Records failed outputs; the end of the batch writes the file, so that later reporters know whether it is kept.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .outputFinished(let result) where result.status == .failed: append(result)
    case .finished(let summary): write(summary)
    default: break
    }
  }

  private func append(_ result: OutputResult) {
    // What was stopped counts as not started. A line that isn't a job fails again unless it is corrected.
    let isRecord = result.error?.code == .badRecord
    guard isRecord || result.error?.stage != .manifest, result.error?.code != .cancelled else { return }
    state.withLock { state in
      if !isRecord { state.failures += 1 }
      do {
        // Not in the cache, which may not exist yet; and most runs have no failure.
        let spool = try state.spool ?? ReportSpool(descriptor: ReportPath("-").nameless())
        state.spool = spool
        try spool.append(NDJSONReport().entry(result), job: result.index, output: result.outputIndex)
      } catch {
        state.isUnwritable = true
      }
    }
  }

  private func write(_ summary: BatchSummary) {
    state.withLock { state in
      guard !state.isUnwritable, !(keepsOlder && (!summary.isWhole || summary.jobs == 0))
      else { return }
      let spool = state.spool
      do {
        try Directory.create(DirectoryEntry(path).directory, mode: 0o700)
        try AtomicFile.fill(path) { (file) throws(SystemError) in
          try spool?.read(NDJSONReport()) { (bytes) throws(SystemError) in try FileIO.write(bytes, to: file) }
        }
        state.isKept = true
      } catch {
        state.isKept = false
      }
    }
  }
}
