import Glibc

/// The limit on this process's file descriptors (`RLIMIT_NOFILE`).
package enum OpenFileLimit {
  /// The soft and the hard limit; nil if they can't be read.
  package static var current: (soft: Int, hard: Int)? {
    values.map { (Int(clamping: $0.rlim_cur), Int(clamping: $0.rlim_max)) }
  }

  /// Raises the soft limit to `count`, or as far as the hard limit allows. A higher one stays.
  package static func raise(to count: Int) {
    guard var limit = values else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(count)))
    // If it can't be raised, callers work within the one that is there.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static var values: rlimit? {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
  }
}
