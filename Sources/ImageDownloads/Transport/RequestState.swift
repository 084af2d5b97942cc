import Curl
import ImageCaches

/// How far a request has come, after redirects and retries. A value; each step makes the next.
struct RequestState: Sendable {
  /// What was requested.
  let key: RequestKey
  /// The source's own URL. Credentials and fields without an origin go to its origin and no other.
  let originalURL: WebAddress
  /// The URL that is requested now.
  var url: WebAddress
  var redirectCount = 0
  /// Attempts at this URL after the first.
  var retries = 0
  /// The last wait before a retry, in seconds.
  var lastWait: Double?
  /// The stored response that the origin is asked to confirm.
  var validating: StoredResponse?
  /// Whether the next attempt must not reuse a connection.
  var needsFreshConnection = false
  /// What an earlier attempt has received.
  var partial: PartialBody?
  /// The key of this URL's responses, known since its lookup.
  var cacheKey: ContentDigest?
  /// When the cache was last looked into for this URL, in seconds of the monotonic clock.
  var lookedUpAt = -Double.infinity
  /// How often it has waited for another process that was sending the same request.
  var waits = 0
  /// Whether it waits for such a process.
  var waitsForOthers = true

  init(_ key: RequestKey, originalURL: WebAddress) {
    self.key = key
    self.originalURL = originalURL
    url = originalURL
  }

  /// Whether the source's own fields and credentials may be sent.
  var isSameOrigin: Bool { url.origin == originalURL.origin }

  /// The same without a condition: the stored response is of no use.
  var unconditional: RequestState {
    var state = self
    state.validating = nil
    return state
  }

  /// The request after a redirect. Nothing is known of the new URL yet.
  func redirected(to target: WebAddress) -> RequestState {
    var next = RequestState(key, originalURL: originalURL)
    next.url = target
    next.redirectCount = redirectCount + 1
    return next
  }
}
