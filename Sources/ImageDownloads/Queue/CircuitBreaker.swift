/// The outcome of an attempt, as far as it concerns the host.
enum HostSignal: Sendable {
  /// A response arrived, of any status.
  case answered
  /// The host returned 429 or 503, or stalled within a response.
  case overloaded
  /// No response began: no address, no connection, or no byte.
  case silent
}

/// Limits the load on one host by the outcomes of its attempts. A pure value: callers pass the time.
///
/// Overload halves the slots, and each round of good responses adds one (AIMD, like TCP's congestion avoidance,
/// RFC 5681 §3.1). Repeated silence leaves one slot, with growing pauses between attempts. If the silence lasts, the
/// host's pending downloads are refused for a while.
struct CircuitBreaker: Sendable {
  /// Fewer silent attempts in a row have no effect.
  static let tolerance = 10
  /// The seconds until a host that is down gets another attempt.
  static let rest = 60.0
  /// The maximum pause between attempts at a silent host, in seconds.
  static let longestPause = 16.0

  /// The restriction of a host.
  enum Verdict: Equatable, Sendable {
    /// Start no attempt until this time.
    case pause(until: Double)
    /// Refuse pending downloads until this time.
    case down(until: Double)
  }

  /// The maximum number of slots; nil for the configured limit.
  private var window: Double?
  /// The attempts that were active at the last halving. Their overload signals are part of the same congestion.
  private var ignoredSignals = 0
  private var silences = 0
  private var silentSince = 0.0
  /// Silent attempts that end before this time started before the pause, and don't count again.
  private var pausedUntil = -Double.infinity
  private(set) var downUntil: Double?

  /// The number of slots, out of `limit`.
  func slots(of limit: Int) -> Int {
    if silences >= Self.tolerance { return 1 }
    return window.map { min(limit, max(1, Int($0))) } ?? limit
  }

  /// Records the end of an attempt.
  /// - Parameters:
  ///   - active: The host's active attempts, including this one.
  ///   - limit: The configured number of slots.
  ///   - unreachableTimeout: The seconds of silence after which another silent attempt marks the host as down.
  mutating func note(
    _ signal: HostSignal, active: Int, limit: Int, unreachableTimeout: Double, now: Double
  ) -> Verdict? {
    let hears = ignoredSignals == 0
    ignoredSignals = max(0, ignoredSignals - 1)
    guard signal == .silent else {
      silences = 0
      downUntil = nil
      if signal == .answered { grow(to: limit) } else if hears { halve(from: limit, active: active) }
      return nil
    }
    guard now >= pausedUntil else { return nil }
    if silences == 0 { silentSince = now }
    silences += 1
    guard silences >= Self.tolerance else { return nil }
    if now - silentSince >= unreachableTimeout {
      downUntil = now + Self.rest
      return .down(until: now + Self.rest)
    }
    let doublings = min(10, silences - Self.tolerance)
    pausedUntil = now + min(Self.longestPause, Double(1 << doublings))
    return .pause(until: pausedUntil)
  }

  private mutating func grow(to limit: Int) {
    guard let slots = window else { return }
    let grown = slots + 1 / slots
    window = grown >= Double(limit) ? nil : grown
  }

  private mutating func halve(from limit: Int, active: Int) {
    window = max(1, (window ?? Double(limit)) / 2)
    ignoredSignals = max(0, active - 1)
  }
}
