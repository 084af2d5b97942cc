import GRDB

extension DiskStore {
  /// The digest of a file outside the store: remembered while its stamp stays the same, else hashed; nil where it
  /// can't be read.
  public func digest(ofFile path: String) -> ContentDigest? {
    guard let stamp = FileStamp(ofFile: path) else { return nil }
    if let known = knownDigest(ofFile: path, stamp) { return known }
    let started = FileStamp.now
    guard let digest = FileHash.digest(ofFile: path) else { return nil }
    // Only what didn't change while it was read, and can't have changed unseen since.
    if FileStamp(ofFile: path) == stamp, stamp.isSettled(now: started) { remember(path, stamp, digest) }
    return digest
  }

  /// Remembers the digest of a file that this process has just put in place.
  public func recordStamp(of path: String, _ digest: ContentDigest) {
    guard let stamp = FileStamp(ofFile: path) else { return }
    remember(path, stamp, digest)
  }

  private func remember(_ path: String, _ stamp: FileStamp, _ digest: ContentDigest) {
    let count = memory.withLock { memory in
      memory.newStamps[Self.absolute(path)] = (stamp, digest)
      return memory.newStamps.count
    }
    if count >= 4096 { flush() }
  }

  private func knownDigest(ofFile path: String, _ stamp: FileStamp) -> ContentDigest? {
    let path = Self.absolute(path)
    if let new = memory.withLock({ $0.newStamps[path] }) { return new.stamp == stamp ? new.digest : nil }
    do throws(CacheError) {
      return try index.read { try FileStampRows.digest(path, stamp, in: $0) }
    } catch {
      notice(error.message)
      return nil
    }
  }

  /// Paths are remembered from the root: a run in another directory means another file.
  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : workingDirectory + "/" + path
  }

  private static let workingDirectory = WorkingDirectory.path
}

/// The table `stamp`.
enum FileStampRows {
  static func digest(_ path: String, _ stamp: FileStamp, in database: Database) throws -> ContentDigest? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT digest FROM stamp
        WHERE path = ? AND device = ? AND inode = ? AND size = ? AND modified = ? AND changed = ?
        """)
    let hex = try String.fetchOne(
      statement,
      arguments: [path, stamp.device, stamp.inode, stamp.size, stamp.modified, stamp.changed])
    return hex.flatMap { ContentDigest(hex: $0) }
  }

  static func insert(
    _ stamps: [String: (stamp: FileStamp, digest: ContentDigest)], in database: Database
  ) throws {
    for (path, (stamp, digest)) in stamps {
      try database.cachedStatement(sql: "INSERT OR REPLACE INTO stamp VALUES (?, ?, ?, ?, ?, ?, ?)")
        .execute(
          arguments: [
            path, stamp.device, stamp.inode, stamp.size, stamp.modified, stamp.changed, digest.hex,
          ])
    }
  }
}
