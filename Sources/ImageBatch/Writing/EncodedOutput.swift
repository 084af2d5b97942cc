import ImageCaches
import ImageRendering

/// An output's bytes, made or found, and where they lie.
struct EncodedOutput: Sendable {
  var image: RenderedFile
  /// The bytes in the store, held there.
  var object: StoredObject
  /// Whether this run rendered it; otherwise it was stored by an earlier one.
  var isNew: Bool
}
