import Foundation
import ImageBatch
import Testing

@testable import Reports

@Suite("In GitHub's workflows", .timeLimit(.minutes(8)))
struct GitHubTests {
  func annotations(_ events: [BatchEvent], directory: String = "/w/repo", workspace: String? = nil) -> String
  {
    let transcript = Transcript()
    let annotations = GitHubAnnotations(directory: directory, workspace: workspace, write: transcript.write)
    for event in events { annotations.receive(event) }
    return transcript.text
  }

  @Test func `a failure is annotated at its line, once a job`() {
    #expect(
      annotations([.jobFinished(JobResult(.failing(), .failing(output: 1)))])
        == "::error file=m.yaml,line=4,col=5,title=imagemill::https://example.com/none.png: download: the server says 404 Not Found\n"
    )
  }

  @Test func `files are named from the repository's root`() {
    var result = OutputResult.failing()
    result.location = ManifestLocation(file: "../site/m.yaml", line: 1, column: 1)
    let events = [BatchEvent.jobFinished(JobResult(result))]
    #expect(annotations(events, directory: "/w/repo/sub", workspace: "/w/repo").contains("file=site/m.yaml,"))
    #expect(
      annotations(events, directory: "/elsewhere/a", workspace: "/w/repo").contains("file=../site/m.yaml,"))
  }

  @Test func `a text ends no command and a name no property`() {
    var result = OutputResult.failing(message: "50%\r\n::error::x\u{1B}[31m")
    result.location = ManifestLocation(file: "a,b:c%\n.yaml", line: 4, column: 5)
    let text = annotations([.jobFinished(JobResult(result))])
    #expect(text.hasPrefix("::error file=a%2Cb%3Ac%25%0A.yaml,line=4,col=5,"))
    #expect(text.hasSuffix("50%25%0D%0A::error::x\u{FFFD}[31m\n"))
    #expect(text.count { $0.isNewline } == 1)
  }

  @Test func `a warning is one, and what has no place has no file`() {
    #expect(
      annotations([.warning(BatchWarning(source: "a.png", message: "odd"))])
        == "::warning title=imagemill::a.png: odd\n")
  }

  @Test func `the step summary of a run that was stopped says so`() {
    var summary = BatchSummary()
    (summary.outputs, summary.outputsWritten, summary.jobsNotStarted) = (3, 3, 2)
    let text = StepSummary.text(summary, rows: [])
    #expect(text.hasPrefix("### imagemill: 2 jobs not started\n"))
    #expect(text.contains("| jobs | 0 |  | 2 not started |"))
    summary.jobsNotStarted = 0
    #expect(StepSummary.text(summary, rows: []).hasPrefix("### imagemill: all 3 outputs are in place\n"))
  }

  @Test func `the step summary has the words of the closing line, and no zeros`() {
    var summary = BatchSummary()
    (summary.jobs, summary.jobsDone, summary.outputs, summary.outputsFromCache) = (2, 2, 2, 2)
    let text = StepSummary.text(summary, rows: [])
    #expect(Summary.text(summary).contains("outputs 2: 2 cached"))
    #expect(text.contains("| outputs | 2 |  | 2 cached |"))
    #expect(!text.contains("downloads") && !text.contains("written"), "\(text)")
  }

  @Test func `the step summary is appended and lists failures without their markup`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("summary-\(UUID()).md")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: path) } }
    try Data("before\n".utf8).write(to: path)
    let summary = StepSummary(path: path.path)
    summary.receive(.outputFinished(.failing(message: "<img src=x> | `a` [b](c)\nd")))
    summary.receive(.finished(.large))
    try summary.finish()
    let text = try String(contentsOf: path, encoding: .utf8)
    #expect(text.hasPrefix("before\n### imagemill: 4 of 354 outputs failed\n"))
    #expect(text.contains("| outputs | 350 | 4 | 300 written, 10 cached, 40 unchanged |"))
    #expect(text.contains("| downloads | 96 |  | 41.2 MB, 24 merged, 22 revalidated |"))
    let row = try #require(text.split(separator: "\n").first { $0.contains("img") })
    #expect(row.contains("&lt;img src=x&gt; &#124; &#96;a&#96; &#91;b&#93;&#40;c&#41; d |"))
    #expect(text.hasSuffix("and 3 more.\n"))
  }
}
