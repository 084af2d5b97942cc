import Foundation
import ImageBatch
import TestSupport
import Testing

@testable import Reports

@Suite("Lines on the streams", .timeLimit(.minutes(8)))
struct LineTests {
  @Test func `the summary is the manual's line`() {
    #expect(
      Summary.text(.large)
        == "jobs 120: 118 done, 2 failed; outputs 354: 300 written, 10 cached, 40 unchanged, 4 failed; 96 downloads (41.2 MB), 24 merged, 22 revalidated; 11.8 s"
    )
  }

  @Test func `the summary leaves out what is 0, and tells what came from the cache`() {
    var summary = BatchSummary()
    summary.seconds = 0.04
    #expect(Summary.text(summary) == "nothing to do; 0.0 s")
    (summary.jobs, summary.jobsDone, summary.outputs, summary.outputsFromCache) = (1, 1, 2, 2)
    (summary.downloads, summary.downloadedBytes) = (1, 1_500)
    #expect(Summary.text(summary) == "jobs 1: 1 done; outputs 2: 2 cached; 1 download (1.5 kB); 0.0 s")
    (summary.downloads, summary.mergedDownloads) = (0, 3)
    #expect(Summary.text(summary) == "jobs 1: 1 done; outputs 2: 2 cached; 3 merged; 0.0 s")
  }

  @Test func `failures are counted by reason and host, the most frequent first`() {
    let transcript = Transcript()
    let messages = Messages(continuation: { "go on: \($0.jobs)" }, write: transcript.write)
    func fail(_ source: String, _ message: String, _ code: JobError.Code = .httpStatus) {
      var result = OutputResult.failing(message: message, source: source)
      result.error?.code = code
      messages.receive(.jobFinished(JobResult(result)))
    }
    fail("https://a.example/1.jpg", "the server returned 404")
    fail("https://b.example:8080/1.jpg", "it took 61 s", .timedOut)
    fail("https://user@b.example:8080/2.jpg", "it took 62 s", .timedOut)
    fail("https://b.example:8080/3.jpg", "it took 63 s", .timedOut)
    messages.receive(.finished(.large))
    let lines = transcript.text.split(separator: "\n").map(String.init)
    #expect(
      lines.suffix(4) == [
        "3 outputs failed at b.example:8080: download: timed-out, such as: it took 61 s",
        "1 output failed at a.example: download: the server returned 404", Summary.text(.large), "go on: 120",
      ])
    // One failure was said in the line before.
    let alone = Transcript()
    let other = Messages(write: alone.write)
    other.receive(.jobFinished(JobResult(.failing())))
    other.receive(.finished(.large))
    #expect(alone.text.split(separator: "\n").count == 2)
  }

  @Test func `the summary says more before the time, where there is more`() {
    var summary = BatchSummary.large
    summary.jobsNotStarted = 7
    summary.placeholdersUsed = 1
    #expect(
      Summary.text(summary).hasSuffix("22 revalidated; 7 jobs not started; 1 placeholder used; 11.8 s"))
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (41_234_567, "41.2 MB"), (2_000_000_000, "2.0 GB"), (5_000_000_000_000_000, "5000.0 TB"),
  ])
  func `sizes are decimal with one digit`(count: Int, text: String) {
    #expect(QuantityText.bytes(count) == text)
  }

  @Test(arguments: [
    (0.4, "0 s"), (59.4, "59 s"), (125, "2 min 05 s"), (4200, "1 h 10 min"), (.infinity, "277777 h 46 min"),
  ])
  func `times to come`(seconds: Double, text: String) {
    #expect(QuantityText.duration(seconds: seconds) == text)
  }

  @Test func `a result line is the path to open, and nothing for a failure`() {
    #expect(ResultLine.text(.written()) == "out/a.png")
    #expect(ResultLine.text(.failing()) == nil)
  }

  @Test func `a result object is the manual's`() {
    var result = OutputResult.written()
    result.fields = [Job.Field(name: "na\"me", json: "\"ada\""), Job.Field(name: "n", json: "3.10")]
    #expect(
      ResultLine.json(result)
        == #"{"version":1,"index":1,"source":"https://example.com/a.jpg","output":"a.png","status":"written","width":90,"height":60,"bytes":1234,"sha256":"\#(String(repeating: "ab", count: 32))","filter":"circle()","format":"png","fields":{"na\"me":"ada","n":3.10},"location":{"file":"m.yaml","line":3,"column":5}}"#
    )
    #expect(
      ResultLine.json(.failing())
        == #"{"version":1,"index":2,"source":"https://example.com/none.png","output":"b.png","status":"failed","width":null,"height":null,"bytes":null,"sha256":null,"filter":"","format":"png","error":{"code":"http-status","stage":"download","message":"the server says 404 Not Found","temporary":false},"fields":{},"location":{"file":"m.yaml","line":4,"column":5}}"#
    )
  }

  @Test func `any text comes back from JSON as it was`() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        let range: ClosedRange<UInt32> =
          [0...0x7F, 0x80...0xD7FF, 0xE000...0x10FFFF].randomElement(using: &random) ?? 0...0
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
      }
      var result = OutputResult.written()
      result.source = String(text)
      let line = ResultLine.json(result)
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["source"] as? String == String(text), "seed \(seed)")
      #expect(!line.utf8.contains { $0 < 0x20 }, "seed \(seed)")
    }
  }

  @Test func `a failure names its place, the source, the stage and the reason`() {
    #expect(
      FailureMessage.line(.failing())
        == "m.yaml:4:5: error: https://example.com/none.png: download: the server says 404 Not Found")
    var result = OutputResult.failing()
    result.location = nil
    #expect(
      FailureMessage.line(result)?.hasPrefix("imagemill: error: https://example.com/none.png: ") == true)
    #expect(FailureMessage.line(.written()) == nil)
  }

  @Test func `what several outputs failed of is said once`() {
    let job = JobResult(
      .failing(), .failing(output: 1), .failing(output: 2, message: "the disk is full"))
    #expect(FailureMessage.lines(job).count == 2)
  }

  @Test func `a hostile name moves no cursor and begins no line`() throws {
    let result = OutputResult.failing(message: "bad\r\nname", source: "\u{1B}[31mred\u{202E}")
    let line = try #require(FailureMessage.line(result))
    #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" })
  }

  @Test func `messages are one line each, fewer when quiet and more when verbose`() {
    func written(_ extent: Messages.Verbosity) -> String {
      let transcript = Transcript()
      let messages = Messages(extent, write: transcript.write)
      messages.receive(.downloadStarted(id: 1, source: "https://example.com/a.jpg", host: "example.com"))
      messages.receive(.downloadStarted(id: 2, source: "https://example.com/b.jpg", host: "example.com"))
      messages.receive(.downloadFinished(id: 1, bytes: 1234, failed: false))
      messages.receive(.downloadFinished(id: 2, bytes: 0, failed: true))
      messages.receive(.downloadStarted(id: 3, source: "https://example.com/c.jpg", host: "example.com"))
      messages.receive(.downloadFinished(id: 3, bytes: 0, failed: false, isUnchanged: true))
      messages.receive(.outputFinished(.written()))
      messages.receive(.warning(BatchWarning(source: "a.png", message: "odd")))
      messages.receive(.outputFinished(.failing()))
      messages.receive(.jobFinished(JobResult(.failing())))
      messages.receive(.finished(.large))
      return transcript.text
    }
    let failure = "m.yaml:4:5: error: https://example.com/none.png: download: the server says 404 Not Found\n"
    let usual = "imagemill: warning: a.png: odd\n\(failure)\(Summary.text(.large))\n"
    #expect(written(.failures) == failure)
    #expect(written(.usual) == usual)
    #expect(
      written(.everything) == """
        imagemill: note: https://example.com/a.jpg: downloaded 1.2 kB
        imagemill: note: https://example.com/c.jpg: not changed
        m.yaml:3:5: note: https://example.com/a.jpg: written out/a.png, 90 × 60 png, 1.2 kB
        \(usual)
        """)
  }
}
