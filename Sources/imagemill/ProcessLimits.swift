import Glibc
import SystemIO

/// The limits of the shell (setrlimit(2)) under which the command can run.
///
/// With less memory for its libraries and threads than these, the process can crash while it starts, or wait without end
/// for memory for a thread.
enum ProcessLimits {
  /// A limit with the least value that is enough.
  private struct Limit {
    let resource: __rlimit_resource
    let name: String
    /// The option of the shell's `ulimit`, which takes KiB.
    let option: String
    let leastKiB: Int
  }

  private static let processors = Machine.onlineProcessors

  private static let limits = [
    // libvips and its libraries take 400 MB of addresses; each thread 8 MB for its stack and up to 128 MB for malloc(3).
    Limit(
      resource: RLIMIT_AS, name: "address space", option: "-v", leastKiB: (768 + 128 * processors) * 1024),
    Limit(resource: RLIMIT_DATA, name: "data", option: "-d", leastKiB: (128 + 32 * processors) * 1024),
    Limit(resource: RLIMIT_STACK, name: "stack", option: "-s", leastKiB: 256),
  ]

  /// Why the command can't run; nil if it can.
  static var refusal: String? {
    for limit in limits {
      var value = rlimit()
      guard getrlimit(__rlimit_resource_t(limit.resource.rawValue), &value) == 0,
        let given = Int(exactly: value.rlim_cur / 1024), given < limit.leastKiB
      else { continue }
      let (least, raise) = (limit.leastKiB, "ulimit \(limit.option)")
      return "the \(limit.name) limit is \(given) KiB, but imagemill needs \(least) KiB; "
        + "raise it with '\(raise) \(least)', or with '\(raise) unlimited'"
    }
    return nil
  }

  /// The least number of files that may be open, with which each command can run: its standard streams, the cache's index
  /// with its locks, a worker or three, and a few downloads.
  static let leastOpenFiles = 48

  /// Why a command with a cache can't run; nil if it can.
  /// - Parameter limit: The number of files that may be open.
  static func refusal(ofOpenFiles limit: Int) -> String? {
    guard limit < leastOpenFiles else { return nil }
    return "only \(limit) files may be open, but imagemill needs \(leastOpenFiles); "
      + "raise the limit with 'ulimit -n 256'"
  }
}
