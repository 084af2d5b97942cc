import GRDB

extension DiskStore {
  /// What the store has under these output keys. An index that can't be read has none, and says so.
  public func storedOutputs(forKeys keys: [ContentDigest]) -> [ContentDigest: StoredOutput] {
    guard !keys.isEmpty else { return [:] }
    do throws(CacheError) {
      let found = try index.read { database in
        var found: [ContentDigest: StoredOutput] = [:]
        for key in keys {
          let statement = try database.cachedStatement(sql: "SELECT * FROM output WHERE key = ?")
          guard let row = try Row.fetchOne(statement, arguments: [key.hex]),
            let digest = ContentDigest(hex: row["digest"] as String)
          else { continue }
          found[key] = StoredOutput(
            digest: digest, width: row["width"], height: row["height"], frames: row["frames"],
            bytes: row["bytes"], extra: row["extra"])
        }
        return found
      }
      memory.withLock { memory in
        for (key, output) in found {
          memory.usedOutputs.insert(key)
          memory.usedObjects.insert(output.digest)
        }
      }
      return found
    } catch {
      notice(error.message)
      return [:]
    }
  }

  /// Remembers outputs whose bytes are objects of the store.
  public func recordOutputs(_ outputs: [ContentDigest: StoredOutput]) {
    guard !outputs.isEmpty, !isReadOnly else { return }
    let now = FileStamp.now
    do throws(CacheError) {
      try index.write { database in
        let statement = try database.cachedStatement(
          sql: "INSERT OR REPLACE INTO output VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        for (key, output) in outputs {
          try statement.execute(
            arguments: [
              key.hex, output.digest.hex, output.width, output.height, output.frames, output.bytes,
              output.extra, now,
            ])
        }
      }
    } catch {
      notice(error.message)
    }
  }
}
