import ImageBatch

/// What a batch has done so far, as numbers for a monitoring system: events in, metrics out.
struct MetricsState {
  /// Rendering slots.
  let workers: Int
  let version: String
  /// When the run began, in seconds since 1970.
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
  /// When each download under way began, by its id, and what it has received.
  private var downloads: [Int: (start: Double, received: Int)] = [:]
  /// When each slot at work took its job.
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

  /// Takes note of jobs that have been read.
  mutating func queue(_ jobs: Int) { jobsRead += jobs }

  /// Takes note of an event that came `seconds` after the start.
  mutating func apply(_ event: BatchEvent, at seconds: Double) {
    switch event {
    case .jobsCounted(let count): jobsKnown = count
    case .warning, .outputRemoved: break
    case .downloadStarted(let id, _, _): downloads[id] = (seconds, 0)
    case .downloadProgressed(let id, let received, _):
      // A try that begins anew counts down: its bytes were received all the same.
      downloadedBytes += max(0, received - (downloads[id]?.received ?? received))
      downloads[id]?.received = received
    case .downloadFinished(let id, let bytes, let failed):
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

  /// Everything, `seconds` after the start.
  func exposition(at seconds: Double) -> [UInt8] {
    var text = Exposition()
    text.gauge("info", "The version that runs.", [(["version": version], 1)])
    text.gauge("start_time_seconds", "When the run began, in seconds since 1970.", start)
    text.gauge("run_seconds", "How long the run has taken.", summary?.seconds ?? seconds)
    text.gauge("run_finished", "1 when the run has ended.", summary == nil ? 0 : 1)
    jobs(in: &text)
    downloads(in: &text)
    rendering(in: &text)
    text.counter(
      "outputs_total", "Outputs that are in place, or have failed.",
      [.written, .unchanged, .cached, .kept, .failed].map { (["status": $0.rawValue], outputs[$0] ?? 0) })
    text.counter("output_bytes_total", "Bytes of the outputs that were put in place.", outputBytes)
    text.histogram("output_duration_seconds", "From a job's start to an output's end.", outputTimes)
    text.counter(
      "failures_total", "Outputs that failed, by the error's code and stage.",
      failures.sorted { ($0.key.code, $0.key.stage) < ($1.key.code, $1.key.stage) }.map {
        (["code": $0.key.code, "stage": $0.key.stage], $0.value)
      })
    hits(in: &text)
    return text.bytes
  }

  private func jobs(in text: inout Exposition) {
    text.counter(
      "jobs_total", "Jobs that have ended.",
      [(["result": "done"], jobsDone), (["result": "failed"], jobsFailed)])
    if let jobsKnown { text.gauge("jobs_known", "Jobs of the manifests that were read whole.", jobsKnown) }
    let pending = max(0, max(jobsRead, summary?.jobs ?? 0) - jobsDone - jobsFailed)
    text.gauge("jobs_pending", "Jobs that have been read and haven't ended.", summary == nil ? pending : 0)
  }

  private func downloads(in text: inout Exposition) {
    text.counter(
      "downloads_total", "Downloads that have ended.",
      [(["result": "done"], downloadsDone), (["result": "failed"], downloadsFailed)])
    text.counter("download_bytes_total", "Bytes of bodies that were received.", downloadedBytes)
    text.gauge("downloads_active", "Downloads under way.", downloads.count)
    text.histogram("download_duration_seconds", "How long downloads took.", downloadTimes)
  }

  private func rendering(in text: inout Exposition) {
    text.gauge("workers", "Rendering slots.", workers)
    text.gauge("workers_busy", "Rendering slots at work.", renderings.count)
    text.counter("renders_total", "Sources that a slot has rendered outputs of.", renders)
    text.histogram("render_duration_seconds", "How long a slot took for one source.", renderTimes)
    if let summary {
      text.counter("decodes_total", "Sources that were decoded; known at the end.", summary.decodes)
    }
  }

  /// What was not done again. What only the totals say is known at the end.
  private func hits(in text: inout Exposition) {
    var hits = [("output", outputs[.unchanged] ?? 0), ("stored", outputs[.cached] ?? 0)]
    if let summary {
      hits += [
        ("merged", summary.mergedDownloads), ("revalidated", summary.revalidatedDownloads),
        ("fresh", summary.freshDownloads), ("rendition", summary.renditionsReused),
      ]
    }
    text.counter(
      "hits_total",
      "Work that was not done again: outputs in place (output) and put in place from the cache (stored); at the end also "
        + "shared downloads (merged), stored responses that were confirmed (revalidated) or fresh (fresh), and renditions (rendition).",
      hits.map { (["kind": $0.0], $0.1) })
  }
}
