package import ImageDownloads

extension BatchEvent {
  /// The batch event for a download event; nil for events that aren't reported.
  package init?(_ event: DownloadEvent) {
    switch event {
    case .started(let id, let source, let host): self = .downloadStarted(id: id, source: source, host: host)
    case .progressed(let id, let received, let expected):
      self = .downloadProgressed(id: id, received: received, expected: expected)
    case .finished(let id, _, let bytes, let isUnchanged, let error):
      self = .downloadFinished(id: id, bytes: bytes, failed: error != nil, isUnchanged: isUnchanged)
    case .warning(let source, let message):
      self = .warning(BatchWarning(source: source, message: message))
    case .retrying(let source, let wait, let error):
      let message = "retrying in \(Self.tenths(wait)) s: \(error.message)"
      self = .warning(BatchWarning(source: source, message: message, error: JobError(error)))
    case .hostPaused(let host, let pause):
      self = .warning(BatchWarning(message: "no requests to \(host) for \(Self.tenths(pause)) s"))
    }
  }

  /// Seconds with one decimal.
  private static func tenths(_ duration: Duration) -> Double {
    (duration / .milliseconds(100)).rounded() / 10
  }
}
