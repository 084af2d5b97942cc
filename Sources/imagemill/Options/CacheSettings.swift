import Foundation
import ImageCaches
import ImageDownloads

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
  /// How long past its expiry a stored response may be served if its origin fails.
  var staleIfError = Duration.zero

  /// Opens the store.
  /// - Parameter canDoWithout: Whether the command has `--no-cache`.
  /// - Throws: `CommandError` if no directory is known, or the store can't be opened.
  func openStore(canDoWithout: Bool = true) throws -> DiskStore {
    let environment = ProcessInfo.processInfo.environment
    do {
      if isEphemeral { return try DiskStore.ephemeral() }
      guard let directory = directory ?? DiskStore.defaultDirectory(environment: environment) else {
        let others = canDoWithout ? "--cache-dir or --no-cache" : "--cache-dir"
        throw CommandError(.usage, "no cache directory is known; set HOME, or use \(others)")
      }
      return try DiskStore(directory: directory, capacity: capacity)
    } catch let error as CacheError {
      throw CommandError(.failed, error.messageWithRemedy(canDoWithout: canDoWithout))
    }
  }
}
