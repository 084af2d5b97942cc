import Curl
import ImageCaches

/// What tells downloads apart: requests with equal keys share one. A value, but held by reference: a hundred
/// thousand may be pending, each in several tables.
final class RequestKey: Hashable, Sendable {
  /// Where the bytes come from; URLs normalised.
  let source: ImageSource
  /// The URL in its parts; nil for other sources, and for what is no URL.
  let url: WebAddress?
  /// Fields for the source's own origin.
  let headers: [HeaderField]
  /// How the HTTP cache is used.
  let cacheMode: CacheMode
  /// The digest that the bytes must have.
  let pinnedDigest: ContentDigest?
  /// Whether the response must be an image; otherwise any response will do, whatever its status.
  let wantsImage: Bool
  /// Whether redirects are followed.
  let followsRedirects: Bool
  /// The credential that the downloader had when the request was made, for its source's own origin.
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
    let displayText = url?.displayText ?? source.displayText
    // One copy of the text, where the source is shown as it is.
    self.displayText = if case .url(let text) = self.source, text == displayText { text } else { displayText }
  }

  /// The same request, with validation by the origin.
  var refreshing: RequestKey {
    RequestKey(
      source: source, headers: headers, cacheMode: .refresh, pinnedDigest: pinnedDigest,
      wantsImage: wantsImage, followsRedirects: followsRedirects, credential: credential)
  }

  static func == (left: RequestKey, right: RequestKey) -> Bool {
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
