import Curl
import ImageCaches

/// The state of a request after redirects and retries.
struct RequestState: Sendable {
  let key: RequestKey
  /// The source's own URL. Credentials and fields that name no origin are sent only to this URL's origin.
  let originalURL: WebAddress
  /// The current URL.
  var url: WebAddress
  var redirectCount = 0
  /// Attempts at this URL after the first.
  var retries = 0
  /// The last wait before a retry, in seconds.
  var lastWait: Double?
  /// The stored response to validate.
  var validating: StoredResponse?
  /// Whether the next attempt must not reuse a connection.
  var needsFreshConnection = false
  /// The body of an interrupted attempt.
  var partial: PartialBody?
  /// The cache key of this URL's responses, set by the lookup.
  var cacheKey: ContentDigest?
  /// The cache's secret, set by the lookup.
  var salt: [UInt8] = []
  /// The time of this URL's last lookup, in seconds of the monotonic clock.
  var lookedUpAt = -Double.infinity
  /// The number of waits for another process that sent the same request.
  var waits = 0
  /// Whether a request of the chain of redirects showed who the user is.
  var isPrivate = false
  /// Whether the request waits for other processes.
  var waitsForOthers = true

  init(_ key: RequestKey, originalURL: WebAddress) {
    self.key = key
    self.originalURL = originalURL
    url = originalURL
  }

  /// Whether the source's own fields and credentials may be sent.
  var isSameOrigin: Bool { url.origin == originalURL.origin }

  /// The same request without a condition.
  var unconditional: RequestState {
    var state = self
    state.validating = nil
    return state
  }

  /// The request after a redirect, with a fresh state for the new URL.
  func redirected(to target: WebAddress) -> RequestState {
    var next = RequestState(key, originalURL: originalURL)
    next.url = target
    next.redirectCount = redirectCount + 1
    next.isPrivate = isPrivate
    return next
  }
}
