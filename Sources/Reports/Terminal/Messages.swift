package import ImageBatch
import Synchronization

/// Writes failures, warnings and the final summary as they happen, one per line.
package final class Messages: BatchReporter {
  /// Which messages are written.
  package enum Verbosity: Sendable {
    /// Failures only.
    case failures
    /// Failures and warnings.
    case warnings
    /// Failures, warnings and the summary.
    case usual
    /// Also every download and every output.
    case everything
  }

  private let write: TextOutput
  private let verbosity: Verbosity
  /// The sources of active downloads by ID, if downloads are reported.
  private let downloads = Mutex<[Int: String]>([:])

  /// Creates a reporter. `write` writes to standard error, above the live display if there is one.
  package init(_ verbosity: Verbosity = .usual, write: @escaping TextOutput) {
    self.write = write
    self.verbosity = verbosity
  }

  /// Writes the event's message, if the verbosity includes it.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .jobFinished(let job):
      for line in FailureMessage.lines(job) { say(line) }
    case .warning(let warning) where verbosity != .failures: say(FailureMessage.line(warning))
    case .finished(let summary) where verbosity == .usual || verbosity == .everything:
      say(Summary.text(summary))
    default: if verbosity == .everything { tell(event) }
    }
  }

  private func tell(_ event: BatchEvent) {
    switch event {
    case .downloadStarted(let id, let source, _): downloads.withLock { $0[id] = source }
    case .downloadFinished(let id, let bytes, let failed):
      let source = downloads.withLock { $0.removeValue(forKey: id) }
      if !failed, let source {
        say(FailureMessage.note(nil, [source, "downloaded \(QuantityText.bytes(bytes))"]))
      }
    case .outputFinished(let result):
      if let line = FailureMessage.note(result) { say(line) }
    case .outputRemoved(let path): say(FailureMessage.note(nil, [path, "removed"]))
    default: break
    }
  }

  /// Writes a line. Ignores a failure, which couldn't be reported anywhere.
  private func say(_ line: String) { _ = write(line + "\n") }
}
