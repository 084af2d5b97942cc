import Glibc
import GRDB

extension DiskStore {
  /// Removes the least recently used objects until no more than ``preferredUsageAfterPurge`` is used. What a
  /// process has pinned stays readable for it. `kept` is not removed.
  public func purge(keeping kept: ContentDigest? = nil) throws(CacheError) {
    flush()
    let (directory, preferred) = (directory, preferredUsageAfterPurge)
    try index.write { database in
      var usage = try Int.fetchOne(database, sql: "SELECT bytes FROM usage") ?? 0
      while usage > preferred {
        let rows = try Row.fetchAll(
          database, sql: "SELECT digest, bytes FROM object WHERE digest != ? ORDER BY lastUse LIMIT 256",
          arguments: [kept?.hex ?? ""])
        if rows.isEmpty { return }
        for row in rows where usage > preferred {
          let hex: String = row["digest"]
          try database.execute(sql: "DELETE FROM object WHERE digest = ?", arguments: [hex])
          try database.execute(sql: "DELETE FROM output WHERE digest = ?", arguments: [hex])
          if let digest = ContentDigest(hex: hex) {
            unlink(ObjectFiles.path(of: digest, in: directory))
          }
          usage -= row["bytes"]
        }
      }
    }
  }
}
