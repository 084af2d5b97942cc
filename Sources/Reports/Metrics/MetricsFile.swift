import Glibc
package import ImageBatch
import Synchronization
import SystemIO

/// A batch's metrics in Prometheus' text format (`--metrics FILE`), for the textfile collector of node_exporter.
///
/// The file is replaced atomically every ten seconds and at the end.
package final class MetricsFile: BatchReporter {
  private struct State {
    var metrics: MetricsState
    var written: ContinuousClock.Instant
    var isWarned = false
  }

  /// The time between writes.
  static let interval = Duration.seconds(10)

  private let path: ReportPath
  private let start: ContinuousClock.Instant
  private let now: @Sendable () -> ContinuousClock.Instant
  private let warn: TextOutput
  private let state: Mutex<State>

  /// Creates missing directories and writes the file for the first time.
  /// - Parameters:
  ///   - path: The file; `-` is standard output, which is written only at the end.
  ///   - workers: The number of rendering slots.
  ///   - version: imagemill's version.
  ///   - warn: Writes one warning if the file can't be written during the run.
  /// - Throws: `ReportError` if the file can't be written.
  package init(
    path: String, workers: Int, version: String,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, warn: @escaping TextOutput
  ) throws(ReportError) {
    self.path = ReportPath(path, noun: "metrics file")
    self.now = now
    self.warn = warn
    start = now()
    let seconds = SystemTime.now.roundedToMilliseconds
    state = Mutex(
      State(metrics: MetricsState(workers: workers, version: version, start: seconds), written: start))
    try self.path.makeDirectories()
    if self.path.place != .standardOutput { try write() }
  }

  /// Adds jobs that have been read and are waiting.
  package func queue(_ jobs: Int) { state.withLock { $0.metrics.queue(jobs) } }

  /// Whether it handles the start and the end of renderings: always.
  package var observesRenderings: Bool { true }

  /// Counts an event.
  package func receive(_ event: BatchEvent) {
    let seconds = (now() - start) / .seconds(1)
    state.withLock { $0.metrics.apply(event, at: seconds) }
  }

  /// Writes the file if it is due. A failure is only a warning, because a later write may succeed.
  package func tick() {
    let now = now()
    let isTime = state.withLock { state in
      guard path.place != .standardOutput, now - state.written >= Self.interval else { return false }
      state.written = now
      return true
    }
    guard isTime else { return }
    do throws(ReportError) {
      try write()
    } catch {
      let isFirst = state.withLock { state in
        defer { state.isWarned = true }
        return !state.isWarned
      }
      if isFirst { _ = warn("imagemill: warning: \(error.message)\n") }
    }
  }

  /// Writes the file with the run's totals.
  /// - Throws: `ReportError` if the file can't be written.
  package func finish() throws(ReportError) { try write() }

  private func write() throws(ReportError) {
    let seconds = ((now() - start) / .seconds(1)).roundedToMilliseconds
    let bytes = state.withLock { $0.metrics.exposition(at: seconds) }
    try path.replace { (file) throws(SystemError) in try FileIO.write(bytes, to: file) }
  }
}
