import ArgumentParser
import ImageBatch

/// What the process ends with.
enum ExitStatus: Int32, Error, CaseIterable {
  /// Every output is in place.
  case success = 0
  /// At least one job failed; the others are in place.
  case failed = 1
  /// The command line or the manifest is wrong; nothing was started.
  case usage = 2
  /// `--check` found something missing or out of date.
  case outOfDate = 3
  /// As ``failed``, and every failure was temporary.
  case temporary = 75
  /// Stopped by SIGINT.
  case interrupted = 130
  /// Stopped by SIGTERM.
  case terminated = 143

  /// The status of a batch that ran to its end.
  init(_ summary: BatchSummary) {
    if summary.outputsFailed == 0 && summary.jobsFailed == 0 && summary.jobsNotStarted == 0 {
      self = .success
    } else {
      self = summary.allFailuresTemporary && summary.jobsNotStarted == 0 ? .temporary : .failed
    }
  }
}

/// The failures of a command that goes on after each.
struct FailureCount {
  private var failures = 0
  private var temporaryFailures = 0

  /// Counts how one source has ended.
  mutating func add(_ status: ExitStatus) {
    if status != .success { failures += 1 }
    if status == .temporary { temporaryFailures += 1 }
  }

  /// What the command ends with; nil if nothing has failed.
  var status: ExitStatus? {
    failures == 0 ? nil : failures == temporaryFailures ? .temporary : .failed
  }
}
