/// Classifies temporary failures, and chooses the wait before a retry.
struct RetryPolicy: Sendable {
  /// The first wait, in seconds.
  var base: Double
  /// The maximum wait, in seconds.
  var cap: Double

  /// Whether libcurl's failure may be temporary: name resolution, connecting, timeouts, short bodies, and broken
  /// connections and HTTP/2 streams. A failed TLS handshake (35) often means an overloaded server.
  static func isTransient(curlCode: Int) -> Bool {
    [6, 7, 16, 18, 28, 35, 52, 55, 56, 92].contains(curlCode)
  }

  /// Whether to try again after libcurl's failure. A proxy's name without an address (5) is most often misspelled: it
  /// isn't reported as temporary, and says nothing about the host. But a busy resolver fails in the same way.
  static func isRetried(curlCode: Int) -> Bool { curlCode == 5 || isTransient(curlCode: curlCode) }

  /// Whether an HTTP status may be temporary.
  static func isTransient(status: Int) -> Bool {
    [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529].contains(status)
  }

  /// Whether the body of a 400 is Amazon S3's `RequestTimeout`. S3's other temporary errors have distinct statuses.
  static func isTransient(badRequest prefix: [UInt8]) -> Bool {
    String(decoding: prefix, as: UTF8.self).contains("<Code>RequestTimeout</Code>")
  }

  /// Chooses the next wait with decorrelated jitter (AWS Architecture Blog, "Exponential Backoff And Jitter"): at
  /// random between ``base`` and three times the previous wait, at most ``cap``.
  func wait(after previous: Double?, using generator: inout some RandomNumberGenerator) -> Double {
    guard let previous else { return Double.random(in: base / 2...max(base, base / 2), using: &generator) }
    return min(cap, Double.random(in: base...max(base, previous * 3), using: &generator))
  }

  /// Parses a `Retry-After` field (RFC 9110 §10.2.3), a number or a date, into seconds; nil if it is invalid.
  static func retryAfter(_ field: String, now: Double) -> Double? {
    if let seconds = CacheControl.deltaSeconds(field) { return Double(seconds) }
    return HTTPDate.parse(field, now: Int(now)).map { max(0, Double($0) - now) }
  }
}

/// Limits retries to one per five requests, after an initial 100, so that they don't multiply the load on failing
/// hosts.
struct RetryBudget: Sendable {
  private var tokens: Double
  private let perRequest: Double
  private let limit: Double

  init(initial: Double = 100, perRequest: Double = 0.2, limit: Double = 1000) {
    tokens = initial
    self.perRequest = perRequest
    self.limit = limit
  }

  mutating func earn() { tokens = min(limit, tokens + perRequest) }

  /// Takes one retry from the budget.
  /// - Returns: Whether the budget had one.
  mutating func spend() -> Bool {
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
