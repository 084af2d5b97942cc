import Glibc

/// How many files the process may have open.
enum OpenFiles {
  /// Raises the limit to what the system allows: every job in flight holds its source open.
  static func allowMany() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65536)
    // Where it can't be raised, fewer jobs are in flight before an error says so.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
