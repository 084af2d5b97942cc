package import ImageDownloads

extension BatchEvent {
  /// The batch event for a download event; nil for events that aren't reported.
  package init?(_ event: DownloadEvent) {
    switch event {
    case .started(let id, let source, let host): self = .downloadStarted(id: id, source: source, host: host)
    case .progressed(let id, let received, let expected):
      self = .downloadProgressed(id: id, received: received, expected: expected)
    case .finished(let id, _, let bytes, let error):
      self = .downloadFinished(id: id, bytes: bytes, failed: error != nil)
    case .warning(let source, let message):
      self = .warning(BatchWarning(source: source, message: message))
    case .retrying(let source, let seconds, let error):
      let message = "retrying in \(Self.tenths(seconds)) s: \(error.message)"
      self = .warning(BatchWarning(source: source, message: message, error: JobError(error)))
    case .hostPaused(let host, let seconds):
      self = .warning(BatchWarning(message: "no requests to \(host) for \(Self.tenths(seconds)) s"))
    }
  }

  private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
