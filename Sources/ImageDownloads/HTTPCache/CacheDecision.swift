import Curl

/// How to answer a request from the stored responses: RFC 9111 §4 as a pure function.
enum CacheDecision: Sendable {
  /// Send the request: no stored response is usable.
  case fetch
  /// Use the stored response.
  case serve(StoredResponse)
  /// Use the stored response, and validate it afterwards (RFC 5861 §3).
  case serveStale(StoredResponse)
  /// Validate the stored response with the origin.
  case validate(StoredResponse)
  /// Fail: no stored response is usable, and no request may be sent.
  case unavailable

  /// - Parameters:
  ///   - request: The fields that would be sent.
  ///   - candidates: The stored responses for the request's key.
  ///   - mode: The user's cache mode.
  ///   - now: The time in seconds since 1970.
  ///   - start: When the run began that the request belongs to, in seconds since 1970; nil for none. What it has
  ///     received isn't validated again.
  ///   - salt: The cache's secret. See ``Vary``.
  init(
    request: [HeaderField], candidates: [StoredResponse], mode: CacheMode, now: Double, start: Double? = nil,
    salt: [UInt8] = []
  ) {
    let control = CacheControl(request)
    guard mode != .none, !control.has("no-store") else {
      self = .fetch
      return
    }
    let isOffline = mode == .offline || control.has("only-if-cached")
    let newest =
      candidates
      .filter { Vary.matches($0.selection, request, salt: salt) }
      .max { $0.responseTime < $1.responseTime }
    guard let stored = newest else {
      self = isOffline ? .unavailable : .fetch
      return
    }
    if mode == .offline {
      self = .serve(stored)
      return
    }
    if let start, stored.isCurrent(inRunSince: start, at: now) {
      self = .serve(stored)
      return
    }
    let mustAsk =
      mode == .refresh || control.has("no-cache")
      || (request.first("Cache-Control") == nil
        && request.values(of: "Pragma").contains { $0.lowercased().contains("no-cache") })
    if !mustAsk, Self.isUsable(stored, control, now: now) {
      self = .serve(stored)
    } else if isOffline {
      self = .unavailable
    } else if !mustAsk, !control.has("max-age"), stored.mayBeServedStale,
      let allowance = stored.allowance("stale-while-revalidate"),
      stored.age(at: now) < stored.freshnessLifetime + allowance
    {
      self = .serveStale(stored)
    } else {
      self = .validate(stored)
    }
  }

  private static func isUsable(_ stored: StoredResponse, _ control: CacheControl, now: Double) -> Bool {
    let age = stored.age(at: now)
    if let limit = control.seconds("max-age"), age > Double(limit) || limit == 0 { return false }
    let remaining = stored.freshnessLifetime - age
    if stored.isFresh(at: now) { return remaining >= Double(control.seconds("min-fresh") ?? 0) }
    guard control.has("max-stale"), stored.mayBeServedStale else { return false }
    return control.hasBare("max-stale") || -remaining <= Double(control.seconds("max-stale") ?? 0)
  }
}

/// The use of the HTTP cache.
public enum CacheMode: String, Sendable, Hashable {
  /// Use fresh responses and validate stale ones (RFC 9111).
  case standard
  /// Validate every stored response, even a fresh one (`--refresh`).
  case refresh
  /// Use only stored responses, regardless of their age (`--offline`).
  case offline
  /// Neither use nor store responses (`--no-cache`).
  case none
}
