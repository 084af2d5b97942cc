import Curl
import ImageCaches

/// A complete response with its body in the store, or a local source as one.
struct Response: Sendable {
  var head: ResponseHead
  var body: StoredObject?
  var path: String
  var digest: ContentDigest
  var byteCount: Int
  /// The URL that responded; nil for local sources.
  var url: WebAddress?
  var disposition: StoredSource.Disposition
  /// The local file's stamp when its digest was taken.
  var stamp: FileStamp?
  var isStampCertain = true

  init(
    _ object: StoredObject, head: ResponseHead, url: WebAddress?, _ disposition: StoredSource.Disposition
  ) {
    self.head = head
    body = object
    path = object.path
    digest = object.digest
    byteCount = object.byteCount
    self.url = url
    self.disposition = disposition
  }

  /// A local file that is used in place.
  init(file path: String, digest: ContentDigest, stamp: FileStamp, isStampCertain: Bool) {
    head = ResponseHead(status: 200)
    self.path = path
    self.digest = digest
    byteCount = stamp.bytes
    self.stamp = stamp
    self.isStampCertain = isStampCertain
    disposition = .local
  }

  func source(displayText: String) -> StoredSource {
    StoredSource(
      digest: digest, path: path, byteCount: byteCount,
      contentType: head.fields.first("Content-Type").map(ContentTypes.essence),
      finalURL: url?.displayText,
      etag: head.fields.first("ETag"), lastModified: head.fields.first("Last-Modified"),
      disposition: disposition,
      displayText: displayText, pin: body?.pin, stamp: stamp, isStampCertain: isStampCertain)
  }
}
