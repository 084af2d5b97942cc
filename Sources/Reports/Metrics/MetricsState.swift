import ImageBatch
import ImageRendering

/// Turns a batch's events into metrics for a monitoring system.
struct MetricsState {
  /// The number of rendering slots.
  let workers: Int
  let version: String
  /// The start of the run in seconds since 1970.
  let start: Double

  private var jobsKnown: Int?
  private var jobsRead = 0
  private var jobsDone = 0
  private var jobsFailed = 0
  private var outputs: [OutputResult.Status: Int] = [:]
  private var outputBytes = 0
  private var failures: [Failure: Int] = [:]
  private var downloadsDone = 0
  private var downloadsFailed = 0
  private var downloadedBytes = 0
  /// The start and the received bytes of each active download, by its ID.
  private var downloads: [Int: (start: Double, received: Int)] = [:]
  /// The start of each active rendering, by slot.
  private var renderings: [Int: Double] = [:]
  private var renders = 0
  private var downloadTimes = Histogram()
  private var renderTimes = Histogram()
  private var outputTimes = Histogram()
  private var summary: BatchSummary?

  private struct Failure: Hashable {
    var code: String
    var stage: String
  }

  init(workers: Int, version: String, start: Double) {
    self.workers = workers
    self.version = version
    self.start = start
  }

  /// Adds jobs that have been read.
  mutating func queue(_ jobs: Int) { jobsRead += jobs }

  /// Counts an event that occurred `seconds` after the start.
  mutating func apply(_ event: BatchEvent, at seconds: Double) {
    switch event {
    case .jobsCounted(let count): jobsKnown = count
    case .warning, .outputRemoved: break
    case .downloadStarted(let id, _, _): downloads[id] = (seconds, 0)
    case .downloadProgressed(let id, let received, _):
      // A retry starts again from 0 bytes. The bytes of the first attempt still count as received.
      downloadedBytes += max(0, received - (downloads[id]?.received ?? received))
      downloads[id]?.received = received
    case .downloadFinished(let id, let bytes, let failed, _):
      if failed { downloadsFailed += 1 } else { downloadsDone += 1 }
      guard let download = downloads.removeValue(forKey: id) else { break }
      downloadedBytes += max(0, bytes - download.received)
      downloadTimes.add(seconds - download.start)
    case .renderingStarted(let slot, _, _): renderings[slot] = seconds
    case .renderingFinished(let slot):
      guard let start = renderings.removeValue(forKey: slot) else { break }
      renders += 1
      renderTimes.add(seconds - start)
    case .outputFinished(let result):
      outputs[result.status, default: 0] += 1
      outputTimes.add(result.seconds)
      if result.status == .written || result.status == .cached { outputBytes += result.bytes ?? 0 }
      guard let error = result.error else { break }
      failures[Failure(code: error.code.rawValue, stage: error.stage.rawValue), default: 0] += 1
    case .jobFinished(let job):
      if job.failed { jobsFailed += 1 } else { jobsDone += 1 }
    case .finished(let summary): self.summary = summary
    }
  }

  /// All metrics, `seconds` after the start.
  func exposition(at seconds: Double) -> [UInt8] {
    var text = Exposition()
    text.gauge("info", "The version of imagemill.", [(["version": version], 1)])
    text.gauge("start_time_seconds", "Start of the run in seconds since 1970.", start)
    text.gauge("run_seconds", "Duration of the run so far in seconds.", summary?.seconds ?? seconds)
    text.gauge("run_finished", "1 if the run has finished, otherwise 0.", summary == nil ? 0 : 1)
    jobs(in: &text)
    downloads(in: &text)
    rendering(in: &text)
    text.counter(
      "outputs_total", "Finished outputs by status.",
      [.written, .unchanged, .cached, .kept, .failed].map { (["status": $0.rawValue], outputs[$0] ?? 0) })
    text.counter(
      "output_bytes_total", "Bytes of outputs that were written or restored from the cache.", outputBytes)
    text.histogram(
      "output_duration_seconds", "Time from the start of a job to the end of an output.", outputTimes)
    text.counter(
      "failures_total", "Failed outputs by error code and stage.",
      failures.sorted { ($0.key.code, $0.key.stage) < ($1.key.code, $1.key.stage) }.map {
        (["code": $0.key.code, "stage": $0.key.stage], $0.value)
      })
    hits(in: &text)
    return text.bytes
  }

  private func jobs(in text: inout Exposition) {
    text.counter(
      "jobs_total", "Finished jobs by result.",
      [(["result": "done"], jobsDone), (["result": "failed"], jobsFailed)])
    if let jobsKnown { text.gauge("jobs_known", "Total number of jobs, if known in advance.", jobsKnown) }
    let pending = max(0, max(jobsRead, summary?.jobs ?? 0) - jobsDone - jobsFailed)
    text.gauge("jobs_pending", "Jobs that have been read but not finished.", summary == nil ? pending : 0)
  }

  private func downloads(in text: inout Exposition) {
    text.counter(
      "downloads_total", "Finished downloads by result.",
      [(["result": "done"], downloadsDone), (["result": "failed"], downloadsFailed)])
    text.counter("download_bytes_total", "Bytes received in response bodies.", downloadedBytes)
    text.gauge("downloads_active", "Downloads in progress.", downloads.count)
    text.histogram("download_duration_seconds", "Duration of downloads.", downloadTimes)
  }

  private func rendering(in text: inout Exposition) {
    text.gauge("workers", "Rendering slots.", workers)
    text.gauge("workers_busy", "Rendering slots in use.", renderings.count)
    text.counter("renders_total", "Renderings, each of the outputs of one source in one slot.", renders)
    text.histogram("render_duration_seconds", "Duration of renderings.", renderTimes)
    if let summary {
      text.counter("decodes_total", "Decoded sources; known at the end.", summary.decodes)
    }
  }

  /// Work that was not repeated. Some kinds are known only from the totals at the end.
  private func hits(in text: inout Exposition) {
    var hits = [("output", outputs[.unchanged] ?? 0), ("stored", outputs[.cached] ?? 0)]
    if let summary {
      hits += [
        ("merged", summary.mergedDownloads), ("revalidated", summary.revalidatedDownloads),
        ("fresh", summary.freshDownloads), ("rendition", summary.renditionsReused),
        ("remote", summary.remoteHits),
      ]
    }
    text.counter(
      "hits_total",
      "Work that was not repeated: unchanged outputs (output) and outputs restored from the cache (stored); at the end "
        + "also shared downloads (merged), revalidated responses (revalidated), fresh responses (fresh), reused renditions "
        + "(rendition) and outputs from the remote cache (remote).",
      hits.map { (["kind": $0.0], $0.1) })
  }
}
