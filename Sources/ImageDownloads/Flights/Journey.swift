import Crypto
import Curl
import ImageCaches

/// A request on its way to an answer: where it stands after redirects and retries. A value; each step makes the next.
struct Journey: Sendable {
  /// What was asked for.
  let order: FlightOrder
  /// The source's own address: what credentials and fields without an origin belong to.
  let home: WebAddress
  /// Where it stands now.
  var address: WebAddress
  /// Redirects so far.
  var hops = 0
  /// Tries of the present hop after the first.
  var retries = 0
  /// The last wait.
  var lastWait: Double?
  /// What the origin is asked to confirm.
  var validating: StoredResponse?
  /// Whether the next try must not reuse a connection.
  var needsFreshConnection = false
  /// What an earlier try has received.
  var partial: PartialBody?
  /// The key of this hop's responses, known since its lookup.
  var key: ContentDigest?
  /// When the cache was last looked into for this hop, in seconds of the monotonic clock.
  var lookedUpAt = -Double.infinity
  /// How often it has waited for another process that was sending the same request.
  var waits = 0
  /// Whether it waits for such a process.
  var waitsForOthers = true

  init(_ order: FlightOrder, home: WebAddress) {
    self.order = order
    self.home = home
    address = home
  }

  /// Whether the source's own fields and credentials may be sent.
  var isAtHome: Bool { address.origin == home.origin }
}

/// What a flight is keyed by: equal orders in flight are one. A value, but held by reference: a hundred thousand may
/// wait, each in several tables.
final class FlightOrder: Hashable, Sendable {
  /// Where the bytes come from; URLs normalised.
  let source: ImageSource
  /// The URL in its parts; nil for other sources, and for what is no URL.
  let address: WebAddress?
  /// Fields for the source's own origin.
  let headers: [HeaderField]
  /// What is wanted of the HTTP cache.
  let cacheMode: CacheMode
  /// The digest that the bytes must have.
  let pinnedDigest: ContentDigest?
  /// Whether the answer must be an image; otherwise any answer will do, whatever its status.
  let wantsImage: Bool
  /// Whether redirects are followed.
  let followsRedirects: Bool
  /// What was added to the downloader before the request was made, for its source's own origin.
  let credential: OriginSettings.Credential?
  /// The source as it may be shown; made once, because it is needed at every step.
  let displayText: String

  init(
    source: ImageSource, headers: [HeaderField], cacheMode: CacheMode, pinnedDigest: ContentDigest? = nil,
    wantsImage: Bool = true, followsRedirects: Bool = true, credential: OriginSettings.Credential? = nil
  ) {
    self.credential = credential
    if case .url(let text) = source, let address = WebAddress(text) {
      let normal = address.description
      self.source = address.credential == nil && normal != text ? .url(normal) : source
      self.address = address
    } else {
      self.source = source
      address = nil
    }
    self.headers = headers
    self.cacheMode = cacheMode
    self.pinnedDigest = pinnedDigest
    self.wantsImage = wantsImage
    self.followsRedirects = followsRedirects
    let displayText = address?.displayText ?? source.displayText
    if case .url(let text) = self.source, text == displayText {
      self.displayText = text
    } else {
      self.displayText = displayText
    }
  }

  /// The same, to be validated.
  var refreshing: FlightOrder {
    FlightOrder(
      source: source, headers: headers, cacheMode: .refresh, pinnedDigest: pinnedDigest,
      wantsImage: wantsImage, followsRedirects: followsRedirects, credential: credential)
  }

  static func == (left: FlightOrder, right: FlightOrder) -> Bool {
    left === right
      || left.source == right.source && left.headers == right.headers && left.cacheMode == right.cacheMode
        && left.pinnedDigest == right.pinnedDigest && left.wantsImage == right.wantsImage
        && left.followsRedirects == right.followsRedirects && left.credential == right.credential
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(headers)
    hasher.combine(cacheMode)
    hasher.combine(pinnedDigest)
    hasher.combine(wantsImage)
    hasher.combine(followsRedirects)
    hasher.combine(credential)
  }
}

/// A whole answer, its body in the store.
struct Answer: Sendable {
  var head: ResponseHead
  var body: StoredObject?
  var path: String
  var digest: ContentDigest
  var byteCount: Int
  var address: WebAddress?
  var disposition: StoredSource.Disposition
  /// A local file as it was when its digest was taken.
  var stamp: FileStamp?
  var isStampCertain = true

  init(
    _ object: StoredObject, head: ResponseHead, address: WebAddress?, _ disposition: StoredSource.Disposition
  ) {
    self.head = head
    body = object
    path = object.path
    digest = object.digest
    byteCount = object.byteCount
    self.address = address
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
      finalURL: address?.displayText,
      etag: head.fields.first("ETag"), lastModified: head.fields.first("Last-Modified"),
      disposition: disposition,
      displayText: displayText, pin: body?.pin, stamp: stamp, isStampCertain: isStampCertain)
  }
}
