import Curl

/// The age and the freshness of a response (RFC 9111 §4.2).
extension StoredResponse {
  /// The heuristically cacheable statuses (RFC 9110 §15.1), without 206, which isn't stored.
  static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

  /// The age in seconds (§4.2.3).
  func age(at now: Double) -> Double {
    let apparent = max(0, responseTime - (dateValue ?? responseTime))
    let corrected = Double(ageValue) + max(0, responseTime - requestTime)
    return max(apparent, corrected) + max(0, now - responseTime)
  }

  /// The freshness lifetime in seconds (§4.2.1); 0 if the response must be validated before every use.
  var freshnessLifetime: Double {
    let control = cacheControl
    if let seconds = control.seconds("max-age") { return Double(seconds) }
    let expires = fields.values(of: "Expires")
    if !expires.isEmpty {
      // A repeated field or an invalid date means "already expired" (§5.3).
      guard expires.count == 1, let time = HTTPDate.parse(expires[0], now: Int(responseTime)) else {
        return 0
      }
      return max(0, Double(time) - (dateValue ?? responseTime))
    }
    return heuristicLifetime
  }

  /// A tenth of the time since the last modification (§4.2.2).
  private var heuristicLifetime: Double {
    guard Self.heuristicStatuses.contains(status) || cacheControl.has("public"),
      let modified = fields.first("Last-Modified").flatMap({ HTTPDate.parse($0, now: Int(responseTime)) })
    else { return 0 }
    return max(0, ((dateValue ?? responseTime) - Double(modified)) / 10)
  }

  /// Whether the response permits its use without validation.
  func isFresh(at now: Double) -> Bool {
    !cacheControl.hasBare("no-cache") && freshnessLifetime > age(at: now)
  }

  /// How long a run, which may be a stream without end, uses a response without asking again, in seconds.
  private static let runLifetime = 300.0

  /// Whether the response is an image or a lasting redirect, and was requested since a run began, and not long ago. Times
  /// that a wrong clock has stored may be in the future.
  func isCurrent(inRunSince start: Double, at now: Double) -> Bool {
    requestTime >= max(start, now - Self.runLifetime) && responseTime <= now
      && ((200..<300).contains(status) || [300, 301, 308].contains(status))
  }

  /// Whether the response may be served stale (§4.2.4).
  var mayBeServedStale: Bool {
    let control = cacheControl
    return !control.has("must-revalidate") && !control.has("no-cache")
  }

  /// The seconds past its expiry for which a directive permits use; nil if the directive is absent.
  func allowance(_ directive: String) -> Double? {
    cacheControl.seconds(directive).map(Double.init)
  }

  private var dateValue: Double? {
    fields.first("Date").flatMap { HTTPDate.parse($0, now: Int(responseTime)) }.map(Double.init)
  }

  /// The first member of the first `Age` field (§5.1); anything but a whole number is ignored.
  private var ageValue: Int {
    guard let line = fields.first("Age") else { return 0 }
    let first =
      line.split(separator: ",", omittingEmptySubsequences: false).first.map { FieldList.trimmed($0) } ?? ""
    return CacheControl.deltaSeconds(first) ?? 0
  }
}
