import ImageBatch
import Manifests
import Testing

@testable import imagemill

/// What the process ends with, without a process.
@Suite("Exit statuses as values", .timeLimit(.minutes(8)))
struct ExitStatusValueTests {
  // Swift Testing has a type of this name.
  private typealias ExitStatus = imagemill.ExitStatus

  @Test(
    "of a batch: 0 if everything is there, 75 if every failure may pass and every job was started, else 1")
  func summary() {
    var summary = BatchSummary()
    #expect(ExitStatus(summary) == .success)
    for (outputs, jobs, notStarted, temporary, status) in [
      (1, 1, 0, true, ExitStatus.temporary), (1, 1, 0, false, .failed), (0, 1, 0, true, .temporary),
      (1, 1, 1, true, .failed), (0, 0, 1, true, .failed), (0, 0, 1, false, .failed),
      (3, 0, 0, false, .failed),
    ] {
      summary.outputsFailed = outputs
      summary.jobsFailed = jobs
      summary.jobsNotStarted = notStarted
      summary.allFailuresTemporary = temporary
      #expect(ExitStatus(summary) == status, "\(summary)")
      summary.isInputUnread = true
      #expect(ExitStatus(summary) == .failed, "\(summary)")
      summary.isInputUnread = false
    }
  }

  @Test("of several sources: temporary only if every failure is, in any order")
  func failures() {
    let all: [ExitStatus] = [.success, .temporary, .failed]
    for first in all {
      for second in all {
        for third in all {
          var failures = FailureCount()
          for status in [first, second, third] { failures.add(status) }
          let found = Set([first, second, third])
          let wanted: ExitStatus? =
            found.contains(.failed) ? .failed : found.contains(.temporary) ? .temporary : nil
          #expect(failures.status == wanted)
        }
      }
    }
  }

  @Test("of an input that was refused: a usage error in the place of a failure, and of nothing else")
  func refusal() {
    let refusal = InputRefusal()
    for status in ExitStatus.allCases { #expect(refusal.status(status) == status) }
    refusal.raise()
    for status in ExitStatus.allCases {
      #expect(refusal.status(status) == ([.failed, .temporary].contains(status) ? .usage : status))
      #expect(refusal.status(ofBatch: status) == refusal.status(status))
    }
    refusal.raise(afterJobs: true)
    #expect(refusal.status(ofBatch: .failed) == .usage, "the first input was refused before any job")
    let late = InputRefusal()
    late.raise(afterJobs: true)
    for status in ExitStatus.allCases { #expect(late.status(ofBatch: status) == status) }
    #expect(late.status(.failed) == .usage, "what only reads starts nothing")
  }
}
