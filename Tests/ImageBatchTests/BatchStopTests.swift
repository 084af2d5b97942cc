import ImageCaches
import ImageDownloads
import ImageFilters
import LoopbackServer
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageRendering

@Suite("A batch that is stopped", .timeLimit(.minutes(8)))
struct BatchStopTests {
  /// What a job downloads one after the other.
  enum Sequence: String, CaseIterable, Sendable {
    case alternatives, overlays
  }

  private func job(_ sequence: Sequence, _ server: LoopbackServer) throws -> Job {
    let urls = try (1...4).map { try ImageSource(parsing: server.url("/\($0).png")) }
    let chain = sequence == .overlays ? "overlay:a,overlay:b,overlay:c" : ""
    var output = JobOutput(
      template: try OutputTemplate(parsing: "out.png"), chain: try FilterChain(parsing: chain),
      encoding: .png())
    output.namedSources = ["a": urls[1], "b": urls[2], "c": urls[3]]
    let first = sequence == .overlays ? [urls[0]] : urls
    return Job(index: 1, sources: first, outputs: [output])
  }

  @Test(
    "requests nothing more, in whatever transfer it is stopped",
    arguments: Sequence.allCases, [1, 2, 3])
  func noMoreRequests(sequence: Sequence, last: Int) async throws {
    let running = Shared<Batch?>(nil)
    let server = try LoopbackServer { request in
      let number = Int(request.path.filter(\.isNumber)) ?? 0
      if number == last { running.value?.stop() }
      // An alternative is needed if the one before it fails.
      return sequence == .alternatives
        ? .notFound : Page(PNGImage.bytes(width: 8, height: 8, seed: number), type: "image/png")
    }
    let store = try DiskStore.ephemeral()
    var settings = ImageDownloader.Configuration()
    _ = settings.addressPolicy.allow("loopback")
    let downloader = ImageDownloader(configuration: settings, store: store)
    var configuration = BatchConfiguration()
    configuration.outputPath = store.directory + "/out"
    let batch = Batch(
      configuration, downloader: downloader, store: store, service: ThreadRendering()
    ) { _ in }
    running.change { $0 = batch }
    let item = BatchItem.group(JobGroup(try job(sequence, server)))
    let summary = await batch.run(
      AsyncStream<BatchItem> { continuation in
        continuation.yield(item)
        continuation.finish()
      })
    running.change { $0 = nil }
    #expect(server.requests.map(\.path) == (1...last).map { "/\($0).png" })
    #expect(summary.jobsNotStarted == 1 && summary.jobsFailed == 0)
    await downloader.shutDown()
  }

  @Test("writes what it is rendering, and renders nothing more")
  func renderingInFlight() async throws {
    let fixture = try BatchFixture()
    let jobs = try (1...5).map { index in
      fixture.job(
        index, try fixture.image("in/\(index).png", seed: index), [try fixture.output("\(index).png")])
    }
    let rendering = BatchFixture.CountingRendering(slots: 1)
    let summary = try await fixture.run(
      jobs, rendering: rendering, { $0.knownJobs = 5 }, stopAfter: 1,
      stopAt: { event in
        if case .renderingStarted = event { true } else { false }
      })
    fixture.checkEvents(against: summary)
    #expect(summary.outputsWritten == 1 && summary.jobsDone == 1)
    #expect(summary.jobsFailed == 0 && summary.jobsNotStarted == 4)
    #expect(rendering.sources.value.count == 1)
    #expect(fixture.directory.names.count { $0.hasPrefix("out/") } == 1)
  }

  @Test("ends although its input has neither an item nor an end", arguments: ["stop", "failures", "cancel"])
  func waitingInput(end: String) async throws {
    let fixture = try BatchFixture()
    let job = fixture.job(1, .file(fixture.directory["none.png"]), [try fixture.output("1.png")])
    var configuration = BatchConfiguration()
    configuration.outputPath = fixture.out
    if end == "failures" { configuration.failureLimit = 1 }
    let finished = Gate()
    let batch = Batch(
      configuration, downloader: ImageDownloader(store: fixture.store), store: fixture.store,
      service: BatchFixture.CountingRendering()
    ) { event in
      if case .jobFinished = event { finished.open() }
    }
    let (items, input) = AsyncStream.makeStream(of: BatchItem.self)
    let isCancelled = Gate()
    input.onTermination = { _ in isCancelled.open() }
    input.yield(.group(JobGroup(job)))
    let task = Task { await batch.run(items) }
    await finished.passed()
    if end == "stop" { batch.stop() }
    if end == "cancel" { task.cancel() }
    let summary = await task.value
    #expect(summary.jobsFailed == 1 && summary.jobs == 1)
    #expect(summary.isInputUnread && !summary.isWhole)
    await isCancelled.passed()
  }
}
