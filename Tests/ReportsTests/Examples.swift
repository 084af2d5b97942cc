import ImageBatch
import Synchronization

extension OutputResult {
  static func written(
    _ index: Int = 1, output: String = "a.png", source: String = "https://example.com/a.jpg"
  ) -> Self {
    var result = OutputResult(
      index: index, outputIndex: 0, source: source, status: .written, filter: "circle()", format: "png")
    result.output = output
    result.path = "out/" + output
    result.width = 90
    result.height = 60
    result.frames = 1
    result.bytes = 1234
    result.sourceBytes = 5000
    result.sha256 = String(repeating: "ab", count: 32)
    result.seconds = 0.25
    result.location = ManifestLocation(file: "m.yaml", line: 3, column: 5)
    return result
  }

  static func failing(
    _ index: Int = 2, output: Int = 0, message: String = "the server says 404 Not Found",
    source: String = "https://example.com/none.png"
  ) -> Self {
    var result = OutputResult(
      index: index, outputIndex: output, source: source, status: .failed, filter: "", format: "png")
    result.output = "b.png"
    result.error = JobError(code: .httpStatus, stage: .download, message: message)
    result.location = ManifestLocation(file: "m.yaml", line: 4, column: 5)
    return result
  }
}

extension JobResult {
  init(_ outputs: OutputResult...) {
    self.init(
      index: outputs.first?.index ?? 1, source: outputs.first?.source ?? "", outputs: outputs,
      location: outputs.first?.location)
  }
}

extension BatchSummary {
  static var large: Self {
    var summary = BatchSummary()
    summary.jobs = 120
    summary.jobsDone = 118
    summary.jobsFailed = 2
    summary.outputs = 354
    summary.outputsWritten = 300
    summary.outputsFromCache = 10
    summary.outputsUnchanged = 40
    summary.outputsFailed = 4
    summary.downloads = 96
    summary.downloadedBytes = 41_234_567
    summary.mergedDownloads = 24
    summary.revalidatedDownloads = 22
    summary.seconds = 11.8
    return summary
  }
}

/// Keeps what was written to it.
final class Transcript: Sendable {
  private let texts = Mutex<[String]>([])
  private let capacity: Int

  /// Its reader goes away after `capacity` texts.
  init(capacity: Int = .max) { self.capacity = capacity }

  var text: String { texts.withLock { $0.joined() } }
  var count: Int { texts.withLock { $0.count } }

  @Sendable func write(_ text: String) -> Bool {
    texts.withLock { texts in
      texts.append(text)
      return texts.count <= capacity
    }
  }
}

/// A clock that goes when it is told to.
final class HandClock: Sendable {
  private let instant = Mutex(ContinuousClock.now)

  @Sendable func now() -> ContinuousClock.Instant { instant.withLock { $0 } }

  func advance(seconds: Double) { instant.withLock { $0 += .seconds(seconds) } }
}
