package import Glibc

/// The system's two clocks.
package enum SystemTime {
  /// Nanoseconds since 1970: what the times of files are compared with.
  package static var nanoseconds: Int { read(CLOCK_REALTIME).nanoseconds }

  /// Seconds since 1970: what HTTP dates are compared with. It may be set back.
  package static var now: Double { Double(nanoseconds) / 1e9 }

  /// Seconds that only grow: what waits are measured by.
  package static var monotonic: Double { Double(read(CLOCK_MONOTONIC).nanoseconds) / 1e9 }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}

extension timespec {
  /// The whole in nanoseconds.
  package var nanoseconds: Int { tv_sec * 1_000_000_000 + tv_nsec }
}
