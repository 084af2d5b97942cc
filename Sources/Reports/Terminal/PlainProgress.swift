package import ImageBatch
import Synchronization

/// Progress without a terminal: a line every few seconds, so that a log shows activity.
package final class PlainProgress: BatchReporter {
  private struct State {
    var progress = ProgressState()
    var lastLine = 0.0
  }

  private let state = Mutex(State())
  private let interval: Double
  private let start: ContinuousClock.Instant
  private let now: @Sendable () -> ContinuousClock.Instant
  private let write: TextOutput

  /// Creates a reporter that writes a line to standard error every `interval` seconds.
  package init(
    interval: Double = 5, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    write: @escaping TextOutput
  ) {
    self.interval = interval
    self.now = now
    self.write = write
    start = now()
  }

  /// Whether it handles the start and the end of renderings: always.
  package var observesRenderings: Bool { true }

  /// Records an event, and writes a line if it is due.
  package func receive(_ event: BatchEvent) { update { $0.apply(event, at: $1) } }

  /// Writes a line if it is due.
  package func tick() { update { _, _ in } }

  private func update(_ change: (inout ProgressState, Double) -> Void) {
    let seconds = (now() - start) / .seconds(1)
    let line = state.withLock { state -> String? in
      change(&state.progress, seconds)
      guard !state.progress.isFinished, seconds - state.lastLine >= interval else { return nil }
      state.lastLine = seconds
      return Self.line(state.progress, seconds: seconds)
    }
    if let line { _ = write(line + "\n") }
  }

  /// `imagemill: 45 of 120 jobs (37 %), 2 outputs failed; 12 downloads under way, 8.1 MB received (2.3 MB/s); about
  /// 20 s left`
  static func line(_ state: ProgressState, seconds: Double) -> String {
    var line = "imagemill: "
    if let jobs = state.jobs, let fraction = state.fraction {
      line += "\(state.jobsEnded) of \(jobs) jobs (\(Int(fraction * 100)) %)"
    } else {
      line += QuantityText.count(state.jobsEnded, "job")
    }
    if state.failed > 0 { line += ", \(QuantityText.count(state.failed, "output")) failed" }
    let speed = state.bytesPerSecond(at: seconds)
    let received =
      "\(QuantityText.bytes(state.receivedBytes)) received"
      + (speed >= 1 ? " (\(QuantityText.bytes(Int(speed)))/s)" : "")
    let transfers = [
      state.downloads.isEmpty ? nil : "\(QuantityText.count(state.downloads.count, "download")) under way",
      state.receivedBytes > 0 ? received : nil,
    ]
    .compactMap(\.self)
    if !transfers.isEmpty { line += "; " + transfers.joined(separator: ", ") }
    if let left = state.secondsLeft(at: seconds) {
      line += "; about \(QuantityText.duration(seconds: left)) left"
    }
    return line
  }
}
