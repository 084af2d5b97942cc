extension ImageDownloader.Configuration {
  /// Bounds the downloads' file descriptors: a quarter of the limit for connections, an eighth for bodies in transfer, an
  /// eighth for files being read.
  ///
  /// Waiting jobs hold none: sources are open for three times as many requests as there are rendering slots.
  /// Workers, the index and outputs take about thirty more.
  /// - Parameter limit: The number of descriptors that the process may open.
  package mutating func fit(intoDescriptors limit: Int) {
    connectionLimit = min(256, max(4, limit / 4))
    activeDownloads = min(activeDownloads, max(1, limit / 8))
    diskConcurrency = min(64, max(2, limit / 8))
  }
}
