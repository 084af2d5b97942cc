import Foundation
import ImageBatch
import ImageDownloads
import ImageFilters
import ImagePipeline
import Logging
import LoopbackServer
import Metrics
import TestSupport
import Testing

@Suite("Logs and metrics", .timeLimit(.minutes(8)))
struct ObservingTests {
  /// Keeps what is logged.
  private struct Recorder: LogHandler {
    let lines: Shared<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let fields = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
      lines.change { $0.append("\(event.level) \(event.message) \(fields)") }
    }
  }

  private func logger(_ lines: Shared<[String]>) -> Logger {
    Logger(label: "test", factory: { _ in Recorder(lines: lines) })
  }

  @Test("a pipeline logs failures, renderings and retries, without secrets; a batch its failed outputs")
  func logs() async throws {
    let server = try LoopbackServer(pages: [
      "/a.png": imagePage(), "/busy.png": Page(text: "later", status: 503),
    ])
    defer { server.stop() }
    let lines = Shared<[String]>([])
    try await withPipeline(configure: { $0.logger = logger(lines) }) { pipeline, _ in
      _ = try await pipeline.image(for: server.address("/a.png"), filters: .circle)
      await #expect(throws: ImageError.self) {
        try await pipeline.image(for: server.address("/busy.png?token=secret"))
      }
    }
    #expect(lines.value.contains { $0.hasPrefix("debug rendered filters=circle source=http://127.0.0.1") })
    #expect(lines.value.contains { $0.hasPrefix("warning retrying") })
    #expect(lines.value.contains { $0.hasPrefix("info image failed error=") })
    #expect(!lines.value.contains { $0.contains("secret") }, "\(lines.value)")

    let directory = try TestDirectory("observing")
    var configuration = BatchConfiguration()
    configuration.outputDirectory = URL(filePath: directory["out"])
    configuration.logger = logger(lines)
    let batch = try Batch(configuration, cacheDirectory: URL(filePath: directory["cache"]))
    for await _ in batch.results(of: [Job(source: server.address("/a.png"), output: "a.png")]) {}
    #expect(lines.value.contains { $0.hasPrefix("info output failed code=not-allowed") }, "\(lines.value)")
  }

  /// Sums up what is recorded, by label and dimensions.
  private final class Sums: MetricsFactory, CounterHandler, TimerHandler, RecorderHandler, Sendable {
    let label: String
    let sums: Shared<[String: Int]>

    init(label: String = "", sums: Shared<[String: Int]> = Shared([:])) {
      (self.label, self.sums) = (label, sums)
    }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Sums {
      Sums(label: ([label] + dimensions.map(\.1)).joined(separator: " "), sums: sums)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
      handler(label, dimensions)
    }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
      handler(label, dimensions)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
      handler(label, dimensions)
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func increment(by amount: Int64) { sums.change { $0[label, default: 0] += Int(amount) } }
    func reset() {}
    func recordNanoseconds(_ duration: Int64) { sums.change { $0[label, default: 0] += 1 } }
    func record(_ value: Int64) { sums.change { $0[label] = max($0[label] ?? 0, Int(value)) } }
    func record(_ value: Double) { record(Int64(value)) }
  }

  @Test("downloads, bytes, hits, renderings and the queue's depth are metrics of the global factory")
  func metrics() async throws {
    let server = try LoopbackServer { _ in imagePage() }
    defer { server.stop() }
    // The factory is the process's. Other tests may count too.
    let factory = Sums()
    MetricsSystem.bootstrap(factory)
    try await withPipeline(active: 1) { pipeline, _ in
      let urls = (0..<5).map { server.address("/\($0).png") }
      await withTaskGroup(of: Void.self) { group in
        for url in urls { group.addTask { _ = try? await pipeline.image(for: url) } }
      }
      for url in urls {
        _ = try await pipeline.image(for: url)
        _ = try await pipeline.image(for: url, filters: .circle)
      }
    }
    let sums = factory.sums.value
    #expect(sums["imagemill_downloads_total"] ?? 0 >= 5, "\(sums)")
    #expect(sums["imagemill_download_bytes_total"] ?? 0 > 500, "\(sums)")
    #expect(sums["imagemill_cache_hits_total fresh"] ?? 0 >= 5, "\(sums)")
    #expect(sums["imagemill_memory_hits_total"] ?? 0 >= 5, "\(sums)")
    #expect(sums["imagemill_rendering_duration"] ?? 0 >= 10, "\(sums)")
    #expect(sums["imagemill_downloads_queued"] ?? 0 >= 1, "\(sums)")
  }
}
