import SystemIO

/// A page of the multipart uploads that were neither completed nor aborted (ListMultipartUploads).
package struct UnfinishedUploads: Hashable, Sendable {
  /// An unfinished upload.
  package struct Upload: Hashable, Sendable {
    package var key = ""
    package var id = ""
    /// When it began, as the server writes it: `2026-05-01T09:30:00.000Z`.
    package var initiated = ""
  }

  /// The end of a page.
  package struct Marker: Hashable, Sendable {
    package var key = ""
    package var upload = ""
  }

  package var uploads: [Upload] = []
  /// The marker of the next page; nil for the last page.
  package var next: Marker?

  /// Parses a page.
  /// - Throws: `ObjectStorageFailure` if the body isn't a whole page.
  package init(parsing body: [UInt8]) throws(ObjectStorageFailure) {
    var elements = XMLElements(body)
    var marker = Marker()
    var (isEncoded, isTruncated, isListing) = (false, false, false)
    while let element = elements.next() {
      guard element.path.first == "ListMultipartUploadsResult" else { continue }
      isListing = true
      switch element.path.dropFirst().joined(separator: "/") {
      case "EncodingType": isEncoded = element.text == "url"
      case "IsTruncated": isTruncated = element.text == "true"
      case "NextKeyMarker": marker.key = element.text
      case "NextUploadIdMarker": marker.upload = element.text
      case "Upload/Key": add(element.text, to: \.key)
      case "Upload/UploadId": add(element.text, to: \.id)
      case "Upload/Initiated": add(element.text, to: \.initiated)
      default: break
      }
    }
    if let failure = elements.failure {
      throw ObjectStorageFailure("the server's list of uploads is damaged (\(failure))")
    }
    // An empty list may be an empty element, which has no texts.
    guard isListing || String(decoding: body, as: UTF8.self).contains("ListMultipartUploadsResult") else {
      throw ObjectStorageFailure("the server sent no list of uploads")
    }
    if isEncoded {
      for index in uploads.indices { uploads[index].key = Self.decoded(uploads[index].key) }
      marker.key = Self.decoded(marker.key)
    }
    if isTruncated, !marker.key.isEmpty { next = marker }
  }

  private static func decoded(_ key: String) -> String {
    PercentEncoding.decoded(key.replacing(scalar: "+", with: " "))
  }

  /// Adds a value to the last upload, or to a new one if that has it already: the order of the values differs among
  /// servers, and SeaweedFS sends the time before the key.
  private mutating func add(_ text: String, to value: WritableKeyPath<Upload, String>) {
    if uploads.last?[keyPath: value].isEmpty != true { uploads.append(Upload()) }
    uploads[uploads.count - 1][keyPath: value] = text
  }
}

/// A multipart upload's messages.
package enum MultipartUpload {
  /// A part that the server has.
  package struct Part: Hashable, Sendable {
    package var entityTag: String
    /// The part's SHA-256 in base64.
    package var checksum: String

    package init(entityTag: String, checksum: String) {
      self.entityTag = entityTag
      self.checksum = checksum
    }
  }

  /// The identifier in the answer to CreateMultipartUpload; nil if it has none.
  package static func identifier(in body: [UInt8]) -> String? {
    // Servers differ in the root's name.
    for element in XMLElements(body)
    where element.path.count == 2 && element.path.last == "UploadId" && !element.text.isEmpty {
      return element.text
    }
    return nil
  }

  /// The object's entity tag in the answer to CompleteMultipartUpload; nil if it has none.
  package static func entityTag(in body: [UInt8]) -> String? {
    for element in XMLElements(body) where element.path == ["CompleteMultipartUploadResult", "ETag"] {
      return element.text
    }
    return nil
  }

  /// The body of CompleteMultipartUpload.
  package static func completion(of parts: [Part]) -> [UInt8] {
    let list = parts.enumerated().map { index, part in
      "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(escaped(part.entityTag))</ETag>"
        + "<ChecksumSHA256>\(part.checksum)</ChecksumSHA256></Part>"
    }.joined()
    let name = "CompleteMultipartUpload"
    return Array("<\(name) xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(list)</\(name)>".utf8)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing(scalar: "&", with: "&amp;").replacing(scalar: "<", with: "&lt;")
      .replacing(scalar: "\"", with: "&quot;")
  }
}
