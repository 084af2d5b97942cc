import ImageCaches

/// The record of a rendition, by rendition key. Its file may have been evicted from the store.
struct StoredRendition: Hashable, Sendable {
  /// The file's SHA-256.
  var digest: ContentDigest
  /// The file's size.
  var bytes: Int
  /// The rendering time in seconds.
  var seconds: Double
}

extension StoredRendition: StoreRow {
  static let table = StoreTable("renditions", [.object, .integer("bytes"), .real("seconds")])

  var values: [StoreValue] { [.text(digest.hex), .integer(bytes), .real(seconds)] }

  init?(_ values: [StoreValue]) {
    guard values.count == 3, let digest = values[0].digest, let bytes = values[1].integer,
      let seconds = values[2].real
    else { return nil }
    self.init(digest: digest, bytes: bytes, seconds: seconds)
  }
}
