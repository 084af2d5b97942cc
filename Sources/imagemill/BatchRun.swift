import Dispatch
import ImageBatch
import ImageCaches
import ImageDownloads
import Reports
import ImageRendering

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
  var durability = Durability.fast
  /// Receives every event, in order.
  var reporting: Reporting

  /// Throws if an output would overwrite a source; called before anything starts.
  var refuseOverwrites: @Sendable (DiskStore) throws -> Void = { _ in }

  /// What came of a batch.
  struct Outcome {
    /// The process's exit status.
    let status: ExitStatus
    /// Whether every job was started: not so after a signal, too many failures, or a reader that left.
    let isWhole: Bool
  }

  /// Runs the jobs to their end.
  /// - Parameter recorder: Collects sources and outputs for a lock file.
  /// - Throws: `CommandError` if the cache can't be opened or an option is wrong.
  func run<Items: AsyncSequence & Sendable>(
    _ items: Items, recorder: LockRecorder? = nil
  ) async throws -> Outcome
  where Items.Element == BatchItem, Items.Failure == Never {
    let reporting = reporting
    let services = try CommandServices(
      downloads: downloads, cache: cache, limits: limits, origins: origins, typedHosts: typedHosts
    ) { event in
      if let event = BatchEvent(event) { reporting.note(event) }
    }
    try refuseOverwrites(services.store)
    let workers = WorkerConfiguration(
      slots: batch.slots, timeout: batch.jobTimeout, memory: limits.totalMemory)
    var onSource: (@Sendable (SourceRecord) -> Void)?
    if let recorder { onSource = { recorder.note($0) } }
    let run = Batch(
      configuration, downloader: services.downloader, store: services.store,
      rendering: .workerProcesses(workers), onSource: onSource
    ) { event in
      if case .outputFinished(let result) = event { recorder?.note(result) }
      await reporting.receive(event)
    }
    reporting.onReaderGone { run.stop() }
    let signals = Signals()
    let task = Task { await run.run(items) }
    signals.onFirst {
      task.cancel()
      services.downloader.cancelAll()
    }
    let summary = await task.value
    await services.end()
    let isReported = reporting.finish()
    if let status = signals.exitStatus { return Outcome(status: status, isWhole: false) }
    // The reader closed its end, so the jobs that were not started are no failure.
    let isCut = reporting.hasLostReader && summary.outputsFailed == 0
    return Outcome(
      status: !isReported ? .failed : isCut ? .success : ExitStatus(summary),
      isWhole: summary.jobsNotStarted == 0)
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
    configuration.durability = durability
    configuration.renditions = cache.isEphemeral ? .never : batch.renditions
    configuration.wantsPlaceholders = batch.showsPlaceholders || wantsPlaceholders
    configuration.failureLimit = batch.failureLimit
    return configuration
  }
}

extension BatchEvent {
  /// Seconds with one decimal.
  private static func tenths(_ duration: Duration) -> Double {
    (duration / .milliseconds(100)).rounded() / 10
  }

  /// The batch event for a download event; nil for events that aren't reported.
  init?(_ event: DownloadEvent) {
    switch event {
    case .started(let id, let source, let host): self = .downloadStarted(id: id, source: source, host: host)
    case .progressed(let id, let received, let expected):
      self = .downloadProgressed(id: id, received: received, expected: expected)
    case .finished(let id, _, let bytes, let error):
      self = .downloadFinished(id: id, bytes: bytes, failed: error != nil)
    case .warning(let source, let message):
      self = .warning(BatchWarning(source: source, message: message))
    case .retrying(let source, let wait, let error):
      let fact = "retrying in \(Self.tenths(wait)) s"
      self = .warning(
        BatchWarning(source: source, message: "\(fact): \(error.message)", error: JobError(error)))
    case .hostPaused(let host, let pause):
      self = .warning(BatchWarning(message: "no requests to \(host) for \(Self.tenths(pause)) s"))
    }
  }
}
