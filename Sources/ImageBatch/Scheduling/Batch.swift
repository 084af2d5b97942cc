import Curl
public import ImageCaches
public import ImageDownloads
import Synchronization
public import ImageRendering

/// Runs jobs. Downloads, rendering and writing overlap, each within its own slots. A bad image fails only its own job.
///
///     let batch = Batch(configuration, downloader: downloader, store: store) { event in print(event) }
///     let summary = await batch.run(items)
///
/// Call ``run(_:)`` once per batch.
public final class Batch: Sendable {
  let configuration: BatchConfiguration
  let downloader: ImageDownloader
  let store: DiskStore
  let rendering: any RenderingService
  let writer: OutputWriter
  let registry: OutputRegistry
  let backlog: RenderBacklog
  let remote: RemoteCache?
  /// Why there is no remote cache, although one is configured.
  private let remoteProblem: String?
  private let groupsInFlight = Atomic<Int>(0)
  let outputPaths: OutputPathRegistry
  let sources: SourceFiles
  let flights = SingleFlight<ContentDigest, StepGraph.RenderOutcome>()
  private let report: @Sendable (BatchEvent) async -> Void
  let onSource: (@Sendable (SourceRecord) -> Void)?
  private let tally = Mutex(SummaryBuilder())
  private let isStopping = Atomic<Bool>(false)
  private let input = ItemReader()
  /// The errors of jobs that need an output that failed.
  private let failedOutputs = Mutex<[OutputReference: JobError]>([:])
  /// Whether the downloader is this batch's own, and is shut down with it.
  private let endsDownloader: Bool
  private let observer: BatchObserver
  /// The run of ``results(of:)``.
  let running = Mutex<Task<BatchSummary, Never>?>(nil)
  /// Receives the results of jobs, for ``results(of:)``.
  private let onResult = Mutex<(@Sendable (JobResult) -> Void)?>(nil)

  /// Creates a batch. It starts nothing before ``run(_:)``.
  /// - Parameters:
  ///   - configuration: Limits, output directory and policies of the whole batch.
  ///   - downloader: Downloads the sources. The batch holds back transfers while too many sources wait for
  ///     rendering.
  ///   - store: Keeps sources, outputs and records between runs.
  ///   - rendering: Where images are rendered. Default: in this process, on a thread for each processor.
  ///   - onSource: Called with each source that was used. Default: nil.
  ///   - report: Called with each event. A job's events are in order. A slow `report` slows the batch down.
  public convenience init(
    _ configuration: BatchConfiguration, downloader: ImageDownloader, store: DiskStore,
    rendering: RenderingMode = .inProcess, onSource: (@Sendable (SourceRecord) -> Void)? = nil,
    report: @escaping @Sendable (BatchEvent) async -> Void
  ) {
    self.init(
      configuration, downloader: downloader, store: store, service: rendering.makeService(),
      onSource: onSource,
      report: report)
  }

  /// Creates a batch that renders with an existing service. ``run(_:)`` stops the service when it ends.
  package init(
    _ configuration: BatchConfiguration, downloader: ImageDownloader, store: DiskStore,
    service rendering: any RenderingService, endsDownloader: Bool = false,
    onSource: (@Sendable (SourceRecord) -> Void)? = nil,
    report: @escaping @Sendable (BatchEvent) async -> Void
  ) {
    self.onSource = onSource
    self.endsDownloader = endsDownloader
    observer = BatchObserver(logger: configuration.logger)
    self.configuration = configuration
    self.downloader = downloader
    self.store = store
    self.rendering = rendering
    self.report = report
    // No later run knows an ephemeral store.
    sources = SourceFiles(
      store: store, records: !store.isEphemeral,
      notesReplaced: configuration.knownJobs == nil && !configuration.replacing.allowsSources)
    sources.add(files: configuration.protectedFiles)
    registry = OutputRegistry(
      store: store, template: configuration.commandTemplate,
      remembersPaths: !configuration.prunedScopes.isEmpty)
    outputPaths = OutputPathRegistry(sources: sources, replacing: configuration.replacing)
    writer = OutputWriter(
      store: store, registry: registry, sources: sources, replacing: configuration.replacing,
      renditions: configuration.renditions, durability: configuration.durability,
      uploading: OutputWriter.Uploads(
        downloader: downloader, settings: ObjectPlaces.Settings(configuration),
        warn: { await report(.warning(BatchWarning(message: $0))) }))
    backlog = RenderBacklog(downloader: downloader, limit: configuration.backlogBytes)
    var (remote, problem): (RemoteCache?, String?) = (nil, nil)
    if let settings = configuration.remoteCache {
      do throws(CurlError) {
        remote = try RemoteCache(settings, store: store, writer: writer) {
          await report(.warning(BatchWarning(message: $0)))
        }
      } catch {
        problem = error.message
      }
    }
    (self.remote, remoteProblem) = (remote, problem)
  }

  /// Runs jobs as they arrive. Returns when all have ended, or, after ``stop()``, those in flight. The input is then
  /// cancelled, and the batch doesn't wait for its next item.
  ///
  /// Cancelling the calling task also ends the downloads and renderings in flight: their jobs fail with `cancelled`.
  /// - Parameter items: The jobs, read no further ahead than the configuration's window.
  /// - Returns: The totals, which are also the last event.
  public func run<Items: AsyncSequence & SendableMetatype>(_ items: sending Items) async -> BatchSummary
  where Items.Element == BatchItem, Items.Failure == Never, Items.AsyncIterator: SendableMetatype {
    await run(items, knownJobs: configuration.knownJobs, onResult: nil)
  }

  /// - Parameters:
  ///   - items: The jobs.
  ///   - knownJobs: The number of jobs, if it is known. Those that are never read count as not started.
  ///   - onResult: Called with the result of each job.
  func run<Items: AsyncSequence & SendableMetatype>(
    _ items: sending Items, knownJobs: Int?, onResult: (@Sendable (JobResult) -> Void)?
  ) async -> BatchSummary
  where Items.Element == BatchItem, Items.Failure == Never, Items.AsyncIterator: SendableMetatype {
    let start = ContinuousClock.now
    self.onResult.withLock { $0 = onResult }
    if let remoteProblem {
      await report(.warning(BatchWarning(message: "the remote cache isn't used: \(remoteProblem)")))
    }
    input.start(items)
    await withTaskCancellationHandler {
      await runAll()
    } onCancel: {
      input.stop()
      Task { await rendering.stop() }
    }
    await rendering.stop()
    await finishRemote()
    if let error = await writer.flush() { await report(.warning(BatchWarning(message: error.message))) }
    await prune()
    await writer.add(tally.withLock(\.savings))
    let summary = tally.withLock { tally in
      tally.summary(
        after: ContinuousClock.now - start, downloads: downloader.totals, knownJobs: knownJobs,
        isInputUnread: input.isUnfinished)
    }
    if endsDownloader {
      if !stops { await downloader.finishValidations(within: .seconds(5)) }
      await downloader.shutDown()
    }
    self.onResult.withLock { $0 = nil }
    await report(.finished(summary))
    return summary
  }

  private func finishRemote() async {
    guard let remote else { return }
    await remote.finish(isHurried: stops)
    tally.withLock { $0.count(remote.totals) }
  }

  private func runAll() async {
    await withTaskGroup(of: Void.self) { tasks in
      var inFlight = 0
      var level = 0
      while let item = await input.next() {
        let read: JobGroup
        switch item {
        case .group(let group): read = group
        case .unselected(let job):
          sources.protect(job.localFiles)
          continue
        case .rejected(let result):
          // It says what the user has: an output in this place would be as bad as over the source of a job.
          sources.protect(result.reads)
          await finish(result, of: nil)
          continue
        }
        // The sources of a higher level are outputs of lower ones, which must be complete.
        while inFlight == configuration.window || read.level > level && inFlight > 0 {
          await tasks.next()
          inFlight -= 1
        }
        level = max(level, read.level)
        // Register sources before any later group writes, so that no output overwrites one.
        let late = await add(read.jobs)
        // Asked after the waits, in which the run may have been stopped: `stop()` has cancelled the downloads of its time,
        // and nothing would cancel one that starts now.
        if stops {
          tally.withLock { $0.skip(read) }
          input.stop()
          break
        }
        guard let group = await startable(read, except: late) else { continue }
        inFlight += 1
        observer.record(inFlight: groupsInFlight.add(1, ordering: .relaxed).newValue)
        let scheduler = GroupScheduler(group, of: self)
        tasks.addTask(executorPreference: writer.threads) {
          await scheduler.run()
          self.observer.record(inFlight: self.groupsInFlight.subtract(1, ordering: .relaxed).newValue)
        }
      }
    }
  }

  /// The group without the jobs that need an output that failed: these fail too. An old file in the place of that output
  /// must not be taken for it.
  /// - Parameter late: The errors of jobs whose sources are lost, by the jobs' indices.
  private func startable(_ group: JobGroup, except late: [Int: JobError]) async -> JobGroup? {
    var result = group
    result.jobs = []
    for job in group.jobs {
      if let error = late[job.index] {
        await finish(JobResult(failing: job, error, seconds: 0), of: job)
        continue
      }
      let failed = failedOutputs.withLock { failed in job.needs.compactMap { failed[$0] }.first }
      if let failed {
        await finish(JobResult(failing: job, failed, seconds: 0), of: job)
      } else {
        result.jobs.append(job)
      }
    }
    return result.jobs.isEmpty ? nil : result
  }

  /// Takes in the local files and objects that jobs read.
  /// - Returns: The errors of jobs whose sources this run has replaced, by the jobs' indices: a stream's later sources
  ///   weren't known when its first outputs were written.
  private func add(_ jobs: [Job]) async -> [Int: JobError] {
    guard jobs.contains(where: { !$0.localFiles.isEmpty || !$0.objects.isEmpty }) else { return [:] }
    return await writer.blocking { [sources] in
      var errors: [Int: JobError] = [:]
      for job in jobs where job.needs.isEmpty {
        if let path = sources.replacedSource(of: job) { errors[job.index] = .sourceReplaced(path) }
      }
      sources.add(jobs)
      return errors
    }
  }

  /// Removes files that the manifests no longer make. After a failure, it isn't known which those are.
  private func prune() async {
    await writer.blocking { [registry, sources] in
      registry.flush()
      sources.flush()
    }
    guard !configuration.prunedScopes.isEmpty else { return }
    guard !stops, tally.withLock({ $0.failedJobs }) == 0 else {
      await report(.warning(BatchWarning(message: "nothing was pruned, because some jobs failed")))
      return
    }
    do throws(CacheError) {
      let stale = try await writer.blocking { [registry, configuration] () throws(CacheError) in
        try registry.stale(in: configuration.prunedScopes)
      }
      for (path, fate) in try await writer.remove(stale) {
        switch fate {
        case .gone: continue
        case .removed:
          tally.withLock { $0.removedOutputs += 1 }
          await report(.outputRemoved(path: path))
        case .kept(let reason):
          await report(.warning(BatchWarning(message: "\(path) is no longer made, but is kept: \(reason)")))
        }
      }
    } catch {
      await report(.warning(BatchWarning(message: error.message)))
    }
  }

  /// Starts no more jobs, transfers and renderings. Those in flight run to their end, and their outputs are written.
  ///
  /// A job that needs another transfer or rendering then counts as not started.
  public func stop() {
    isStopping.store(true, ordering: .relaxed)
    input.stop()
    downloader.cancelPending()
  }

  /// Whether no more jobs may start.
  var stops: Bool { isStopping.load(ordering: .relaxed) || Task.isCancelled }

  /// The number of threads per pipeline: more than one if there are fewer groups than rendering slots.
  var threadsPerRendering: Int {
    max(1, rendering.slots / max(1, groupsInFlight.load(ordering: .relaxed)))
  }

  // MARK: Events and totals

  func send(_ event: BatchEvent) async {
    observer.log(event)
    await report(event)
  }

  func count(_ response: RenderResponse) {
    observer.count(response)
    tally.withLock { $0.count(response) }
  }

  func count(_ source: StoredSource) { tally.withLock { $0.count(source) } }

  func count(found output: StoredOutput, isInPlace: Bool) {
    tally.withLock { $0.count(found: output, isInPlace: isInPlace) }
  }

  func countMerged(_ jobs: Int) { tally.withLock { $0.mergedJobs += jobs } }

  func skip(_ group: JobGroup) { tally.withLock { $0.skip(group) } }

  /// - Parameter job: The job; nil for a record that isn't one.
  func finish(_ result: JobResult, of job: Job?) async {
    observer.finish(result)
    let failures = tally.withLock { tally in
      tally.count(result)
      return tally.failedJobs
    }
    // Only of those that others need: a stream may have any number of failures.
    if let job, !job.neededOutputs.isEmpty {
      failedOutputs.withLock { failed in
        for output in result.outputs
        where output.status == .failed && job.neededOutputs.contains(output.outputIndex) {
          failed[OutputReference(job: result.index, output: output.outputIndex)] = .missing(output)
        }
      }
    }
    // Stop before reporting, which may be slow.
    if let limit = configuration.failureLimit, failures >= limit { stop() }
    for output in result.outputs { await report(.outputFinished(output)) }
    await report(.jobFinished(result))
    onResult.withLock(\.self)?(result)
  }
}
