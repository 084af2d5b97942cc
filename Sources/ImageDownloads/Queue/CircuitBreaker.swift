/// What the end of an attempt says about its host.
enum HostSignal: Sendable {
  /// There was an answer, of whatever status.
  case answered
  /// It asked for less (429, 503), or stopped in the middle of an answer.
  case overloaded
  /// No answer began: no address, no connection, or nothing on it.
  case silent
}

/// How much one host is trusted with, by what its attempts came to: a pure value, told the time.
///
/// Overload halves the slots, and each round of good answers gives one back (AIMD, as TCP's congestion
/// avoidance, RFC 5681 §3.1). Silence, many times in a row, leaves one slot and longer and longer pauses
/// between the attempts; if it lasts, what waits for the host is refused for a while.
struct CircuitBreaker: Sendable {
  /// Silent attempts in a row that are borne without doubt.
  static let tolerance = 10
  /// A host that is down is asked again after this many seconds.
  static let rest = 60.0
  /// The longest pause between attempts at a host in doubt, in seconds.
  static let longestPause = 16.0

  /// What is to be done about a host.
  enum Verdict: Equatable, Sendable {
    /// Leave it alone until this time.
    case pause(until: Double)
    /// Refuse what waits for it until this time.
    case down(until: Double)
  }

  /// The slots that it may have; nil as many as are allowed.
  private var window: Double?
  /// Attempts that had begun when the window was last halved: what they say of overload has been heard.
  private var ignoredSignals = 0
  private var silences = 0
  private var silentSince = 0.0
  /// Attempts that end before this time had begun before the host came into doubt.
  private var pausedUntil = -Double.infinity
  private(set) var downUntil: Double?

  /// How many of `limit` slots it gets.
  func slots(of limit: Int) -> Int {
    if silences >= Self.tolerance { return 1 }
    return window.map { min(limit, max(1, Int($0))) } ?? limit
  }

  /// An attempt has ended.
  /// - Parameters:
  ///   - active: how many of the host's were active, this one included.
  ///   - limit: the slots that are allowed.
  ///   - unreachableTimeout: after silence of this many seconds another silent attempt takes the host down.
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
