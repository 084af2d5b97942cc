public import ImageCaches
import SystemIO

/// Looks up what runs have written down of the files that they put in place.
public struct LedgerLookup: Sendable {
  private let store: DiskStore

  /// A look into a store.
  public init(store: DiskStore) { self.store = store }

  /// What is known of the file at a path; nil where no run is known to have made it.
  public func entry(of path: String) throws(CacheError) -> LedgerEntry? {
    guard let real = RealPath.ofEntry(path) else { return nil }
    return try store.ledgerEntry(ofPath: real)
  }

  /// What has become of a file.
  public enum State: String, Sendable, Codable {
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
  public func state(of entry: LedgerEntry) throws(CacheError) -> State {
    let pruning = Pruning(
      store: store, stamps: StampMemory(store: store), sources: SourceFiles(store: store, records: false))
    switch pruning.state(of: entry) {
    case .removed: return .inPlace
    case .kept: return .edited
    case .gone: return try store.object(entry.digest) == nil ? .missing : .missingButStored
    }
  }
}

extension BatchPlan.Entry {
  /// The path as the ledger has it; nil where it, or its directory, isn't there yet.
  public var realPath: String? { path.flatMap(RealPath.ofEntry) }
}
