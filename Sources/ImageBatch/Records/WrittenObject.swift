import ImageCaches
import ObjectStorage

/// The record of an object that a run has written or found up to date: a listing that shows the same entity tag and size
/// tells that it hasn't changed since.
struct WrittenObject: Hashable, Sendable {
  var entityTag: String
  var bytes: Int
  /// The SHA-256 of the object's bytes.
  var digest: ContentDigest
  /// The output's key.
  var output: ContentDigest

  /// The key of the record. Buckets of two servers may have the same name.
  static func key(of address: ObjectAddress, at service: ObjectService) -> ContentDigest {
    var key = KeyBuilder("written-object")
    key.append(service.url(of: address))
    return key.digest
  }

  /// Whether the object is the output with a key, or has the bytes that are recorded for it.
  func isUpToDate(_ output: ContentDigest, _ known: StoredOutput?) -> Bool {
    self.output == output || digest == known?.digest
  }
}

extension WrittenObject: StoreRow {
  static let table = StoreTable(
    "written_objects", [.text("entity_tag"), .integer("bytes"), .text("sha256"), .text("output")],
    limit: 2_000_000)

  var values: [StoreValue] {
    [.text(entityTag), .integer(bytes), .text(digest.hex), .text(output.hex)]
  }

  init?(_ values: [StoreValue]) {
    guard values.count == 4, let entityTag = values[0].text, let bytes = values[1].integer,
      let digest = values[2].digest, let output = values[3].digest
    else { return nil }
    self.init(entityTag: entityTag, bytes: bytes, digest: digest, output: output)
  }
}
