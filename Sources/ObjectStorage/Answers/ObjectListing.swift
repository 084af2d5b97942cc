import SystemIO

/// A page of a listing (ListObjectsV2).
package struct ObjectListing: Hashable, Sendable {
  /// An object as a listing tells of it.
  package struct Object: Hashable, Sendable {
    package var key = ""
    /// The size in bytes; nil if the server doesn't tell.
    package var byteCount: Int?
    /// The time of the last change, as the server writes it: `2026-05-01T09:30:00.000Z`.
    package var modified: String?
    package var entityTag: String?

    package init(key: String = "") {
      self.key = key
    }
  }

  package var objects: [Object] = []
  /// The token of the next page; nil for the last page.
  package var continuation: String?

  /// Parses a page.
  /// - Throws: `ObjectStorageFailure` if the body isn't a whole page.
  package init(parsing body: [UInt8]) throws(ObjectStorageFailure) {
    var elements = XMLElements(body)
    var object = Object()
    var isEncoded = false
    var isTruncated = false
    var isListing = false
    while let element = elements.next() {
      guard element.path.first == "ListBucketResult" else { continue }
      isListing = true
      switch element.path.dropFirst().joined(separator: "/") {
      case "EncodingType": isEncoded = element.text == "url"
      case "IsTruncated": isTruncated = element.text == "true"
      case "NextContinuationToken": continuation = element.text
      case "Contents/Key":
        // Not in all servers' order, but the first field of an object in all of them.
        object = Object(key: element.text)
        objects.append(object)
      case "Contents/Size": change { $0.byteCount = Int(element.text) }
      case "Contents/LastModified": change { $0.modified = element.text }
      case "Contents/ETag": change { $0.entityTag = element.text }
      default: break
      }
    }
    if let failure = elements.failure {
      throw ObjectStorageFailure("the server's list is damaged (\(failure))")
    }
    guard isListing else {
      throw ObjectStorageFailure("the server sent no list of objects; check the endpoint")
    }
    if isEncoded {
      // As in a form: a plus sign is a space, and a plus sign itself is encoded.
      for index in objects.indices {
        objects[index].key = PercentEncoding.decoded(objects[index].key.replacing(scalar: "+", with: " "))
      }
    }
    if !isTruncated { continuation = nil }
    if isTruncated, continuation == nil {
      throw ObjectStorageFailure("the server's list has more pages, but doesn't name the next one")
    }
  }

  private mutating func change(_ body: (inout Object) -> Void) {
    guard !objects.isEmpty else { return }
    body(&objects[objects.count - 1])
  }
}
