import ImageBatch
import Manifests
import Reports
import Synchronization

extension InputRefusal {
  /// The status of the command: ``ExitStatus/usage`` instead of a failure if an input was refused, else
  /// `status`.
  func status(_ status: ExitStatus) -> ExitStatus {
    isRaised && (status == .failed || status == .temporary) ? .usage : status
  }

  /// The status of a batch: the same, but a failure if jobs before the input were started.
  func status(ofBatch status: ExitStatus) -> ExitStatus {
    isAfterJobs ? status : self.status(status)
  }
}

extension JobItems {
  /// Reads to the end. Wrong records are reported as `run` reports them: otherwise a check of an unreadable list would
  /// find nothing wrong.
  /// - Returns: The groups, and the input's status: a wrong record is a failed job, a wrong header a usage error.
  func readAll() async -> (groups: [JobGroup], status: ExitStatus) {
    var status = ExitStatus.success
    let groups = await groupsAtEnd { job in
      status = .failed
      Self.report(job)
    }
    return (groups, refusal.status(status))
  }

  /// Reports a wrong record.
  static func report(_ job: JobResult) {
    for line in FailureMessage.lines(job) { StandardError.say(line) }
    for output in job.outputs { Annotations.add(output.error?.message ?? "", at: output.location) }
  }
}

/// Whether a run with `--failed` has any of the jobs that failed.
final class RepeatedJobs: Sendable {
  private let isAny: Atomic<Bool>

  init(isAny: Bool = false) { self.isAny = Atomic(isAny) }

  /// Notes that a job is selected.
  func note() { isAny.store(true, ordering: .relaxed) }

  /// Refuses a run that made nothing and failed in nothing: it would pass for a retry that succeeded.
  /// - Throws: `CommandError` with the remedy.
  func refuseNone(after status: ExitStatus) throws {
    guard status == .success, !isAny.load(ordering: .relaxed) else { return }
    throw CommandError(
      .usage,
      "no line makes an output that failed in the earlier run: the input or an option has changed; leave out --failed"
    )
  }
}
