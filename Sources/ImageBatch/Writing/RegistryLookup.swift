import Glibc
package import ImageCaches
import ObjectStorage
import SystemIO

/// Looks up the registry's entries of output files.
package struct RegistryLookup: Sendable {
  private let store: DiskStore

  /// Creates a lookup in a store's registry.
  package init(store: DiskStore) { self.store = store }

  /// What has become of a file.
  package enum State: String, Sendable, Codable {
    /// The file is unchanged.
    case inPlace = "in place"
    /// The file is missing, but its bytes are in the store.
    case missingButStored = "missing; its bytes are stored"
    /// The file is missing and has to be rendered again.
    case missing
    /// The file has changed since it was written, or can't be read.
    case edited = "changed since it was written"
    /// The file is an object, which isn't asked for.
    case object = "in object storage; not compared"
  }

  /// The state of the file compared with its entry.
  /// - Throws: `CacheError` if the store can't be read.
  package func state(of entry: RegistryEntry) throws(CacheError) -> State {
    if ObjectAddress.isAddress(entry.path) { return .object }
    if FileDigestCache(store: store).isUnchanged(entry, at: entry.path) { return .inPlace }
    var status = stat()
    guard lstat(entry.path, &status) != 0, SystemError.last.isMissing else { return .edited }
    return try store.object(entry.digest) == nil ? .missing : .missingButStored
  }
}

extension DiskStore {
  /// The record of the file at a path; nil if no run is known to have written it.
  package func registryEntry(at path: String) throws(CacheError) -> RegistryEntry? {
    guard let real = ObjectAddress.isAddress(path) ? path : RealPath.ofEntry(path) else { return nil }
    return try registryEntry(ofPath: real)
  }
}

extension BatchPlan.Entry {
  /// The path in the registry's form; nil if it or its directory isn't known yet.
  package var realPath: String? { path.flatMap { ObjectAddress.isAddress($0) ? $0 : RealPath.ofEntry($0) } }
}
