package import ImageCaches
import SystemIO

/// Looks up what runs have written down of the files that they put in place.
package struct RegistryLookup: Sendable {
  private let store: DiskStore

  /// A look into a store.
  package init(store: DiskStore) { self.store = store }

  /// What is known of the file at a path; nil where no run is known to have made it.
  package func entry(of path: String) throws(CacheError) -> RegistryEntry? {
    guard let real = RealPath.ofEntry(path) else { return nil }
    return try store.registryEntry(ofPath: real)
  }

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
    let pruning = Pruning(
      store: store, fingerprints: FileDigestCache(store: store),
      sources: SourceFiles(store: store, records: false))
    switch pruning.state(of: entry) {
    case .removed: return .inPlace
    case .kept: return .edited
    case .gone: return try store.object(entry.digest) == nil ? .missing : .missingButStored
    }
  }
}

extension BatchPlan.Entry {
  /// The path as the registry has it; nil where it, or its directory, isn't there yet.
  package var realPath: String? { path.flatMap(RealPath.ofEntry) }
}
