/// What a run got from the remote cache, and gave it.
package struct RemoteTotals: Sendable, Hashable {
  /// Outputs that were found.
  package var hits = 0
  /// Outputs that were looked up, and had to be rendered.
  package var misses = 0
  /// The size of the outputs that were found.
  package var receivedBytes = 0
  /// Outputs that were uploaded.
  package var uploads = 0
  /// The size of the outputs that were uploaded.
  package var sentBytes = 0
  /// Outputs that were rendered, but not uploaded.
  package var failedUploads = 0
  /// The seconds of rendering that the outputs found took when they were made.
  package var savedSeconds = 0.0
}
