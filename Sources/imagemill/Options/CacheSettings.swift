import Foundation
import ImageCaches
import ImageDownloads
import Glibc

/// The settings of the disk cache.
struct CacheSettings {
  /// The cache directory; nil: the environment's default.
  var directory: String?
  /// The maximum size on disk for this run, in bytes; nil: the cache's own limit.
  var capacity: Int?
  /// How stored responses are used.
  var mode = CacheMode.standard
  /// Whether the run uses a temporary store instead of the persistent cache.
  var isEphemeral = false
  /// Whether a missing directory is created; otherwise it is read as an empty cache.
  var createsDirectory = true
  /// Whether offline mode stands for requests that are planned, and refuses their hosts.
  var plansRequests = false
  /// The time past its expiry for which a stored response may be served if its origin fails.
  var staleIfError = Duration.zero

  /// The cache's directory; nil if none is known.
  var persistentDirectory: String? {
    directory ?? DiskStore.defaultDirectory(environment: ProcessInfo.processInfo.environment)
  }

  /// Opens the store; repairs are reported on standard error.
  /// - Parameter canDoWithout: Whether the command has `--no-cache`.
  /// - Throws: `CommandError` if no directory is known, or the store can't be opened.
  func openStore(canDoWithout: Bool = true) throws -> DiskStore {
    do {
      if isEphemeral { return Self.reporting(try DiskStore.ephemeral(), canDoWithout) }
      guard let directory = persistentDirectory else {
        let others = canDoWithout ? "--cache-dir or --no-cache" : "--cache-dir"
        throw CommandError(.usage, "no cache directory is known; set HOME, or use \(others)")
      }
      let isAbsent = access(directory, F_OK) != 0 && errno == ENOENT
      let store =
        !createsDirectory && isAbsent
        ? try DiskStore.absent(directory) : try DiskStore(directory: directory, capacity: capacity)
      return Self.reporting(store, canDoWithout)
    } catch let error as CacheError {
      throw CommandError(.failed, error.messageWithRemedy(canDoWithout: canDoWithout))
    }
  }

  private static func reporting(_ store: DiskStore, _ canDoWithout: Bool) -> DiskStore {
    store.onRepair {
      StandardError.say("imagemill: warning: \($0.messageWithRemedy(canDoWithout: canDoWithout))")
    }
    return store
  }
}
