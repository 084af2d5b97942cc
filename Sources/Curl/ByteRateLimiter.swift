/// The bytes that a group of transfers may still receive: a bucket that fills at a rate and that each piece of a body
/// empties.
///
/// A pure function of the times given to it.
struct ByteBucket {
  /// Bytes per second.
  let rate: Double
  private var level: Double
  private var time: Double

  /// The most that collects while nothing is received: a quarter of a second's bytes. A server's next response then can't
  /// come much faster than the rate.
  private var capacity: Double { rate / 4 }

  /// - Parameters:
  ///   - rate: Bytes per second, more than 0.
  ///   - time: Now, in seconds.
  init(rate: Double, at time: Double) {
    self.rate = rate
    self.time = time
    level = rate / 4
  }

  /// The seconds until something may be received; 0 if it may now.
  mutating func wait(at now: Double) -> Double {
    level = min(capacity, level + max(0, now - time) * rate)
    time = max(time, now)
    // A bucket isn't empty above this; without the margin, rounding could wake a thread a moment too early, again and again.
    return level > -1e-6 ? 0 : -level / rate
  }

  /// Takes a piece, which may be more than there is: the next one waits for it.
  mutating func take(_ bytes: Int) { level -= Double(bytes) }
}

/// Holds back the transfers of one key, such as a host, so that together they receive no more than their rate.
///
/// Not Sendable: it never leaves the engine's thread.
final class ByteRateLimiter {
  private var bucket: ByteBucket
  /// The paused transfers, the longest waiting first, so that none of them starves.
  private var paused: [Transfer] = []
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant

  init(rate: Int) {
    start = clock.now
    bucket = ByteBucket(rate: Double(max(1, rate)), at: 0)
  }

  private var now: Double { (clock.now - start) / .seconds(1) }

  /// Whether the transfer may take a piece now. If not, it is paused and resumed when it may.
  func admit(_ bytes: Int, for transfer: Transfer) -> Bool {
    guard bucket.wait(at: now) <= 0 else {
      paused.append(transfer)
      return false
    }
    bucket.take(bytes)
    return true
  }

  /// Forgets a transfer that has ended.
  func remove(_ transfer: Transfer) { paused.removeAll { $0 === transfer } }

  /// Resumes transfers in turn until the bucket is empty.
  /// - Returns: The seconds until the next one can continue; nil if none waits.
  func resume() -> Double? {
    while !paused.isEmpty {
      let wait = bucket.wait(at: now)
      guard wait <= 0 else { return wait }
      // It may take some of what libcurl has buffered and be paused again, behind the others.
      paused.removeFirst().resume()
    }
    return nil
  }
}
