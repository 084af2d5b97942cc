/// What a run may still ask of the remote cache. A cache that is slow, wrong or gone costs a bounded wait once and a
/// warning, never a failed run.
///
/// | failure | lookups | uploads |
/// | --- | --- | --- |
/// | missing | go on | – |
/// | busy, after all retries | paused after ``tolerance`` in a row, longer each time | the same, and sent later |
/// | refused | off | off |
/// | rejected | both off | the same |
/// | unreachable | both off, transfers in flight are ended | the same |
/// | wrong | a warning at the first, off after three | – |
/// | slow lookups | off when they have delayed the run by the timeout | – |
struct RemoteHealth {
  enum Operation: Hashable {
    case lookup, upload
  }

  /// What follows from a failure.
  struct Verdict: Equatable {
    /// What to tell the user.
    var warning: String?
    /// Whether to end all transfers in flight.
    var endsTransfers = false
  }

  static let tolerance = 8
  /// The first pause that a busy server gets, and the longest, in seconds.
  static let pause = 2.0
  static let longestPause = 60.0
  /// A lookup that takes longer, in seconds, counts as slow for the rest of its time.
  static let usualLookup = 0.5

  private var disabled: Set<Operation> = []
  private var busy: [Operation: Int] = [:]
  private var pauses: [Operation: Int] = [:]
  private var resumption: [Operation: Double] = [:]
  private var hasToldPause = false
  private var wrong = 0
  private var delay = 0.0
  /// The seconds for which slow lookups may delay the run.
  let patience: Double
  /// The number of lookups that wait at the same time.
  let concurrency: Int

  init(patience: Double, concurrency: Int) {
    self.patience = patience
    self.concurrency = max(1, concurrency)
  }

  /// Whether requests may be sent in this run, now or after a pause.
  func allows(_ operation: Operation) -> Bool { !disabled.contains(operation) }

  /// The seconds until requests may be sent again; 0 if there is no pause.
  /// - Parameter now: The time in seconds of a clock that isn't set.
  func pause(of operation: Operation, now: Double) -> Double { max(0, (resumption[operation] ?? 0) - now) }

  mutating func succeeded(_ operation: Operation) {
    busy[operation] = nil
    pauses[operation] = nil
  }

  /// Counts a failure.
  /// - Parameter now: The time in seconds of a clock that isn't set.
  mutating func failed(_ operation: Operation, _ failure: RemoteFailure, now: Double) -> Verdict {
    guard allows(operation) else { return Verdict() }
    switch failure.kind {
    case .missing where operation == .lookup:
      succeeded(operation)
      return Verdict()
    case .ended, .local: return Verdict()
    case .busy:
      // Requests that were in flight when the pause began tell nothing new.
      guard pause(of: operation, now: now) == 0 else { return Verdict() }
      busy[operation, default: 0] += 1
      guard busy[operation, default: 0] >= Self.tolerance else { return Verdict() }
      let turn = pauses[operation, default: 0]
      pauses[operation] = turn + 1
      let pause = min(Self.longestPause, Self.pause * Double(1 << min(turn, 10)))
      resumption[operation] = now + pause
      guard !hasToldPause else { return Verdict() }
      hasToldPause = true
      return Verdict(
        warning: "the remote cache is left alone for a while, and asked again later: \(failure.message)")
    case .wrong:
      wrong += 1
      if wrong >= 3 { return disable(operation, failure) }
      return wrong > 1
        ? Verdict() : Verdict(warning: "the remote cache has a damaged entry: \(failure.message)")
    case .missing, .refused: return disable(operation, failure)
    case .rejected, .unreachable:
      disabled = [.lookup, .upload]
      return Verdict(
        warning: "the remote cache isn't used for the rest of this run: \(failure.message)",
        // What is rejected ends by itself, at once.
        endsTransfers: failure.kind == .unreachable)
    }
  }

  /// Counts the duration of a lookup, in seconds.
  mutating func took(_ seconds: Double) -> Verdict {
    delay += max(0, seconds - Self.usualLookup) / Double(concurrency)
    guard allows(.lookup), delay > patience else { return Verdict() }
    return disable(.lookup, RemoteFailure(.unreachable, "it is slow"))
  }

  private mutating func disable(_ operation: Operation, _ failure: RemoteFailure) -> Verdict {
    disabled.insert(operation)
    let what = operation == .lookup ? "read" : "written"
    return Verdict(
      warning: "the remote cache isn't \(what) for the rest of this run: \(failure.message)")
  }
}
