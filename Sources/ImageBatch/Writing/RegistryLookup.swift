import Glibc
package import ImageCaches
import SystemIO

/// Looks up what runs have written down of the files that they put in place.
package struct RegistryLookup: Sendable {
  private let store: DiskStore

  /// A look into a store.
  package init(store: DiskStore) { self.store = store }

  /// What has become of a file.
  package enum State: String, Sendable, Codable {
    /// It is as it was written.
    case inPlace = "in place"
    /// It is gone; its bytes are stored.
    case missingButStored = "missing; its bytes are stored"
    /// It is gone, and has to be made again.
    case missing
    /// Somebody has changed it.
    case edited = "changed since it was written"
  }

  /// What has become of the file since it was written.
  package func state(of entry: RegistryEntry) throws(CacheError) -> State {
    if FileDigestCache(store: store).isUnchanged(entry, at: entry.path) { return .inPlace }
    var status = stat()
    guard lstat(entry.path, &status) != 0, SystemError.last.isMissing else { return .edited }
    return try store.object(entry.digest) == nil ? .missing : .missingButStored
  }
}

extension DiskStore {
  /// The record of the file at a path; nil if no run is known to have written it.
  package func registryEntry(at path: String) throws(CacheError) -> RegistryEntry? {
    guard let real = RealPath.ofEntry(path) else { return nil }
    return try registryEntry(ofPath: real)
  }
}

extension BatchPlan.Entry {
  /// The path as the registry has it; nil where it, or its directory, isn't there yet.
  package var realPath: String? { path.flatMap(RealPath.ofEntry) }
}
