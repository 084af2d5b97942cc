package import ImageBatch
import Synchronization

/// Writes failures, warnings and the closing summary as they happen, each on a line of its own.
package final class Messages: BatchReporter {
  /// How much is said.
  package enum Extent: Sendable {
    /// Failures only.
    case failures
    /// Warnings too.
    case warnings
    /// The summary too.
    case usual
    /// Every download and every output too.
    case everything
  }

  private let write: TextOutput
  private let extent: Extent
  /// What is being downloaded, where that is to be said.
  private let downloads = Mutex<[Int: String]>([:])

  /// `write` is standard error, or what writes above a live display.
  package init(_ extent: Extent = .usual, write: @escaping TextOutput) {
    self.write = write
    self.extent = extent
  }

  /// Writes the event's message, if it has one of this extent.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .jobFinished(let job):
      for line in FailureMessage.lines(job) { say(line) }
    case .warning(let warning) where extent != .failures: say(FailureMessage.line(warning))
    case .finished(let summary) where extent == .usual || extent == .everything: say(Summary.text(summary))
    default: if extent == .everything { tell(event) }
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

  /// Standard error has no reader to miss: what it doesn't take is dropped.
  private func say(_ line: String) { _ = write(line + "\n") }
}
