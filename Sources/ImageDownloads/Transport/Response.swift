import Curl
import ImageCaches

/// A complete response with its body in the store, or a local source.
struct Response: Sendable {
  var head: ResponseHead
  var body: StoredObject?
  var path: String
  var digest: ContentDigest
  var byteCount: Int
  /// The URL after redirects; nil for local sources.
  var url: WebAddress?
  var disposition: StoredSource.Disposition
  /// The local file's fingerprint at the time of its digest.
  var fingerprint: FileFingerprint?
  var isFingerprintCertain = true
  /// Whether the response is for this user alone.
  var isPrivate = false
  /// See ``StoredSource/unconfirmed``.
  var unconfirmed: UnconfirmedResponse?

  /// A response to a request.
  init(
    _ object: StoredObject, head: ResponseHead, of state: RequestState,
    _ disposition: StoredSource.Disposition
  ) {
    self.init(object, head: head, url: state.url, disposition)
    isPrivate = state.isPrivate || PrivateResponse.isMarked(head.fields)
  }

  /// A stored response that is served to a request.
  init(
    _ stored: StoredResponse, _ object: StoredObject, at now: Double, for state: RequestState,
    _ disposition: StoredSource.Disposition
  ) {
    self.init(object, head: stored.servedHead(at: now), of: state, disposition)
    isPrivate = isPrivate || stored.isPrivate
  }

  /// A source without a request: `url` is nil.
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

  /// A local file, used in place.
  init(file path: String, digest: ContentDigest, fingerprint: FileFingerprint, isFingerprintCertain: Bool) {
    head = ResponseHead(status: 200)
    self.path = path
    self.digest = digest
    byteCount = fingerprint.bytes
    self.fingerprint = fingerprint
    self.isFingerprintCertain = isFingerprintCertain
    disposition = .local
  }

  func source(displayText: String) -> StoredSource {
    StoredSource(
      digest: digest, path: path, byteCount: byteCount,
      contentType: head.fields.first("Content-Type").map(ContentTypes.essence),
      finalURL: url?.displayText,
      etag: head.fields.first("ETag"), lastModified: head.fields.first("Last-Modified"),
      disposition: disposition,
      displayText: displayText, pin: body?.pin, fingerprint: fingerprint,
      isFingerprintCertain: isFingerprintCertain, isPrivate: isPrivate,
      unconfirmed: unconfirmed)
  }
}
