import Glibc
import ImageDownloads

/// The descriptors that the process may have, and who gets how many of them.
///
/// Jobs in flight hold none: sources and temporary files are opened when there is a slot to render them. What is left
/// is bounded here: connections, bodies under way, files that are digested. Workers, the index and outputs take about
/// thirty more.
enum OpenFiles {
  /// The limit now, and what it may be raised to; nil where the system doesn't tell.
  static var limits: (now: Int, most: Int)? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
  }

  /// Raises the limit to what the system allows, up to as many as are ever used.
  static func allowMany() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 4096))
    // Where it can't be raised, less is done at once.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Bounds what downloads keep open by the limit: a quarter of it for connections, an eighth for bodies, an eighth for
  /// files that are read.
  static func share(with configuration: inout ImageDownloader.Configuration) {
    guard let limit = limits?.now else { return }
    configuration.connectionLimit = min(256, max(4, limit / 4))
    configuration.activeDownloads = min(configuration.activeDownloads, max(1, limit / 8))
    configuration.diskConcurrency = min(64, max(2, limit / 8))
  }
}
