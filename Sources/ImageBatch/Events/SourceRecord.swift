public import ImageDownloads

/// What a source was in a run: what a lock file says of it.
public struct SourceRecord: Sendable {
  /// The bytes and where they came from.
  public var stored: StoredSource
  /// The picture's format, by name; this and the size are nil where it was never decoded.
  public var format: String?
  /// In pixels.
  public var width: Int?
  /// In pixels, of one frame.
  public var height: Int?
}
