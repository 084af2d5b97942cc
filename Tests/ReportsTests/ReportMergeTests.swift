import ImageBatch
import Testing

@testable import Reports

@Suite("Merging reports", .timeLimit(.minutes(8)))
struct ReportMergeTests {
  /// The merged results of reports, and their totals.
  private func merged(_ reports: [[OutputResult]]) -> (results: [OutputResult], summary: BatchSummary) {
    var merge = ReportMerge()
    for result in reports.joined() { merge.note(result) }
    let results = reports.joined().compactMap { merge.kept($0) }
    return (results, merge.summary)
  }

  @Test("keeps the numbers of the parts of one manifest")
  func parts() {
    let (results, summary) = merged([
      [.written(1, output: "a.png"), .written(4, output: "d.png")], [.written(2, output: "b.png")], [],
    ])
    #expect(results.map(\.index) == [1, 4, 2])
    #expect(results.map(\.outputIndex) == [0, 0, 0])
    #expect(summary.jobs == 3 && summary.jobsDone == 3 && summary.outputsWritten == 3)
  }

  @Test("numbers jobs anew if different ones have the same number")
  func otherManifests() {
    let (results, summary) = merged([
      [.written(1, output: "a.png", source: "a"), .written(1, output: "b.png", source: "a")],
      [.written(1, output: "c.png", source: "c")],
    ])
    #expect(results.map(\.index) == [1, 1, 2])
    #expect(results.map(\.outputIndex) == [0, 1, 0])
    #expect(summary.jobs == 2 && summary.outputs == 3)
  }

  @Test("takes an output from the last report that has it")
  func last() {
    let failure = OutputResult.failing(2, source: "s")
    var mended = OutputResult.written(2, output: "b.png", source: "s")
    mended.location = failure.location
    let (results, summary) = merged([[.written(1, output: "a.png"), failure], [mended]])
    #expect(results.map(\.output) == ["a.png", "b.png"])
    #expect(results.map(\.status) == [.written, .written])
    #expect(summary.outputsFailed == 0 && summary.jobsFailed == 0 && summary.jobs == 2)
    let (undone, again) = merged([[mended], [failure]])
    #expect(undone.map(\.status) == [.failed])
    #expect(again.outputsFailed == 1 && again.jobsFailed == 1 && !again.allFailuresTemporary)
  }

  @Test("keeps failures whose paths were never known, each")
  func unknownPaths() {
    let failures = (1...3).map { index in
      var failure = OutputResult.failing(index, source: "s\(index % 2)")
      failure.output = nil
      return failure
    }
    #expect(merged([failures]).results.count == 3)
    // The same report twice.
    #expect(merged([failures, failures]).results.count == 3)
  }
}
