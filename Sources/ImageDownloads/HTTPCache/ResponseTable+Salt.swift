import GRDB
import ImageCaches

extension ResponseTable {
  /// The secret of this cache that credentials are hashed with.
  func salt() throws(CacheError) -> [UInt8] {
    try store.index.read { database in
      try [UInt8].fetchOne(database, sql: "SELECT bytes FROM salt") ?? []
    }
  }
}

extension [UInt8] {
  fileprivate static func fetchOne(_ database: Database, sql: String) throws -> [UInt8]? {
    let row = try Row.fetchOne(database, sql: sql)
    return try row?.withUnsafeData(atIndex: 0) { data in data.map { Array($0) } }
  }
}
