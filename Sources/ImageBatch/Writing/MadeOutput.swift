import ImageCaches

/// An output's bytes, made or found, and where they lie.
struct MadeOutput: Sendable {
  var image: RenderedFile
  /// The bytes in the store, held there.
  var object: StoredObject
  /// Whether this run rendered it; otherwise it was stored by an earlier one.
  var isNew: Bool
}
