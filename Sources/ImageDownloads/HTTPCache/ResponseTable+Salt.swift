import GRDB
import ImageCaches
import Synchronization

/// The cache's secret for hashing credentials, read once.
final class CredentialSalt: Sendable {
  private let bytes = Mutex<[UInt8]?>(nil)
  private let store: DiskStore

  init(store: DiskStore) {
    self.store = store
  }

  /// Returns the secret. The first call blocks.
  func value() throws(CacheError) -> [UInt8] {
    if let known = bytes.withLock(\.self) { return known }
    let read: [UInt8] = try store.index.read { database in
      let row = try Row.fetchOne(database, sql: "SELECT bytes FROM salt")
      return try row?.withUnsafeData(atIndex: 0) { data in data.map { Array($0) } } ?? []
    }
    bytes.withLock { $0 = read }
    return read
  }
}
