import Glibc
import ImageDownloads

/// Divides the process's file descriptors among their uses.
///
/// Waiting jobs hold none: sources and temporary files are opened when a rendering slot is free. Connections,
/// bodies in transfer and files being digested are bounded here. Workers, the index and outputs take about
/// thirty more.
enum OpenFiles {
  /// The soft and the hard limit; nil if they can't be read.
  static var limits: (now: Int, most: Int)? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
  }

  /// Raises the soft limit as far as the system allows, up to 4096, which is always enough.
  static func allowMany() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 4096))
    // If it can't be raised, `share` lowers the concurrency.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Bounds the downloads' descriptors: a quarter of the limit for connections, an eighth for bodies, an eighth for
  /// files being read.
  static func share(with configuration: inout ImageDownloader.Configuration) {
    guard let limit = limits?.now else { return }
    configuration.connectionLimit = min(256, max(4, limit / 4))
    configuration.activeDownloads = min(configuration.activeDownloads, max(1, limit / 8))
    configuration.diskConcurrency = min(64, max(2, limit / 8))
  }
}
