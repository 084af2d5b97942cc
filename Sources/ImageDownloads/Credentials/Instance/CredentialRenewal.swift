import ObjectStorage

/// Decides when temporary credentials are fetched. Pure: times are seconds of a clock that isn't set.
///
/// | credentials | a fetch is under way | it isn't |
/// | --- | --- | --- |
/// | none, or expired | wait | fetch and wait; after a failure, fail for a while |
/// | about to expire | wait | the same, and use them if the fetch fails |
/// | to be renewed | use them | use them, and fetch |
/// | others | | use them |
struct CredentialRenewal: Sendable {
  enum Answer: Hashable {
    /// Use the key.
    case key(AccessKey, fetches: Bool)
    /// Wait for the fetch.
    case wait(fetches: Bool)
    case failed(CredentialFailure)
  }

  /// So long before their end, in seconds, credentials are renewed. The next ones are there five minutes before it.
  static let early = 900.0
  /// So long before their end, a request waits for new ones: its own might expire before it arrives.
  static let late = 60.0
  /// The shortest time between two fetches. A server gives the same credentials until it has others.
  static let pause = 10.0
  /// The longest time for which a failure stands.
  static let longestPause = 60.0

  private(set) var key: AccessKey?
  private var failure: CredentialFailure?
  private var failures = 0
  /// How often in a row a server refused a key soon after it was fetched.
  private var refusals = 0
  private var fetched = 0.0
  private var expiry = 0.0
  private var lifetime = 0.0
  private var nextFetch = -Double.infinity
  private var isFetching = false

  mutating func ask(now: Double) -> Answer {
    let left = expiry - now
    let valid = left > 0 ? key : nil
    if let valid, left > min(Self.early, lifetime / 4) { return .key(valid, fetches: false) }
    // Credentials that live for minutes only must not be waited for all the time.
    let ready = left > min(Self.late, lifetime / 16) ? valid : nil
    if isFetching { return ready.map { .key($0, fetches: false) } ?? .wait(fetches: false) }
    guard now >= nextFetch else {
      switch outcome(valid) {
      case .success(let key): return .key(key, fetches: false)
      case .failure(let failure): return .failed(failure)
      }
    }
    isFetching = true
    return ready.map { .key($0, fetches: true) } ?? .wait(fetches: true)
  }

  /// Ends a fetch.
  /// - Parameter result: The key, and for how many seconds it is valid.
  /// - Returns: What those who wait for it get.
  mutating func finish(
    _ result: Result<(key: AccessKey, lifetime: Double), CredentialFailure>, now: Double
  ) -> Result<AccessKey, CredentialFailure> {
    isFetching = false
    switch result {
    case .success(let found) where found.lifetime > 0:
      if found.key != key { lifetime = found.lifetime }
      (key, expiry, fetched) = (found.key, now + found.lifetime, now)
      (failure, failures) = (nil, 0)
      nextFetch = now + min(Self.pause, lifetime / 8)
    case .success: fail(CredentialFailure("the credentials have expired", isTemporary: true), now)
    case .failure(let failure): fail(failure, now)
    }
    return outcome(expiry > now ? key : nil)
  }

  private mutating func fail(_ failure: CredentialFailure, _ now: Double) {
    self.failure = failure
    failures += 1
    nextFetch = now + min(Self.longestPause, Double(1 << min(failures, 10)))
  }

  /// Gives up a key that was refused. The next fetch may be at once, unless that is the rule with this server.
  mutating func discard(_ key: AccessKey, now: Double) {
    guard key == self.key, expiry > now else { return }
    failure = CredentialFailure("the server refuses the credentials as expired or invalid", isTemporary: true)
    expiry = -.infinity
    refusals = now - fetched > Self.longestPause ? 1 : refusals + 1
    nextFetch = now + (refusals > 1 ? min(Self.longestPause, Double(1 << min(refusals, 10))) : 0)
  }

  private func outcome(_ key: AccessKey?) -> Result<AccessKey, CredentialFailure> {
    if let key { return .success(key) }
    return .failure(failure ?? CredentialFailure("the credentials have expired", isTemporary: true))
  }
}
