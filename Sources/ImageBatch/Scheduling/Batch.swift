public import ImageCaches
public import ImageDownloads
import Synchronization

/// Runs jobs: downloads, rendering and writing overlap, each within its own slots, and one bad image costs one job.
///
///     let batch = Batch(configuration, downloader: downloader, store: store, rendering: pool) { event in … }
///     let summary = await batch.run(items)
///
/// A batch is run once.
public final class Batch: Sendable {
  let configuration: BatchConfiguration
  let downloader: ImageDownloader
  let store: DiskStore
  let rendering: any RenderingService
  let writer: OutputWriter
  let ledger: OutputLedger
  let backlog: RenderBacklog
  private let groupsInFlight = Atomic<Int>(0)
  let claims: OutputClaims
  let sources: SourceFiles
  let flights = SingleFlight<ContentDigest, StepGraph.Landing>()
  private let report: @Sendable (BatchEvent) async -> Void
  /// Told what every source was.
  let onSource: (@Sendable (SourceRecord) -> Void)?
  private let tally = Mutex(BatchTally())
  private let isStopping = Atomic<Bool>(false)

  /// A batch whose events go to `report`, in the order of each job; a report that takes its time holds the batch
  /// back.
  public init(
    _ configuration: BatchConfiguration, downloader: ImageDownloader, store: DiskStore,
    rendering: any RenderingService, onSource: (@Sendable (SourceRecord) -> Void)? = nil,
    report: @escaping @Sendable (BatchEvent) async -> Void
  ) {
    self.onSource = onSource
    self.configuration = configuration
    self.downloader = downloader
    self.store = store
    self.rendering = rendering
    self.report = report
    sources = SourceFiles(store: store)
    ledger = OutputLedger(
      store: store, template: configuration.commandTemplate,
      remembersPaths: !configuration.prunedScopes.isEmpty)
    claims = OutputClaims(sources: sources, replacing: configuration.replacing)
    writer = OutputWriter(
      store: store, ledger: ledger, sources: sources, replacing: configuration.replacing,
      renditions: configuration.renditions)
    backlog = RenderBacklog(downloader: downloader, limit: configuration.backlogBytes)
  }

  /// Runs the jobs as they come. Returns when the last of them has ended, or what was in flight after ``stop()``.
  public func run<Items: AsyncSequence>(_ items: Items) async -> BatchSummary
  where Items.Element == BatchItem, Items.Failure == Never {
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { tasks in
      var inFlight = 0
      for await item in items {
        guard case .group(let group) = item else {
          if case .rejected(let result) = item { await finish(result) }
          continue
        }
        if stops {
          // What is still to come isn't read: it may have no end.
          tally.withLock { $0.skip(group) }
          break
        }
        if inFlight == configuration.window {
          await tasks.next()
          inFlight -= 1
        }
        inFlight += 1
        groupsInFlight.add(1, ordering: .relaxed)
        // Before anything of a later group is written: sources are known as soon as they are named.
        sources.add(group.jobs)
        let scheduler = GroupScheduler(group, of: self)
        tasks.addTask {
          await scheduler.run()
          self.groupsInFlight.subtract(1, ordering: .relaxed)
        }
      }
    }
    if let error = await writer.flush() { await report(.warning(BatchWarning(message: error.message))) }
    await prune()
    await writer.add(tally.withLock(\.savings))
    let summary = tally.withLock { tally in
      tally.summary(
        after: ContinuousClock.now - start, downloads: downloader.totals, knownJobs: configuration.knownJobs)
    }
    await report(.finished(summary))
    return summary
  }

  /// Removes what the manifests no longer make. After a failure that is not known.
  private func prune() async {
    ledger.flush()
    sources.flush()
    guard !configuration.prunedScopes.isEmpty else { return }
    guard !stops, tally.withLock({ $0.failedJobs }) == 0 else {
      await report(.warning(BatchWarning(message: "nothing was pruned, because not every job succeeded")))
      return
    }
    do throws(CacheError) {
      let stale = try ledger.stale(in: configuration.prunedScopes)
      for (path, fate) in try await writer.remove(stale) {
        switch fate {
        case .gone: continue
        case .removed:
          tally.withLock { $0.removedOutputs += 1 }
          await report(.outputRemoved(path: path))
        case .kept(let reason):
          await report(.warning(BatchWarning(message: "\(path) is no longer made, but stays: \(reason)")))
        }
      }
    } catch {
      await report(.warning(BatchWarning(message: error.message)))
    }
  }

  /// Starts no more jobs; those in flight end as they would.
  public func stop() {
    isStopping.store(true, ordering: .relaxed)
    downloader.cancelPending()
  }

  /// Whether no more jobs are to be started.
  var stops: Bool { isStopping.load(ordering: .relaxed) || Task.isCancelled }

  /// How many threads one pipeline may use: several where there are fewer groups than rendering slots.
  var threadsPerRendering: Int {
    max(1, rendering.slots / max(1, groupsInFlight.load(ordering: .relaxed)))
  }

  // MARK: What happened

  func send(_ event: BatchEvent) async { await report(event) }

  func count(_ response: RenderResponse) { tally.withLock { $0.count(response) } }

  func count(_ source: StoredSource) { tally.withLock { $0.count(source) } }

  func count(found output: StoredOutput, isInPlace: Bool) {
    tally.withLock { $0.count(found: output, isInPlace: isInPlace) }
  }

  func countMerged(_ jobs: Int) { tally.withLock { $0.mergedJobs += jobs } }

  func skip(_ group: JobGroup) { tally.withLock { $0.skip(group) } }

  func finish(_ result: JobResult) async {
    let failures = tally.withLock { tally in
      tally.count(result)
      return tally.failedJobs
    }
    // Before anyone is told, which may take its time.
    if let limit = configuration.failureLimit, failures >= limit { stop() }
    for output in result.outputs { await report(.outputFinished(output)) }
    await report(.jobFinished(result))
  }
}
