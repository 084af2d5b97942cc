package import Glibc

/// The system's realtime and monotonic clocks.
package enum SystemTime {
  /// Nanoseconds since 1970, for comparison with the times of files.
  package static var nanoseconds: Int { read(CLOCK_REALTIME).nanoseconds }

  /// Seconds since 1970, for comparison with HTTP dates. The clock may be set back.
  package static var now: Double { Double(nanoseconds) / 1e9 }

  /// Seconds of the monotonic clock, which is never set back, for timeouts and durations.
  package static var monotonic: Double { Double(read(CLOCK_MONOTONIC).nanoseconds) / 1e9 }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}

extension timespec {
  /// The time in nanoseconds.
  package var nanoseconds: Int { tv_sec * 1_000_000_000 + tv_nsec }
}
