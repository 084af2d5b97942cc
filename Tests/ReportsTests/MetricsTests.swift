import Foundation
import ImageBatch
import Synchronization
import Testing

@testable import Reports

@Suite("Metrics", .timeLimit(.minutes(8)))
struct MetricsTests {
  /// A sample of Prometheus' text format.
  struct Sample: Equatable {
    var name: String
    var labels: [String: String]
    var value: Double
  }

  struct Wrong: Error, CustomStringConvertible {
    var description: String
  }

  /// Reads Prometheus' text format, strictly: each metric has its help, its type and then its samples, all in one place;
  /// names are as they must be; counters end in `_total`; a histogram's buckets grow and end with its count.
  static func parse(_ text: String) throws -> [Sample] {
    guard text.hasSuffix("\n") else { throw Wrong(description: "the last line has no end") }
    var samples: [Sample] = []
    var seen: Set<String> = []
    var (family, type) = ("", "")
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if let match = line.wholeMatch(of: #/# HELP ([a-z_]+) \S.*/#) {
        guard seen.insert(String(match.1)).inserted else { throw Wrong(description: "twice: \(line)") }
        (family, type) = (String(match.1), "")
      } else if let match = line.wholeMatch(of: #/# TYPE ([a-z_]+) (counter|gauge|histogram)/#) {
        guard match.1 == family, type.isEmpty else { throw Wrong(description: "no help: \(line)") }
        type = String(match.2)
        guard (type == "counter") == family.hasSuffix("_total") else { throw Wrong(description: "\(line)") }
      } else {
        guard let match = line.wholeMatch(of: #/([a-z_]+)(?:\{(.*)\})? (\S+)/#), let value = Double(match.3)
        else {
          throw Wrong(description: "no sample: \(line)")
        }
        let name = String(match.1)
        let suffixes = type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard !type.isEmpty, suffixes.contains(where: { name == family + $0 }) else {
          throw Wrong(description: "not of \(family): \(line)")
        }
        var labels: [String: String] = [:]
        var rest = match.2 ?? ""
        while !rest.isEmpty {
          guard let label = rest.prefixMatch(of: #/([a-z_]+)="((?:[^"\\]|\\["\\n])*)",?/#) else {
            throw Wrong(description: "labels: \(line)")
          }
          labels[String(label.1)] = String(label.2)
          rest = rest[label.range.upperBound...]
        }
        let sample = Sample(name: name, labels: labels, value: value)
        guard !samples.contains(where: { $0.name == name && $0.labels == labels }) else {
          throw Wrong(description: "twice: \(line)")
        }
        samples.append(sample)
      }
    }
    try checkHistograms(samples)
    return samples
  }

  private static func checkHistograms(_ samples: [Sample]) throws {
    for count in samples where count.name.hasSuffix("_count") {
      let family = count.name.dropLast("_count".count)
      let buckets = samples.filter { $0.name == family + "_bucket" }
      let bounds = buckets.compactMap { Double($0.labels["le"]?.replacing("+Inf", with: "inf") ?? "") }
      guard bounds.count == buckets.count, bounds == bounds.sorted(), bounds.last == .infinity,
        buckets.map(\.value) == buckets.map(\.value).sorted(), buckets.last?.value == count.value
      else { throw Wrong(description: "the buckets of \(family)") }
    }
  }

  private static func result(_ status: OutputResult.Status, code: JobError.Code? = nil) -> OutputResult {
    var result = OutputResult(
      index: 1, outputIndex: 0, source: "a.png", status: status, filter: "", format: "webp")
    result.bytes = 100
    result.seconds = 0.3
    result.error = code.map { JobError(code: $0, stage: .download, message: "no \"luck\"\n") }
    return result
  }

  private func value(_ samples: [Sample], _ name: String, _ labels: [String: String] = [:]) -> Double? {
    samples.first { $0.name == "imagemill_\(name)" && $0.labels == labels }?.value
  }

  @Test("are what the events say, in the form that Prometheus reads")
  func events() throws {
    var state = MetricsState(workers: 4, version: "1.2.3 \"x\\y\"", start: 1_700_000_000.25)
    #expect(try Self.parse(String(decoding: state.exposition(at: 0), as: UTF8.self)).count > 20)
    state.queue(3)
    state.apply(.jobsCounted(5), at: 0)
    state.apply(.downloadStarted(id: 1, source: "u", host: "h"), at: 1)
    state.apply(.downloadProgressed(id: 1, received: 500, expected: nil), at: 1.1)
    // A second try from the beginning.
    state.apply(.downloadProgressed(id: 1, received: 100, expected: nil), at: 1.2)
    state.apply(.downloadStarted(id: 2, source: "u", host: "h"), at: 1.3)
    state.apply(.downloadFinished(id: 1, bytes: 700, failed: false), at: 1.4)
    state.apply(.downloadFinished(id: 2, bytes: 0, failed: true), at: 63)
    state.apply(.downloadStarted(id: 3, source: "u", host: "h"), at: 64)
    state.apply(.renderingStarted(slot: 0, job: 1, source: "u"), at: 2)
    state.apply(.renderingStarted(slot: 1, job: 2, source: "u"), at: 2)
    state.apply(.renderingFinished(slot: 0), at: 2.2)
    for status in [OutputResult.Status.written, .written, .unchanged, .cached] {
      state.apply(.outputFinished(Self.result(status)), at: 3)
    }
    state.apply(.outputFinished(Self.result(.failed, code: .httpStatus)), at: 3)
    state.apply(
      .jobFinished(JobResult(index: 1, source: "", outputs: [Self.result(.written)], location: nil)), at: 3)
    let samples = try Self.parse(String(decoding: state.exposition(at: 65), as: UTF8.self))
    #expect(value(samples, "info", ["version": #"1.2.3 \"x\\y\""#]) == 1)
    #expect(value(samples, "start_time_seconds") == 1_700_000_000.25)
    #expect(value(samples, "downloads_total", ["result": "done"]) == 1)
    #expect(value(samples, "downloads_total", ["result": "failed"]) == 1)
    #expect(value(samples, "downloads_active") == 1)
    #expect(value(samples, "download_bytes_total") == 1100)
    #expect(value(samples, "download_duration_seconds_bucket", ["le": "0.5"]) == 1)
    #expect(value(samples, "download_duration_seconds_bucket", ["le": "60"]) == 1)
    #expect(value(samples, "download_duration_seconds_count") == 2)
    #expect(value(samples, "workers") == 4)
    #expect(value(samples, "workers_busy") == 1)
    #expect(value(samples, "renders_total") == 1)
    #expect(value(samples, "outputs_total", ["status": "written"]) == 2)
    #expect(value(samples, "output_bytes_total") == 300)
    #expect(value(samples, "hits_total", ["kind": "output"]) == 1)
    #expect(value(samples, "hits_total", ["kind": "stored"]) == 1)
    #expect(value(samples, "failures_total", ["code": "http-status", "stage": "download"]) == 1)
    #expect(value(samples, "jobs_known") == 5)
    #expect(value(samples, "jobs_pending") == 2)
    #expect(value(samples, "run_finished") == 0)
    var summary = BatchSummary()
    (summary.jobs, summary.seconds, summary.revalidatedDownloads, summary.decodes) = (5, 70, 7, 3)
    summary.freshDownloads = 4
    state.apply(.finished(summary), at: 70)
    let end = try Self.parse(String(decoding: state.exposition(at: 71), as: UTF8.self))
    #expect(value(end, "run_finished") == 1)
    #expect(value(end, "run_seconds") == 70)
    #expect(value(end, "jobs_pending") == 0)
    #expect(value(end, "hits_total", ["kind": "revalidated"]) == 7)
    #expect(value(end, "hits_total", ["kind": "fresh"]) == 4)
    #expect(value(end, "decodes_total") == 3)
  }

  @Test("are written at once, every ten seconds and at the end, whole each time")
  func file() throws {
    let directory = NSTemporaryDirectory() + "/metrics-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/a/b/imagemill.prom"
    let clock = Mutex(ContinuousClock.now)
    let warnings = Mutex<[String]>([])
    let file = try MetricsFile(
      path: path, workers: 2, version: "1", now: { clock.withLock(\.self) },
      warn: { text in
        warnings.withLock { $0.append(text) }
        return true
      })
    func read() throws -> Double? {
      value(try Self.parse(String(contentsOfFile: path, encoding: .utf8)), "run_seconds")
    }
    #expect(try read() == 0)
    for (seconds, shown) in [(4, 0.0), (5.5, 0), (0.5, 10), (9, 10), (1, 20)] {
      clock.withLock { $0 += .seconds(seconds) }
      file.tick()
      #expect(try read() == shown)
    }
    // The directory is gone: that is said once, and is a failure in the end.
    try FileManager.default.removeItem(atPath: directory)
    for _ in 0..<3 {
      clock.withLock { $0 += .seconds(10) }
      file.tick()
    }
    #expect(warnings.withLock(\.count) == 1)
    #expect(warnings.withLock(\.first)?.contains("can't write the metrics file '\(path)'") == true)
    #expect(throws: ReportError.self) { try file.finish() }
    try FileManager.default.createDirectory(atPath: directory + "/a/b", withIntermediateDirectories: true)
    try file.finish()
    #expect(try read() == 50)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/a/b") == ["imagemill.prom"])
  }

  @Test("where the file can't be written, that is known before anything is started")
  func unwritable() {
    #expect(throws: ReportError.self) {
      try MetricsFile(path: "/proc/nowhere/x.prom", workers: 1, version: "1", warn: { _ in true })
    }
  }
}
