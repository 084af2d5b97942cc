import Dispatch
import ImageBatch
import ImageCaches
import ImageDownloads
import Reports

/// What `run` and `pipe` have in common: a batch with its downloader, its workers, its reports and its signals.
struct BatchRun {
  var downloads: DownloadOptions
  var cache: CacheSettings
  var limits: LimitOptions
  var batch: BatchSettings
  var origins: [String: OriginSettings] = [:]
  /// Hosts of sources that were typed as arguments: their networks may be reached.
  var typedHosts: [String] = []
  var outputDirectory: String
  var allowsOutside: Bool
  /// Whether markup shows placeholders.
  var wantsPlaceholders = false
  /// How many jobs there are, where that is known.
  var knownJobs: Int?
  /// The scopes of which files that are no longer made are removed.
  var prunedScopes: [OutputScope] = []
  /// The template of `-o`.
  var commandTemplate = ""
  /// What an output may replace.
  var replacing = ReplacementPolicy()
  /// Told of every event, in order, from one place.
  var reporting: Reporting

  /// Refuses outputs that would take a source's place, before anything starts.
  var refuseOverwrites: @Sendable (DiskStore) throws -> Void = { _ in }

  /// Runs the jobs to their end; the process's exit status.
  /// - Parameter recorder: takes in sources and outputs for a lock file.
  func run<Items: AsyncSequence & Sendable>(
    _ items: Items, recorder: LockRecorder? = nil
  ) async throws -> ExitStatus
  where Items.Element == BatchItem, Items.Failure == Never {
    let reporting = reporting
    let session = try Session(
      downloads: downloads, cache: cache, limits: limits, origins: origins, typedHosts: typedHosts
    ) { event in
      if let event = BatchEvent(event) { reporting.note(event) }
    }
    try refuseOverwrites(session.store)
    let pool = WorkerPool(
      WorkerPool.Configuration(
        slots: batch.slots, timeout: batch.jobTimeout, memory: limits.totalMemory))
    var onSource: (@Sendable (SourceRecord) -> Void)?
    if let recorder { onSource = { recorder.note($0) } }
    let run = Batch(
      configuration, downloader: session.downloader, store: session.store, rendering: pool,
      onSource: onSource
    ) { event in
      if case .outputFinished(let result) = event { recorder?.note(result) }
      await reporting.receive(event)
    }
    reporting.onReaderGone { run.stop() }
    let task = Task { await run.run(items) }
    let signals = Signals {
      task.cancel()
      session.downloader.cancelAll()
      Task { await pool.stop() }
    }
    let summary = await task.value
    await pool.stop()
    await session.end()
    try reporting.finish()
    if let status = signals.exitStatus { return status }
    // Nobody wanted the rest.
    if reporting.hasLostReader { return summary.outputsFailed == 0 ? .success : .failed }
    return ExitStatus(summary)
  }

  private var configuration: BatchConfiguration {
    var configuration = BatchConfiguration()
    configuration.outputDirectory = outputDirectory
    configuration.allowsOutside = allowsOutside
    configuration.limits = limits.limits(slots: 1)
    configuration.onCorrupt = limits.corruptPolicy
    configuration.force = batch.force
    configuration.knownJobs = knownJobs
    configuration.prunedScopes = prunedScopes
    configuration.commandTemplate = commandTemplate
    configuration.replacing = replacing
    configuration.renditions = cache.isEphemeral ? .never : batch.renditions
    configuration.wantsPlaceholders =
      batch.placeholders || wantsPlaceholders || batch.reports.contains { $0.lowercased().hasSuffix(".html") }
    configuration.failureLimit = batch.failureLimit
    return configuration
  }
}

extension BatchEvent {
  /// What a batch's listeners are told of a download; nil for what they aren't.
  init?(_ event: DownloadEvent) {
    switch event {
    case .started(let id, let source, let host): self = .downloadStarted(id: id, source: source, host: host)
    case .progressed(let id, let received, let expected):
      self = .downloadProgressed(id: id, received: received, expected: expected)
    case .finished(let id, _, let bytes, let error):
      self = .downloadFinished(id: id, bytes: bytes, failed: error != nil)
    case .warning(let source, let message):
      self = .warning(BatchWarning(source: source, message: message))
    case .retrying(let source, let seconds, let error):
      let fact = "trying again in \((seconds * 10).rounded() / 10) s"
      self = .warning(
        BatchWarning(source: source, message: "\(fact): \(error.message)", error: JobError(error)))
    case .hostPaused(let host, let seconds):
      self = .warning(BatchWarning(message: "\(host) is left alone for \((seconds * 10).rounded() / 10) s"))
    }
  }
}
