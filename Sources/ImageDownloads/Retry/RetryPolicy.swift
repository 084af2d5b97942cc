/// Which failures may pass, and how long to wait before trying again.
struct RetryPolicy: Sendable {
  /// The first wait in seconds.
  var base: Double
  /// The longest wait in seconds.
  var cap: Double

  /// Whether a failure of libcurl may pass: name resolution, connecting, time-outs, short bodies, broken connections
  /// and HTTP/2 streams. A failed TLS handshake (35) often is a server that is overloaded.
  static func isTransient(curlCode: Int) -> Bool {
    [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92].contains(curlCode)
  }

  /// Whether an HTTP status may pass.
  static func isTransient(status: Int) -> Bool {
    [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529].contains(status)
  }

  /// Whether the body of a 400 says that the failure may pass: Amazon S3's `RequestTimeout`, whose other passing errors
  /// have statuses of their own.
  static func isTransient(badRequest prefix: [UInt8]) -> Bool {
    String(decoding: prefix, as: UTF8.self).contains("<Code>RequestTimeout</Code>")
  }

  /// The next wait by decorrelated jitter (AWS Architecture Blog, "Exponential Backoff And Jitter"): somewhere
  /// between the first wait and three times the last.
  func wait(after previous: Double?, using generator: inout some RandomNumberGenerator) -> Double {
    guard let previous else { return Double.random(in: base / 2...max(base, base / 2), using: &generator) }
    return min(cap, Double.random(in: base...max(base, previous * 3), using: &generator))
  }

  /// The seconds that a `Retry-After` field asks for (RFC 9110 §10.2.3): a number or a date; nil where it is neither.
  static func retryAfter(_ field: String, now: Double) -> Double? {
    if let seconds = CacheControl.deltaSeconds(field) { return Double(seconds) }
    return HTTPDate.parse(field, now: Int(now)).map { max(0, Double($0) - now) }
  }
}

/// Keeps retries from multiplying the load on hosts that are down: a tenth of the requests, and a number to begin with.
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

  /// Takes a retry's worth.
  /// - Returns: whether there was one.
  mutating func spend() -> Bool {
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
