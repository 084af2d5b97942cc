import GRDB

/// An encoded output that the store may still have: where its bytes are, and what a report says about it.
public struct StoredOutput: Hashable, Sendable {
  /// The encoded bytes.
  public var digest: ContentDigest
  /// In pixels.
  public var width: Int
  /// In pixels, of one frame.
  public var height: Int
  /// The number of frames; 1 or more.
  public var frames: Int
  /// The encoded size.
  public var bytes: Int
  /// What making it took, in seconds.
  public var seconds: Double
  /// Whatever else the recorder wants back, as JSON.
  public var extra: String

  /// A stored output.
  public init(
    digest: ContentDigest, width: Int, height: Int, frames: Int = 1, bytes: Int, seconds: Double = 0,
    extra: String = "{}"
  ) {
    self.digest = digest
    self.width = width
    self.height = height
    self.frames = frames
    self.bytes = bytes
    self.seconds = seconds
    self.extra = extra
  }

  fileprivate init?(_ row: Row) {
    guard let digest = row.soundDigest("digest"),
      let width: Int = row.sound("width"), let height: Int = row.sound("height"),
      let frames: Int = row.sound("frames"), let bytes: Int = row.sound("bytes"),
      let seconds: Double = row.sound("seconds"), let extra: String = row.sound("extra")
    else { return nil }
    self.init(
      digest: digest, width: width, height: height, frames: frames, bytes: bytes, seconds: seconds,
      extra: extra)
  }

  fileprivate func seal(_ key: ContentDigest) -> String {
    var seal = KeyBuilder("output-row")
    for field in [key.hex, digest.hex, "\(width)", "\(height)", "\(frames)", "\(bytes)", "\(seconds)", extra]
    {
      seal.append(field)
    }
    return String(seal.digest.hex.prefix(16))
  }
}

// Each row carries a seal, a short hash of its fields: a flipped bit in the index makes the row unknown instead of wrong.
extension DiskStore {
  /// What the store knows of outputs by their keys. That an output is known doesn't promise its object: ask ``object(_:)``.
  public func storedOutputs(forKeys keys: [ContentDigest]) throws(CacheError) -> [ContentDigest:
    StoredOutput]
  {
    guard !keys.isEmpty else { return [:] }
    return try index.query { database in
      let statement = try database.cachedStatement(
        sql: "SELECT digest, width, height, frames, bytes, seconds, extra, seal FROM outputs WHERE key = ?")
      var found: [ContentDigest: StoredOutput] = [:]
      found.reserveCapacity(keys.count)
      for key in keys {
        guard let row = try Row.fetchOne(statement, arguments: [key.hex]), let output = StoredOutput(row),
          output.seal(key) == row.sound("seal")
        else { continue }
        found[key] = output
      }
      return found
    }
  }

  /// Remembers outputs by their keys, in one transaction.
  public func recordOutputs(_ outputs: [ContentDigest: StoredOutput]) throws(CacheError) {
    guard !outputs.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO outputs (key, digest, width, height, frames, bytes, seconds, extra, seal)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      for (key, output) in outputs {
        try statement.execute(arguments: [
          key.hex, output.digest.hex, output.width, output.height, output.frames, output.bytes,
          output.seconds,
          output.extra,
          output.seal(key),
        ])
      }
    }
  }

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
