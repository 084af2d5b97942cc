import GRDB

extension DiskStore {
  /// The recorded digests of the files whose fingerprints are unchanged.
  /// - Throws: `CacheError` if the index can't be read.
  package func digests(forFiles fingerprints: [FileFingerprint]) throws(CacheError) -> [FileFingerprint:
    ContentDigest]
  {
    guard !fingerprints.isEmpty else { return [:] }
    return try index.query(lookups: fingerprints.count) { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT digest, checksum FROM fingerprints
          WHERE path = ? AND bytes = ? AND modified_ns = ? AND changed_ns = ? AND inode = ?
          """)
      var found: [FileFingerprint: ContentDigest] = [:]
      found.reserveCapacity(fingerprints.count)
      for fingerprint in fingerprints {
        let arguments: StatementArguments = [
          fingerprint.path, fingerprint.bytes, fingerprint.modifiedNanoseconds,
          fingerprint.changedNanoseconds, fingerprint.inode,
        ]
        guard let row = try Row.fetchOne(statement, arguments: arguments),
          let digest = row.validatedDigest("digest"),
          fingerprint.checksum(digest) == row.validated("checksum")
        else { continue }
        found[fingerprint] = digest
      }
      return found
    }
  }

  /// Records digests of files in one transaction. An older fingerprint of the same path is replaced.
  /// - Throws: `CacheError` if the index can't be written.
  package func recordDigests(_ digests: [FileFingerprint: ContentDigest]) throws(CacheError) {
    guard !digests.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO fingerprints (path, bytes, modified_ns, changed_ns, inode, digest, checksum)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """)
      for (fingerprint, digest) in digests {
        try statement.execute(arguments: [
          fingerprint.path, fingerprint.bytes, fingerprint.modifiedNanoseconds,
          fingerprint.changedNanoseconds, fingerprint.inode,
          digest.hex,
          fingerprint.checksum(digest),
        ])
      }
    }
  }
}
