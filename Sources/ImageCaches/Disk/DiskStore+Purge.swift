import GRDB
import Glibc
import SystemIO

extension DiskStore {
  /// The total size of the renditions, in bytes.
  public func renditionBytes() throws(CacheError) -> Int {
    try index.query { try Int.fetchOne($0, sql: "SELECT sum(bytes) FROM objects WHERE kind = 1") ?? 0 }
  }

  /// The objects' total size in bytes, and their number.
  public func usage() throws(CacheError) -> (bytes: Int, objects: Int) {
    try index.read { database in
      guard let row = try Row.fetchOne(database, sql: "SELECT bytes, objects FROM totals"),
        let bytes: Int = row.sound("bytes"), let objects: Int = row.sound("objects")
      else { throw StoreIndex.Damage(reason: "the totals are lost") }
      return (bytes, objects)
    }
  }

  /// Removes objects until no more than `target` bytes are left (the preferred usage where nil): renditions first, since
  /// sources and outputs stand for them, then whatever was used least recently. What is pinned, here or in another
  /// process, stays.
  /// - Returns: the bytes that were freed.
  @discardableResult
  public func purge(to target: Int? = nil) throws(CacheError) -> Int {
    try flushUse()
    try clearOldPartials()
    let target = target ?? preferredUsageAfterPurge
    return try index.write { database in
      var usage = try StoreIndex.totalBytes(in: database)
      let before = usage
      var goneRows: [ContentDigest] = []
      let oldest = try Row.fetchCursor(
        database, sql: "SELECT digest, bytes, last_used FROM objects ORDER BY kind DESC, last_used, digest")
      while usage > target, let row = try oldest.next() {
        guard let digest = row.soundDigest("digest"), let lastUsed: Double = row.sound("last_used"),
          try removeUnlessPinned(digest, lastUsed: lastUsed)
        else { continue }
        goneRows.append(digest)
        usage -= row.sound("bytes") ?? 0
      }
      try Self.forget(goneRows, in: database)
      use.withLock { $0.verified.subtract(goneRows) }
      return before - usage
    }
  }

  /// Purges where the objects are more than the capacity: what was pinned while it was being exceeded stayed then, and
  /// can go now.
  public func trim() throws(CacheError) {
    // What a read-only cache holds isn't ours to remove.
    guard !isReadOnly else { return }
    if try usage().bytes > capacity { try purge() }
  }

  /// How long a row without a file is taken for one whose file is about to come, in seconds.
  private static let arrivalTime = 60.0

  /// Removes an object's file, unless a process holds it or is about to put it in place.
  private func removeUnlessPinned(_ digest: ContentDigest, lastUsed: Double) throws(CacheError) -> Bool {
    let path = layout.object(digest)
    guard let file = try FileDescriptor.open(path, O_RDONLY) else {
      return lastUsed < SystemTime.now - Self.arrivalTime
    }
    // A further link, or a lock where links are none, is somebody's pin. Whoever links it after this look keeps the
    // bytes all the same; whoever locks it waits, then finds that the file has lost its name.
    guard file.status.st_nlink == 1, file.lock(exclusive: true, waits: false) else { return false }
    if unlink(path) != 0, errno != ENOENT { throw .file("remove", path, errno: errno) }
    return true
  }
}
