import Curl

/// What to do with a request, given what is stored: RFC 9111 §4 as a pure function.
enum CacheDecision: Sendable {
  /// Nothing stored is of use: ask the origin.
  case fetch
  /// Use the stored answer without asking.
  case serve(StoredResponse)
  /// Use the stored answer now, and ask whether it has changed meanwhile (RFC 5861 §3).
  case serveStale(StoredResponse)
  /// Ask the origin whether the stored answer has changed.
  case validate(StoredResponse)
  /// Nothing stored may be used and the origin may not be asked.
  case unavailable

  /// Decides.
  /// - Parameters:
  ///   - request: the fields that would be sent.
  ///   - candidates: the stored answers of the request's key.
  ///   - mode: what the user wants of the cache.
  ///   - now: in seconds since 1970.
  init(request: [HeaderField], candidates: [StoredResponse], mode: CacheMode, now: Double) {
    let control = CacheControl(request)
    guard mode != .none, !control.has("no-store") else {
      self = .fetch
      return
    }
    let isOffline = mode == .offline || control.has("only-if-cached")
    let newest =
      candidates
      .filter { Vary.matches($0.selection, request) }
      .max { $0.responseTime < $1.responseTime }
    guard let stored = newest else {
      self = isOffline ? .unavailable : .fetch
      return
    }
    if mode == .offline {
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

/// What a user wants of the HTTP cache.
public enum CacheMode: String, Sendable, Hashable {
  /// RFC 9111: what is fresh is used, what is stale is validated.
  case standard
  /// Everything is validated, fresh or not (`--refresh`).
  case refresh
  /// What is stored is used whatever its age, and nothing else (`--offline`).
  case offline
  /// Nothing is used and nothing kept (`--no-cache`).
  case none
}
