import Curl
import ImageCaches
import ObjectStorage

/// Identifies a download: requests with equal keys share one. An immutable class rather than a struct, because 100,000
/// keys may be pending, each in several tables.
final class RequestKey: Hashable, Sendable {
  /// The source, with a normalized URL.
  let source: ImageSource
  /// The parsed URL, for an object that of the request; nil for invalid URLs and other sources.
  let url: WebAddress?
  /// Fields for the source's own origin.
  let headers: [HeaderField]
  let cacheMode: CacheMode
  let pinnedDigest: ContentDigest?
  /// Whether the response must be an image; otherwise any response of any status is accepted.
  let wantsImage: Bool
  let followsRedirects: Bool
  /// The downloader's credential at the time of the request, for the source's own origin.
  let credential: OriginSettings.Credential?
  /// The service that signs the request; nil for other sources than objects.
  let service: ObjectService?
  /// What is asked of object storage; nil for a download.
  let operation: ObjectOperation?
  /// The source without secrets, for display. Stored, because every step needs it.
  let displayText: String

  init(
    source: ImageSource, headers: [HeaderField], cacheMode: CacheMode, pinnedDigest: ContentDigest? = nil,
    wantsImage: Bool = true, followsRedirects: Bool = true, credential: OriginSettings.Credential? = nil,
    service: ObjectService? = nil, listing: WebAddress? = nil,
    operation: ObjectOperation? = nil
  ) {
    self.credential = credential
    self.service = service
    self.operation = operation
    if let service {
      self.source = source
      url = listing ?? source.objectAddress.flatMap { WebAddress(service.url(of: $0)) }
    } else if case .url(let text) = source, let address = WebAddress(text) {
      let normal = address.description
      self.source = address.credential == nil && normal != text ? .url(normal) : source
      url = address
    } else {
      self.source = source
      url = nil
    }
    self.headers = headers
    self.cacheMode = cacheMode
    self.pinnedDigest = pinnedDigest
    self.wantsImage = wantsImage
    self.followsRedirects = followsRedirects
    let displayText = service == nil ? url?.displayText ?? source.displayText : source.displayText
    // Share the source's text if it is the same.
    self.displayText = if case .url(let text) = self.source, text == displayText { text } else { displayText }
  }

  /// The same request, validated by the origin.
  var refreshing: RequestKey {
    RequestKey(
      source: source, headers: headers, cacheMode: .refresh, pinnedDigest: pinnedDigest,
      wantsImage: wantsImage, followsRedirects: followsRedirects, credential: credential,
      service: service, listing: service == nil ? nil : url)
  }

  static func == (left: RequestKey, right: RequestKey) -> Bool {
    left === right
      || left.source == right.source && left.headers == right.headers && left.cacheMode == right.cacheMode
        && left.pinnedDigest == right.pinnedDigest && left.wantsImage == right.wantsImage
        && left.followsRedirects == right.followsRedirects && left.credential == right.credential
        // Swift compares texts by their characters, but keys with the same characters in other bytes are other keys.
        && left.service === right.service && left.operation === right.operation
        && (left.service == nil || left.url == right.url)
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
