import Curl
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageRendering
import Reports
import Synchronization
import SystemIO
import Vips

/// A batch with its downloader, workers, reports and signal handlers, for `run`, `pipe` and `convert -o`.
struct BatchRun {
  var downloads: DownloadOptions
  var cache: CacheSettings
  var limits: LimitOptions
  var batch: BatchSettings
  var origins: [String: OriginSettings] = [:]
  /// Hosts of sources that were typed as arguments; their networks are allowed.
  var typedHosts: [String] = []
  var outputDirectory: String
  var allowsOutside: Bool
  /// Whether markup shows placeholders.
  var wantsPlaceholders = false
  /// The number of jobs, if known.
  var knownJobs: Int?
  /// The scopes in which files that are no longer made are removed.
  var prunedScopes: [OutputScope] = []
  /// The template of `-o`.
  var commandTemplate = ""
  /// The files that an output may replace.
  var replacing = ReplacementPolicy()
  /// Files that no output may replace, besides the jobs' sources.
  var protectedFiles: [String] = []
  var durability = Durability.fast
  /// Fields of the objects that outputs are uploaded to.
  var objectFields: [HeaderField] = []
  /// The sources of a lock file, which refuse other bytes.
  var frozen: FrozenSources?
  /// A cache of outputs on another machine.
  var remoteCache: RemoteCacheConfiguration?
  /// Receives every event, in order.
  var reporting: Reporting

  /// Throws if an output would overwrite a source; called before anything starts.
  var refusePlaces: @Sendable (DiskStore) throws -> Void = { _ in }

  /// What came of a batch.
  struct Outcome {
    /// The process's exit status.
    let status: ExitStatus
    /// The same, except that failures which were reported are none.
    let statusOfReporting: ExitStatus
    /// Whether every job was started: not so after a signal, too many failures, or a reader that left.
    let isWhole: Bool
  }

  /// Runs the jobs to their end.
  /// - Parameter recorder: Collects sources and outputs for a lock file.
  /// - Throws: `CommandError` if the cache can't be opened or an option is wrong.
  func run<Items: AsyncSequence & Sendable>(
    _ items: Items, recorder: LockRecorder? = nil
  ) async throws -> Outcome
  where Items.Element == BatchItem, Items.Failure == Never, Items.AsyncIterator: SendableMetatype {
    let reporting = reporting
    let isOver = Atomic(false)
    let (summary, signalled) = try await CommandServices.with(
      downloads: downloads, cache: cache, limits: limits, origins: origins, typedHosts: typedHosts,
      requestsOnce: true, endsOnSignal: false,
      report: { event in
        // The totals are printed: what is validated after them isn't part of the run.
        if !isOver.load(ordering: .relaxed), let event = BatchEvent(event) { reporting.note(event) }
      }
    ) { services in
      try refusePlaces(services.store)
      let summary = await perform(items, services, recorder)
      isOver.store(true, ordering: .relaxed)
      return (summary, services.signals.exitStatus)
    }
    let isReported = reporting.finish()
    if let status = signalled {
      return Outcome(status: status, statusOfReporting: status, isWhole: false)
    }
    // The reader closed its end, so the jobs that were not started are no failure.
    let isCut = reporting.hasLostReader && summary.outputsFailed == 0
    return Outcome(
      status: !isReported ? .failed : isCut ? .success : ExitStatus(summary),
      statusOfReporting: isReported && !reporting.hasLostReader && summary.isWhole
        ? .success : .failed,
      isWhole: summary.isWhole)
  }

  /// Runs the jobs until they end or a signal stops them.
  private func perform<Items: AsyncSequence & Sendable>(
    _ items: Items, _ services: CommandServices, _ recorder: LockRecorder?
  ) async -> BatchSummary
  where Items.Element == BatchItem, Items.Failure == Never, Items.AsyncIterator: SendableMetatype {
    let reporting = reporting
    let workers = await workers()
    var onSource: (@Sendable (SourceRecord) -> Void)?
    var configuration = configuration
    if let recorder {
      onSource = { recorder.note($0) }
      configuration.onArrival = { recorder.note(arrival: $0) }
    }
    let run = Batch(
      configuration, downloader: services.downloader, store: services.store,
      rendering: .workerProcesses(workers), onSource: onSource
    ) { event in
      if case .outputFinished(let result) = event { recorder?.note(result) }
      await reporting.receive(event)
    }
    reporting.onReaderGone { run.stop() }
    let task = Task { await run.run(items) }
    services.signals.onFirst {
      task.cancel()
      services.downloader.cancelAll()
    }
    // Tasks of all sizes begin and end, and what is free between them would grow with the number of jobs.
    let trimming = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(10))
        ProcessMemory.trim()
      }
    }
    defer { trimming.cancel() }
    return await task.value
  }

  /// The workers that the process's limits allow.
  private func workers() async -> WorkerConfiguration {
    var workers = WorkerConfiguration(
      slots: batch.slots, timeout: batch.jobTimeout, memory: limits.totalMemory, sandbox: batch.sandbox)
    guard let limit = OpenFileLimit.current else { return workers }
    workers.fit(intoDescriptors: limit.soft)
    if workers.slots < batch.slots {
      let message =
        "\(workers.slots) rendering slots instead of \(batch.slots), because only \(limit.soft) files may be open; "
        + "raise the limit with 'ulimit -n', or set --jobs"
      await reporting.receive(.warning(BatchWarning(message: message)))
    }
    return workers
  }

  private var configuration: BatchConfiguration {
    var configuration = BatchConfiguration()
    configuration.outputPath = outputDirectory
    configuration.allowsOutside = allowsOutside
    configuration.limits = limits.limits(slots: 1)
    configuration.onCorrupt = limits.corruptPolicy
    configuration.force = batch.force
    configuration.knownJobs = knownJobs
    configuration.prunedScopes = prunedScopes
    configuration.commandTemplate = commandTemplate
    configuration.replacing = replacing
    configuration.protectedFiles = protectedFiles
    configuration.durability = durability
    configuration.objectFields = objectFields
    configuration.renditions = cache.isEphemeral ? .never : batch.renditions
    configuration.wantsPlaceholders = batch.showsPlaceholders || wantsPlaceholders
    configuration.frozen = frozen
    configuration.failureLimit = batch.failureLimit
    configuration.remoteCache = remoteCache
    return configuration
  }
}
