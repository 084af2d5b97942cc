import Logging
import Metrics

/// The downloader's metrics, from the factory of swift-metrics (`MetricsSystem.bootstrap`); without one they cost nothing.
struct DownloadMetrics: Sendable {
  private let bytes = Counter(label: "imagemill_download_bytes_total")
  private let requests = Counter(label: "imagemill_requests_total")
  private let queued = Gauge(label: "imagemill_downloads_queued")
  private let active = Gauge(label: "imagemill_downloads_active")
  private let downloads = Counter(label: "imagemill_downloads_total")
  private let fresh = Counter(label: "imagemill_cache_hits_total", dimensions: [("kind", "fresh")])
  private let revalidated = Counter(
    label: "imagemill_cache_hits_total", dimensions: [("kind", "revalidated")])
  private let stale = Counter(label: "imagemill_cache_hits_total", dimensions: [("kind", "stale")])
  private let retries = Counter(label: "imagemill_retries_total")

  func count(_ field: PartialKeyPath<DownloadTotals>) {
    switch field {
    case \.downloads: downloads.increment()
    case \.hits: fresh.increment()
    case \.revalidated: revalidated.increment()
    case \.stale: stale.increment()
    case \.retries: retries.increment()
    default: break
    }
  }

  func count(bytes count: Int) { bytes.increment(by: count) }

  func count(requests count: Int) { requests.increment(by: count) }

  /// Sets the depth of the queue.
  func record(queued: Int, active: Int) {
    self.queued.record(queued)
    self.active.record(active)
  }
}

extension Logger {
  /// Logs a downloader's event.
  func log(_ event: DownloadEvent) {
    switch event {
    case .started(_, let source, _): trace("download started", metadata: ["source": "\(source)"])
    case .progressed: break
    case .finished(_, let url, let bytes, _, nil):
      debug("download finished", metadata: ["url": "\(url)", "bytes": "\(bytes)"])
    case .finished(_, let url, _, _, let error?):
      debug("transfer failed", metadata: ["url": "\(url)", "error": "\(error.message)"])
    case .retrying(let source, let wait, let error):
      warning(
        "retrying", metadata: ["source": "\(source)", "wait": "\(wait)", "error": "\(error.message)"])
    case .hostPaused(let host, let pause):
      warning("host paused", metadata: ["host": "\(host)", "pause": "\(pause)"])
    case .warning(let source, let message): warning("\(message)", metadata: ["source": "\(source)"])
    }
  }
}
