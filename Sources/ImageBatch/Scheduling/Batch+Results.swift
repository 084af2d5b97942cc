public import struct FoundationEssentials.URL
public import ImageCaches
public import ImageDownloads
public import ImageRendering
import Synchronization
import SystemIO

extension Batch {
  /// Creates a batch with a disk cache and a downloader of its own.
  /// - Parameters:
  ///   - configuration: Limits, places and policies of the whole batch.
  ///   - cacheDirectory: The disk cache, which several batches, pipelines and processes may use at once.
  ///   - downloads: The downloader's settings.
  ///   - rendering: Where images are rendered.
  /// - Throws: `CacheError` if the directory can't be created or used.
  public convenience init(
    _ configuration: BatchConfiguration = BatchConfiguration(), cacheDirectory: URL,
    downloads: ImageDownloader.Configuration = ImageDownloader.Configuration(),
    rendering: RenderingMode = .inProcess
  ) throws(CacheError) {
    let store = try DiskStore(directory: cacheDirectory)
    var downloads = downloads
    downloads.logger = downloads.logger ?? configuration.logger
    downloads.start = SystemTime.now
    self.init(
      configuration, downloader: ImageDownloader(configuration: downloads, store: store), store: store,
      service: rendering.makeService(), endsDownloader: true
    ) { _ in }
  }

  /// Runs jobs, and returns each result when its job has ended, in any order.
  ///
  ///     for await result in batch.results(of: jobs) {
  ///       print(result.source, result.failed ? "failed" : "done")
  ///     }
  ///
  /// The batch starts now. Leaving the loop, or cancelling its task, cancels the batch with what is in flight; the jobs
  /// that haven't ended have no result. ``summary`` waits for the end. Jobs with the same source share its download and
  /// decoding. Results that aren't read yet are kept in memory.
  ///
  /// Call this or ``run(_:)`` once per batch. The jobs are read
  /// completely before the first one starts; for an endless stream, use ``run(_:)``.
  /// - Parameter jobs: The jobs. Those with the index 0 are numbered by their position.
  /// - Returns: A result for each job, in the order in which the jobs end.
  public func results(of jobs: some Sequence<Job>) -> AsyncStream<JobResult> {
    let jobs = jobs.enumerated().map { position, job in
      var job = job
      if job.index == 0 { job.index = position + 1 }
      return job
    }
    let (stream, continuation) = AsyncStream.makeStream(of: JobResult.self)
    var valid: [Job] = []
    let (items, input) = AsyncStream.makeStream(of: BatchItem.self)
    for job in jobs {
      do throws(JobError) {
        try job.checkArguments(inProcess: !(rendering is WorkerPool))
        valid.append(job)
      } catch {
        input.yield(.rejected(JobResult(failing: job, error, seconds: 0)))
      }
    }
    for group in JobGroup.grouping(valid) { input.yield(.group(group)) }
    input.finish()
    let task = Task {
      let summary = await run(items, knownJobs: jobs.count) { continuation.yield($0) }
      continuation.finish()
      return summary
    }
    running.withLock { $0 = task }
    // Also when the loop is left: the stream has no reader then.
    continuation.onTermination = { reason in
      if case .cancelled = reason { task.cancel() }
    }
    return stream
  }

  /// The totals of ``results(of:)``, when the run has ended. After a loop that was left, wait for it before using the
  /// outputs: renderings and files in flight end first. Zero if there was no run.
  public var summary: BatchSummary {
    get async { await running.withLock(\.self)?.value ?? BatchSummary() }
  }
}
