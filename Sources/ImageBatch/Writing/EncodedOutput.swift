import ImageCaches
import ImageRendering

/// An encoded output, rendered now or found in the store.
struct EncodedOutput: Sendable {
  var image: RenderedFile
  /// The stored bytes. The object keeps them from being purged.
  var object: StoredObject
  /// Whether this run rendered the output; false if an earlier run stored it.
  var isNew: Bool
  /// The rendering time in seconds; 0 if this run didn't render it.
  var seconds = 0.0
}
