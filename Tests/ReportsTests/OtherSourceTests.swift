import Foundation
import ImageBatch
import Testing

@testable import Reports

/// An overlay that can't be read fails the output in its own name.
@Suite("The failure of another source", .timeLimit(.minutes(8)))
struct OtherSourceTests {
  private var result: OutputResult {
    var result = OutputResult.failing(source: "photo.jpg")
    result.error = JobError(code: .truncated, stage: .decode, message: "the png file is truncated")
    result.error?.source = "logos/mark.png"
    return result
  }

  @Test("is named in every report")
  func named() throws {
    let rows = [
      "JUnit": String(decoding: JUnitReport().entry(result), as: UTF8.self),
      "HTML": ContactSheetCard(
        result: result, paths: ImagePaths(reportDirectory: "."), source: 1
      ).html,
      "terminal": try #require(FailureMessage.line(result)),
    ]
    for (report, text) in rows { #expect(text.contains("logos/mark.png"), "\(report): \(text)") }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("summary-\(UUID()).md")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: path) } }
    let summary = StepSummary(path: path.path)
    summary.receive(.outputFinished(result))
    summary.receive(.finished(.large))
    try summary.finish()
    #expect(try String(contentsOf: path, encoding: .utf8).contains("logos/mark.png"))
  }

  @Test("isn't repeated if it is the output's own")
  func own() throws {
    var own = result
    own.error?.source = own.source
    #expect(own.failureMessage == "the png file is truncated")
    #expect(result.failureMessage == "logos/mark.png: the png file is truncated")
    #expect(OutputResult.written().failureMessage == nil)
  }
}
