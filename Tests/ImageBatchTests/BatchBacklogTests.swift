import ImageCaches
import ImageDownloads
import ImageFilters
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageRendering

@Suite("What is downloaded and not yet rendered", .timeLimit(.minutes(8)))
struct BatchBacklogTests {
  /// Renders nothing until its gate is open.
  private final class GatedRendering: RenderingService {
    let gate = Gate()
    let slots = 1
    let limitsIdentifier = ""
    private let inner = ThreadRendering()

    func render(
      _ prepare: @Sendable () async -> RenderRequest?, onStart: @Sendable (Int) async -> Bool,
      onEnd: @Sendable (Int) async -> Void, afterwards: @Sendable () async -> Void
    ) async -> RenderResponse? {
      await gate.passed()
      return await inner.render(prepare, onStart: onStart, onEnd: onEnd, afterwards: afterwards)
    }

    func startAhead() async {}

    func stop() async { await inner.stop() }
  }

  @Test("is bounded: transfers wait until something has been rendered, and all end well")
  func bounded() async throws {
    let size = PNGImage.bytes(width: 64, height: 64).count
    let arrivals = Shared(0)
    let others = Gate()
    let server = try LoopbackServer { request in
      let count = arrivals.change { count in
        count += 1
        return count
      }
      let seed = Int(request.path.filter(\.isNumber)) ?? 0
      // Four sources are more than the limit. The others wait until the batch has noticed, however busy the machine is.
      return Page(
        PNGImage.bytes(width: 64, height: 64, seed: seed), type: "image/png", gate: count > 4 ? others : nil)
    }
    let store = try DiskStore.ephemeral()
    var settings = ImageDownloader.Configuration()
    settings.activeDownloads = 2
    _ = settings.addressPolicy.allow("loopback")
    let downloader = ImageDownloader(configuration: settings, store: store)
    let rendering = GatedRendering()
    var configuration = BatchConfiguration()
    configuration.outputPath = store.directory + "/out"
    configuration.backlogBytes = size * 3
    let jobs = try (0..<40).map { number in
      Job(
        index: number + 1, sources: [try ImageSource(parsing: server.url("/\(number).png"))],
        outputs: [
          JobOutput(
            template: try OutputTemplate(parsing: "\(number).png"), chain: FilterChain(),
            encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
        ])
    }
    let batch = Batch(configuration, downloader: downloader, store: store, service: rendering) { _ in }
    let items = AsyncStream<BatchItem> { continuation in
      for job in jobs { continuation.yield(.group(JobGroup(job))) }
      continuation.finish()
    }
    async let summary = batch.run(items)
    while !downloader.holdsNewTransfers { try await Task.sleep(for: .milliseconds(2)) }
    others.open()
    // What was on its way by then comes too; the rest is in the queue.
    while downloader.activeCount > downloader.queuedCount { try await Task.sleep(for: .milliseconds(2)) }
    #expect(server.requests.count <= 4 + settings.activeDownloads)
    rendering.gate.open()
    #expect(await summary.outputsWritten == 40)
    #expect(!downloader.holdsNewTransfers)
    #expect(server.requests.count == 40)
    await downloader.shutDown()
  }
}
