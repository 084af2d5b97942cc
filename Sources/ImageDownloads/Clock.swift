import Glibc

/// The two clocks that are read here.
enum Clock {
  /// Seconds since 1970: what HTTP dates are compared with.
  static var now: Double { read(CLOCK_REALTIME) }

  /// Seconds that only grow: what waits are measured by.
  static var monotonic: Double { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
