/// An encoded output that the store has under its output key.
public struct StoredOutput: Sendable, Hashable {
  /// The object that holds its bytes.
  public var digest: ContentDigest
  /// In pixels.
  public var width: Int
  /// In pixels, of one frame.
  public var height: Int
  /// How many frames it has.
  public var frames: Int
  /// The encoded size.
  public var bytes: Int
  /// What else is known of it, as JSON.
  public var extra: String?

  /// A stored output.
  public init(
    digest: ContentDigest, width: Int, height: Int, frames: Int, bytes: Int, extra: String? = nil
  ) {
    self.digest = digest
    self.width = width
    self.height = height
    self.frames = frames
    self.bytes = bytes
    self.extra = extra
  }
}
