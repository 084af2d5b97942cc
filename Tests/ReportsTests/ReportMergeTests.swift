import ImageBatch
import Testing

@testable import Reports

@Suite("Merging reports", .timeLimit(.minutes(8)))
struct ReportMergeTests {
  /// The merged results of reports, and their totals.
  private func merged(_ reports: [[OutputResult]]) -> (results: [OutputResult], summary: BatchSummary) {
    var merge = ReportMerge()
    for report in reports {
      merge.begin()
      for result in report { merge.note(result) }
    }
    let results = reports.flatMap { report in
      merge.begin()
      return report.compactMap { merge.kept($0) }
    }
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

  @Test(
    "takes an output from the last report also if an earlier one doesn't know its path, and the other way round"
  )
  func pathKnownOnce() {
    // Two outputs of a job, such as those of a matrix, which differ in nothing that a failure tells of them.
    func failures() -> [OutputResult] {
      (0..<2).map { _ in
        var failure = OutputResult.failing(1, source: "s")
        failure.output = nil
        return failure
      }
    }
    func written() -> [OutputResult] {
      (0..<2).map { number in
        var result = OutputResult.written(1, output: "o-\(number).webp", source: "s")
        result.location = failures().first?.location
        result.filter = failures().first?.filter ?? ""
        return result
      }
    }
    #expect(merged([failures()]).results.count == 2)
    for (reports, statuses) in [
      ([failures(), written()], [OutputResult.Status.written, .written]),
      ([written(), failures()], [.failed, .failed]),
      ([failures(), written(), failures()], [.failed, .failed]),
      ([written(), failures(), written()], [.written, .written]),
      ([written(), written()], [.written, .written]),
    ] {
      let (results, summary) = merged(reports)
      #expect(results.map(\.status) == statuses)
      #expect(summary.outputs == 2 && summary.outputsFailed == statuses.count { $0 == .failed })
    }
    // The others of the report are untouched.
    var other = OutputResult.written(2, output: "b.png", source: "t")
    other.location = failures().first?.location
    #expect(merged([failures() + [other], written()]).results.count == 3)
  }

  @Test(
    "takes outputs of manifests in different directories for different ones, in one report and in several")
  func manifests() {
    func result(_ index: Int, _ file: String, _ status: OutputResult.Status) -> OutputResult {
      var result =
        status == .failed ? OutputResult.failing(index, source: "a.png") : .written(index, source: "a.png")
      result.output = "o/1.png"
      result.location = ManifestLocation(file: file, line: 3, column: 5)
      return result
    }
    let failed = result(1, "s2/m.yaml", .failed)
    for reports in [
      [[result(1, "s1/m.yaml", .written), result(2, "s2/m.yaml", .failed)]],
      [[failed], [result(1, "s1/m.yaml", .written)]],
    ] {
      let (results, summary) = merged(reports)
      #expect(results.count == 2 && summary.outputsFailed == 1 && summary.jobs == 2)
    }
    #expect(merged([[failed], [result(1, "s2/m.yaml", .written)]]).summary.outputsFailed == 0)
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
