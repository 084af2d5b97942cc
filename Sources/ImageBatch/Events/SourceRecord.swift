public import ImageDownloads

/// A source that a run used, for lock files.
public struct SourceRecord: Sendable {
  /// The stored bytes and their origin.
  public var stored: StoredSource
  /// The format's name. Format, width and height are nil if the source was never decoded.
  public var format: String?
  /// The width in pixels; nil like ``format``.
  public var width: Int?
  /// The height of one frame in pixels; nil like ``format``.
  public var height: Int?
}
