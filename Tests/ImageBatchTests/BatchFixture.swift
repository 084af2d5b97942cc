import Foundation
import ImageCaches
import ImageDownloads
import ImageFilters
import LoopbackServer
import Testing

@testable import ImageBatch
@testable import ImageRendering
import TestSupport

/// A batch over local images, rendered by a thread that a test can hold up, and all that it reports.
final class BatchFixture: Sendable {
  let directory: TestDirectory
  let store: DiskStore
  let events = Shared<[BatchEvent]>([])

  /// - Parameter store: Default: an empty one.
  init(store: DiskStore? = nil) throws {
    directory = try TestDirectory("batch")
    self.store = try store ?? .ephemeral()
  }

  /// Renders on threads, after a gate, and counts.
  final class CountingRendering: RenderingService {
    let limitsIdentifier = "test"
    let sources = Shared<[String]>([])
    let slotsUsed = Shared<Set<Int>>([])
    let startsAhead = Shared(0)
    private let gate: Gate?
    private let threads: ThreadRendering

    var slots: Int { threads.slots }

    init(slots: Int = 2, gate: Gate? = nil) {
      self.gate = gate
      threads = ThreadRendering(slots: slots)
    }

    func render(
      _ prepare: @Sendable () async -> RenderRequest?, onStart: @Sendable (Int) async -> Bool,
      onEnd: @Sendable (Int) async -> Void, afterwards: @Sendable () async -> Void
    ) async -> RenderResponse? {
      await gate?.passed()
      let source = Shared("")
      return await threads.render {
        let request = await prepare()
        if let request { source.change { $0 = request.sourceName } }
        return request
      } onStart: { slot in
        slotsUsed.change { _ = $0.insert(slot) }
        guard await onStart(slot) else { return false }
        sources.change { $0.append(source.value) }
        return true
      } onEnd: {
        await onEnd($0)
      } afterwards: {
        await afterwards()
      }
    }

    func startAhead() async { startsAhead.change { $0 += 1 } }

    func stop() async {}
  }

  /// An image of its own for each seed.
  @discardableResult
  func image(_ name: String, seed: Int = 0) throws -> ImageSource {
    .file(try directory.write(PNGImage.bytes(width: 8, height: 6, seed: seed), to: name))
  }

  func output(_ path: String, chain: String = "") throws -> JobOutput {
    let template = try OutputTemplate(parsing: path)
    return JobOutput(
      template: template, chain: try FilterChain(parsing: chain),
      encoding: try Encoding(resolving: EncodingSettings(), pathExtension: template.literalPathExtension))
  }

  func job(_ index: Int, _ source: ImageSource, _ outputs: [JobOutput]) -> Job {
    Job(index: index, sources: [source], outputs: outputs)
  }

  var out: String { directory["out"] }

  /// Runs jobs, each a group of its own unless they share a source.
  func run(
    _ jobs: [Job], rendering: some RenderingService = CountingRendering(),
    _ change: (inout BatchConfiguration) -> Void = { _ in }, stopAfter: Int? = nil,
    stopAt isEnd: @escaping @Sendable (BatchEvent) -> Bool = BatchFixture.isJobFinished
  ) async throws -> BatchSummary {
    try await run(
      items: JobGroup.grouping(jobs).map(BatchItem.group), rendering: rendering, change, stopAfter: stopAfter,
      stopAt: isEnd)
  }

  static let isJobFinished: @Sendable (BatchEvent) -> Bool = {
    if case .jobFinished = $0 { true } else { false }
  }

  /// - Parameter stopAfter: The batch is stopped at so many events of `isEnd`.
  func run(
    items: [BatchItem], rendering: some RenderingService = CountingRendering(),
    _ change: (inout BatchConfiguration) -> Void = { _ in }, stopAfter: Int? = nil,
    stopAt isEnd: @escaping @Sendable (BatchEvent) -> Bool = BatchFixture.isJobFinished
  ) async throws -> BatchSummary {
    var configuration = BatchConfiguration()
    configuration.outputPath = out
    change(&configuration)
    let downloader = ImageDownloader(store: store)
    events.change { $0 = [] }
    let running = Shared<Batch?>(nil)
    let ended = Shared(0)
    let batch = Batch(configuration, downloader: downloader, store: store, service: rendering) {
      [events] event in
      events.change { $0.append(event) }
      guard let stopAfter, isEnd(event) else { return }
      let count = ended.change { count in
        count += 1
        return count
      }
      if count == stopAfter { running.value?.stop() }
    }
    running.change { $0 = batch }
    let stream = AsyncStream<BatchItem> { continuation in
      for item in items { continuation.yield(item) }
      continuation.finish()
    }
    let summary = await batch.run(stream)
    running.change { $0 = nil }
    await downloader.shutDown()
    return summary
  }

  var results: [JobResult] {
    events.value.compactMap { if case .jobFinished(let result) = $0 { result } else { nil } }
  }

  var outputs: [OutputResult] {
    events.value.compactMap { if case .outputFinished(let result) = $0 { result } else { nil } }
  }

  var warnings: [BatchWarning] {
    events.value.compactMap { if case .warning(let warning) = $0 { warning } else { nil } }
  }

  /// What the events say, added up.
  func checkEvents(against summary: BatchSummary, sourceLocation: SourceLocation = #_sourceLocation) {
    let outputs = outputs
    func count(_ status: OutputResult.Status) -> Int { outputs.count { $0.status == status } }
    #expect(summary.outputs == outputs.count, sourceLocation: sourceLocation)
    #expect(summary.outputsWritten == count(.written), sourceLocation: sourceLocation)
    #expect(summary.outputsUnchanged == count(.unchanged), sourceLocation: sourceLocation)
    #expect(summary.outputsFromCache == count(.cached), sourceLocation: sourceLocation)
    #expect(summary.outputsKept == count(.kept), sourceLocation: sourceLocation)
    #expect(summary.outputsFailed == count(.failed), sourceLocation: sourceLocation)
    #expect(summary.jobsFailed == results.count { $0.failed }, sourceLocation: sourceLocation)
    #expect(summary.jobsDone == results.count { !$0.failed }, sourceLocation: sourceLocation)
    #expect(summary.jobs == results.count + summary.jobsNotStarted, sourceLocation: sourceLocation)
    let finishes = events.value.count { if case .finished = $0 { true } else { false } }
    #expect(finishes == 1, sourceLocation: sourceLocation)
    guard case .finished(let last)? = events.value.last else {
      Issue.record("the last event isn't the end", sourceLocation: sourceLocation)
      return
    }
    #expect(last == summary, sourceLocation: sourceLocation)
  }
}
