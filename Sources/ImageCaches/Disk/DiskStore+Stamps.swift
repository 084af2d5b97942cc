import GRDB

extension DiskStore {
  /// The digests of those files whose stamps are as they were when the digest was recorded.
  public func digests(forFiles stamps: [FileStamp]) throws(CacheError) -> [FileStamp: ContentDigest] {
    guard !stamps.isEmpty else { return [:] }
    return try index.query { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT digest, seal FROM stamps
          WHERE path = ? AND bytes = ? AND modified_ns = ? AND changed_ns = ? AND inode = ?
          """)
      var found: [FileStamp: ContentDigest] = [:]
      found.reserveCapacity(stamps.count)
      for stamp in stamps {
        let arguments: StatementArguments = [
          stamp.path, stamp.bytes, stamp.modifiedNanoseconds, stamp.changedNanoseconds, stamp.inode,
        ]
        guard let row = try Row.fetchOne(statement, arguments: arguments),
          let digest = row.soundDigest("digest"),
          stamp.seal(digest) == row.sound("seal")
        else { continue }
        found[stamp] = digest
      }
      return found
    }
  }

  /// Remembers the digests of files, in one transaction; an older stamp of the same path is replaced.
  public func recordDigests(_ digests: [FileStamp: ContentDigest]) throws(CacheError) {
    guard !digests.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO stamps (path, bytes, modified_ns, changed_ns, inode, digest, seal)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """)
      for (stamp, digest) in digests {
        try statement.execute(arguments: [
          stamp.path, stamp.bytes, stamp.modifiedNanoseconds, stamp.changedNanoseconds, stamp.inode,
          digest.hex,
          stamp.seal(digest),
        ])
      }
    }
  }
}
