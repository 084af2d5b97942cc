import ImageCaches

/// A rendition that the store may still have, by rendition key.
struct StoredRendition: Hashable, Sendable {
  /// Of its file.
  var digest: ContentDigest
  /// The file's size.
  var bytes: Int
  /// What making it took, in seconds.
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
