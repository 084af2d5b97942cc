import Glibc

/// How many files the process may have open.
enum OpenFiles {
  /// The limit now, and what it may be raised to; nil where the system doesn't tell.
  static var limits: (now: Int, most: Int)? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
  }

  /// Raises the limit to what the system allows: every job in flight holds its source open.
  static func allowMany() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65536)
    // Where it can't be raised, fewer jobs are in flight before an error says so.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
