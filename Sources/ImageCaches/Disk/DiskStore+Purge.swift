import GRDB
import Glibc
import SystemIO

extension DiskStore {
  /// The total size of the renditions, in bytes.
  /// - Throws: `CacheError` if the index can't be read.
  public func renditionBytes() throws(CacheError) -> Int {
    try index.query { try Int.fetchOne($0, sql: "SELECT sum(bytes) FROM objects WHERE kind = 1") ?? 0 }
  }

  /// The total size of the objects, and their number.
  /// - Returns: The size in bytes, and the number of objects, as the index has them.
  /// - Throws: `CacheError` if the index can't be read.
  public func usage() throws(CacheError) -> (bytes: Int, objects: Int) {
    try index.read { database in
      guard let row = try Row.fetchOne(database, sql: "SELECT bytes, objects FROM totals"),
        let bytes: Int = row.validated("bytes"), let objects: Int = row.validated("objects")
      else { throw StoreIndex.Damage(reason: "the totals are missing") }
      return (bytes, objects)
    }
  }

  /// Removes objects: renditions first, because sources can recreate them, then the least recently used.
  ///
  /// Objects pinned by any process stay, and so do those that can't be removed.
  /// - Parameter target: The size in bytes at which the purge ends. Default: ``preferredUsageAfterPurge``.
  /// - Throws: `CacheError` if a file can't be removed or the index can't be written.
  /// - Returns: The number of bytes freed.
  @discardableResult
  public func purge(to target: Int? = nil) throws(CacheError) -> Int {
    try flushUse()
    // Files that can't be removed must not keep the others from being removed: the store would exceed its capacity for
    // ever. The first failure is thrown after the commit, because a rollback would keep the rows of files that are gone.
    var failure: CacheError?
    do throws(CacheError) { try clearOldPartials() } catch { failure = error }
    do throws(CacheError) { try clearRecords(olderThan: 30 * 86400) } catch { failure = failure ?? error }
    let target = target ?? preferredUsageAfterPurge
    let freed = try index.write { database in
      var usage = try StoreIndex.totalBytes(in: database)
      let before = usage
      var goneRows: [ContentDigest] = []
      let oldest = try Row.fetchCursor(
        database, sql: "SELECT digest, bytes, last_used FROM objects ORDER BY kind DESC, last_used, digest")
      while usage > target, let row = try oldest.next() {
        guard let digest = row.validatedDigest("digest"), let lastUsed: Double = row.validated("last_used")
        else { continue }
        do throws(CacheError) {
          guard try removeUnlessPinned(digest, lastUsed: lastUsed) else { continue }
        } catch {
          failure = failure ?? error
          continue
        }
        goneRows.append(digest)
        usage -= row.validated("bytes") ?? 0
      }
      try Self.forget(goneRows, in: database)
      use.withLock { $0.verified.subtract(goneRows) }
      return before - usage
    }
    if let failure { throw failure }
    return freed
  }

  /// Purges if the objects exceed ``capacity``. An earlier purge may have spared objects that are no longer
  /// pinned.
  ///
  /// Does nothing in a read-only store.
  /// - Throws: `CacheError` if a file can't be removed or the index can't be written.
  public func trim() throws(CacheError) {
    // A read-only cache's objects aren't ours to remove.
    guard !isReadOnly else { return }
    if try usage().bytes > capacity { try purge() }
  }

  /// The seconds for which a row without a file is kept: another process may be about to move the file into
  /// place.
  private static let arrivalTime = 60.0

  /// Whether a row without a file is too old for a process to be still moving the file into place.
  private func hasNotArrived(_ lastUsed: Double) -> Bool { lastUsed < SystemTime.now - Self.arrivalTime }

  /// Removes an object's file, unless a process has it pinned or may be about to move it into place.
  private func removeUnlessPinned(_ digest: ContentDigest, lastUsed: Double) throws(CacheError) -> Bool {
    let path = layout.object(digest)
    if try StoreLayout.isForeign(path) {
      try StoreLayout.removeForeign(path)
      return true
    }
    guard let file = try FileDescriptor.open(path, O_RDONLY) else { return hasNotArrived(lastUsed) }
    // Another link, or a lock on a file system without links, is a pin. A process that links the file after this check
    // keeps the bytes anyway; one that waits for the lock then finds the file unlinked.
    guard file.status.st_nlink == 1, file.lock(exclusive: true, waits: false) else { return false }
    if unlink(path) != 0, errno != ENOENT { throw .file("remove", path, errno: errno) }
    return true
  }
}
