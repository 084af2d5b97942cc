public import ImageDownloads

/// What a source was in a run: what a lock file says of it.
public struct SourceRecord: Sendable {
  /// The bytes and where they came from.
  public var stored: StoredSource
  /// The picture's format, by name, and its size in pixels as a viewer sees it; nil where it was never decoded.
  public var format: String?
  public var width: Int?
  public var height: Int?
}
