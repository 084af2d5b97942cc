package import ImageBatch
import Synchronization

/// Writes failures and warnings as they happen, one per line, and at the end the failures by reason and host, the summary
/// and the command that continues.
package final class Messages: BatchReporter {
  /// Which messages are written.
  package enum Verbosity: Sendable {
    /// Failures only.
    case failures
    /// Failures and warnings, and the summary of several outputs of which one failed.
    case warnings
    /// Failures, warnings and the summary.
    case usual
    /// Also every download and every output.
    case everything
  }

  private let write: TextOutput
  private let verbosity: Verbosity
  private let showsFailures: Bool
  /// The sources of active downloads by ID, if downloads are reported.
  private let downloads = Mutex<[Int: String]>([:])
  private let failures = Mutex(FailureGroups())
  private let continuation: @Sendable (BatchSummary) -> String?

  /// Creates a reporter.
  /// - Parameters:
  ///   - showsFailures: Whether failed outputs are written; not so if each is a result on standard output.
  ///   - continuation: The last line of a batch that left something to do; nil for none.
  ///   - write: Writes to standard error, above the live display if there is one.
  package init(
    _ verbosity: Verbosity = .usual, showsFailures: Bool = true,
    continuation: @escaping @Sendable (BatchSummary) -> String? = { _ in nil },
    write: @escaping TextOutput
  ) {
    self.write = write
    self.verbosity = verbosity
    self.showsFailures = showsFailures
    self.continuation = continuation
  }

  /// Writes the event's message, if the verbosity includes it.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .jobFinished(let job):
      guard showsFailures else { return }
      for line in FailureMessage.lines(job) { say(line) }
      failures.withLock { $0.add(job) }
    case .warning(let warning) where verbosity != .failures: say(FailureMessage.line(warning))
    case .finished(let summary) where endsWithSummary(summary):
      failures.withLock(\.lines).forEach(say)
      say(Summary.text(summary))
      if let line = continuation(summary) { say(line) }
    default: if verbosity == .everything { tell(event) }
    }
  }

  private func endsWithSummary(_ summary: BatchSummary) -> Bool {
    switch verbosity {
    case .failures: false
    case .warnings: summary.outputs > 1 && summary.outputsFailed > 0
    case .usual, .everything: true
    }
  }

  private func tell(_ event: BatchEvent) {
    switch event {
    case .downloadStarted(let id, let source, _): downloads.withLock { $0[id] = source }
    case .downloadFinished(let id, let bytes, let failed, let isUnchanged):
      let source = downloads.withLock { $0.removeValue(forKey: id) }
      if !failed, let source {
        say(
          FailureMessage.note(
            nil, [source, isUnchanged ? "not changed" : "downloaded \(QuantityText.bytes(bytes))"]))
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
