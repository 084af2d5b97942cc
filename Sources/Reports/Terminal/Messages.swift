public import ImageBatch

/// Writes failures, warnings and the closing summary as they happen, each on a line of its own.
public final class Messages: BatchReporter {
  private let write: TextOutput
  private let isQuiet: Bool

  /// `write` is standard error, or what writes above a live display. Quiet: failures only.
  public init(isQuiet: Bool = false, write: @escaping TextOutput) {
    self.isQuiet = isQuiet
    self.write = write
  }

  /// Says what there is to say.
  public func receive(_ event: BatchEvent) {
    switch event {
    case .jobFinished(let job):
      for line in FailureMessage.lines(job) { say(line) }
    case .warning(let warning) where !isQuiet: say(FailureMessage.line(warning))
    case .finished(let summary) where !isQuiet: say(Summary.text(summary))
    default: break
    }
  }

  /// Standard error has no reader to miss: what it doesn't take is dropped.
  private func say(_ line: String) { _ = write(line + "\n") }
}
