import Glibc
import ImageBatch
import ImageRendering

/// The process's exit status.
enum ExitStatus: Int32, Error, CaseIterable {
  /// Every output is in place.
  case success = 0
  /// At least one job failed; the others are in place.
  case failed = 1
  /// The command line or a manifest is wrong; nothing was started.
  case usage = 2
  /// `--check` found an output or a source missing, out of date or changed, or `--frozen` a source that isn't the locked one.
  case outOfDate = 3
  /// Every failure was temporary; retrying may succeed.
  case temporary = 75
  /// Stopped by SIGHUP.
  case hungUp = 129
  /// Stopped by SIGINT.
  case interrupted = 130
  /// Stopped by SIGTERM.
  case terminated = 143

  /// Whether a signal stopped the command, so that it saw only a part of its jobs.
  var isSignal: Bool { [.hungUp, .interrupted, .terminated].contains(self) }

  /// The status of a batch that ran to its end.
  init(_ summary: BatchSummary) {
    if summary.outputsFailed == 0 && summary.jobsFailed == 0 && summary.isWhole {
      self = .success
    } else {
      self = summary.allFailuresTemporary && summary.isWhole ? .temporary : .failed
    }
  }
}

extension ExitStatus {
  /// Ends the process.
  func endProcess() -> Never {
    // exit(3) would run the destructors of libraries that are being loaded.
    guard RenderEngine.isBeingPrepared else { exit(rawValue) }
    fflush(nil)
    _exit(rawValue)
  }
}

/// Counts the failures of a command that continues after each.
struct FailureCount {
  private var failures = 0
  private var temporaryFailures = 0

  /// Counts the status of one source.
  mutating func add(_ status: ExitStatus) {
    if status != .success { failures += 1 }
    if status == .temporary { temporaryFailures += 1 }
  }

  /// The command's exit status; nil if nothing failed.
  var status: ExitStatus? {
    failures == 0 ? nil : failures == temporaryFailures ? .temporary : .failed
  }
}
