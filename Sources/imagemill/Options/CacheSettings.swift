import Foundation
import ImageCaches
import ImageDownloads

/// What a command asks of the disk cache.
struct CacheSettings {
  /// Its directory; nil: the one that the environment names.
  var directory: String?
  /// What it may take on disk, in bytes.
  var capacity = 2 << 30
  /// What is wanted of stored responses.
  var mode = CacheMode.standard
  /// Whether nothing is used and kept from run to run.
  var isEphemeral = false
  /// How long after it became stale a stored response is used when its origin fails.
  var staleIfError = Duration.zero

  /// Opens the store.
  /// - Parameter canDoWithout: Whether the command works without a cache.
  func openStore(canDoWithout: Bool = true) throws -> DiskStore {
    let environment = ProcessInfo.processInfo.environment
    do {
      if isEphemeral { return try DiskStore.ephemeral() }
      guard let directory = directory ?? DiskStore.defaultDirectory(environment: environment) else {
        let others = canDoWithout ? "--cache-dir or --no-cache" : "--cache-dir"
        throw Complaint(.usage, "nothing says where the cache is; set HOME, or use \(others)")
      }
      return try DiskStore(directory: directory, capacity: capacity)
    } catch let error as CacheError {
      throw Complaint(.failed, error.messageWithRemedy(canDoWithout: canDoWithout))
    }
  }
}
