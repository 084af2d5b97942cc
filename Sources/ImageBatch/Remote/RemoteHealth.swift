/// What a run may still ask of the remote cache. A cache that is slow, wrong or gone costs a bounded wait once and a
/// warning, never a failed run.
///
/// | failure | lookups | uploads |
/// | --- | --- | --- |
/// | missing | go on | – |
/// | busy, after all retries | off after ``tolerance`` in a row | the same |
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
  /// A lookup that takes longer, in seconds, counts as slow for the rest of its time.
  static let usualLookup = 0.5

  private var disabled: Set<Operation> = []
  private var busy: [Operation: Int] = [:]
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

  func allows(_ operation: Operation) -> Bool { !disabled.contains(operation) }

  mutating func succeeded(_ operation: Operation) { busy[operation] = nil }

  mutating func failed(_ operation: Operation, _ failure: RemoteFailure) -> Verdict {
    guard allows(operation) else { return Verdict() }
    switch failure.kind {
    case .missing where operation == .lookup:
      succeeded(operation)
      return Verdict()
    case .ended, .local: return Verdict()
    case .busy:
      busy[operation, default: 0] += 1
      guard busy[operation, default: 0] >= Self.tolerance else { return Verdict() }
      return disable(operation, failure)
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
