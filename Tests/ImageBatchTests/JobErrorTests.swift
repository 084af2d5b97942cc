import Foundation
import ImageDownloads
import ImageRendering
import Testing

@testable import ImageBatch

@Suite("A failure's code", .timeLimit(.minutes(8)))
struct JobErrorTests {
  @Test("is the text that reports and metrics have always had")
  func rawValues() {
    let texts = """
      bad-argument bad-chain bad-encoding bad-output bad-record bad-redirect bad-source cache-failed cancelled \
      chain-too-long circular-chain connection-failed corrupt decoder-crashed digest-mismatch empty empty-body \
      encode-failed external-reference file-size file-unreadable filter-failed host-down host-not-found http-status no-frames \
      not-allowed not-an-image not-cached not-rendered out-of-memory output-conflict outside-output-dir \
      overwrites-source processor-time source-changed source-not-made system-call-refused throttled timed-out tls-failed \
      too-large too-large-for-format too-many-bytes too-many-frames too-many-pixels too-many-redirects too-much-memory transfer-failed truncated unknown-filter \
      unreadable unsupported-format worker-killed worker-not-started write-failed
      """
      .split(separator: " ").map(String.init)
    #expect(JobError.Code.allCases.map(\.rawValue).sorted() == texts)
  }

  @Test(
    "of a download is the download's",
    arguments: [
      DownloadError.Code.badSource, .unreadable, .httpStatus, .throttled, .unresolved, .connectionFailed,
      .hostDown, .transferFailed, .timedOut, .truncated, .tls, .notAllowed, .tooManyRedirects, .badRedirect,
      .tooLarge, .notAnImage, .empty, .digestMismatch, .notCached, .cancelled, .cache,
    ])
  func downloads(code: DownloadError.Code) {
    #expect(JobError.Code(code).rawValue == code.rawValue)
  }

  @Test("of a local source that differs from its pin is one of reading, and of another source of downloading")
  func mismatch() {
    for (source, stage) in [
      ("a.png", JobError.Stage.read), ("/srv/a.png", .read), ("-", .read),
      ("https://example.com/a.png", .download), ("s3://bucket/a.png", .download),
    ] {
      let error = JobError(DownloadError(.digestMismatch, "the SHA-256 is another", source: source))
      #expect(error.stage == stage && error.code == .digestMismatch, "\(source)")
    }
  }

  @Test("of a rendering is the rendering's", arguments: RenderError.Code.allCases)
  func renderings(code: RenderError.Code) {
    #expect(JobError.Code(code).rawValue == code.rawValue)
    var error = RenderError(
      code: code, stage: .encode, .memory(2, limit: 1), message: "no", isTemporary: true)
    error.source = "mask"
    let failure = JobError(error)
    #expect(failure.stage == .encode && failure.reason == .rendering(.memory(2, limit: 1)))
    #expect(failure.message == "no" && failure.isTemporary && failure.source == "mask")
  }

  @Test("that another version has stored, and that is unknown here, leaves the source untried")
  func unknownStored() {
    let known = DecoderFailure([.text("decoder-crashed"), .text("it crashed")])
    #expect(known?.error == JobError(code: .decoderCrashed, stage: .decode, message: "it crashed"))
    #expect(DecoderFailure([.text("eaten-by-a-dog"), .text("it was eaten")]) == nil)
  }

  @Test("that a worker sends and that is unknown here is an error of its message")
  func unknownSent() throws {
    let error = JobError(code: .outOfMemory, stage: .decode, message: "no more")
    let sent = try JSONEncoder().encode(error)
    #expect(try JSONDecoder().decode(JobError.self, from: sent) == error)
    let text = String(decoding: sent, as: UTF8.self)
    #expect(text.contains(#""out-of-memory""#))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(JobError.self, from: Data(text.replacing("out-of-memory", with: "eaten").utf8))
    }
  }
}
