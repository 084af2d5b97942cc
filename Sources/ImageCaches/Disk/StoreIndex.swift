package import GRDB
import Glibc
import Synchronization
import SystemIO

/// The store's SQLite file: opened at first use, rebuilt if it is damaged.
///
/// In WAL mode processes read while one writes; writers wait for each other (`busy_timeout`). `index.lock` is held
/// shared while the file is opened and exclusively while it is created, because creating it isn't atomic.
package final class StoreIndex: Sendable {
  private let layout: StoreLayout
  private let storage: Storage
  private let database = Mutex<DatabaseQueue?>(nil)
  private let gathered = GroupCommit()
  private let onRepair: @Sendable (String) -> Void

  /// The version of the tables. An index with another version is rebuilt. Versions before 7 have credentials in them: the
  /// values of request fields that `Vary` names.
  private static let version = 7
  private static let busyTimeout = 60.0
  /// The page cache of a temporary index, in KiB.
  private static let temporaryCacheSize = 8192

  /// Where the index is.
  enum Storage: Sendable {
    /// In a file that other processes open too.
    case shared
    /// In a file of this process alone.
    case own
    /// In SQLite's page cache, and in an unlinked temporary file what exceeds it.
    case temporary
  }

  init(layout: StoreLayout, storage: Storage, onRepair: @escaping @Sendable (String) -> Void) {
    self.layout = layout
    self.storage = storage
    self.onRepair = onRepair
  }

  /// Runs `body` in a read transaction.
  ///
  /// `DatabaseQueue.read` sets `PRAGMA query_only` around each transaction, and SQLite then compiles every cached
  /// statement anew at its next use. With 10,000 outputs in place that was a fifth of the time.
  package func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try access { queue in
      try queue.unsafeRead { database in
        try database.beginTransaction(.deferred)
        do {
          let value = try body(database)
          try database.commit()
          return value
        } catch {
          // SQLite has ended the transaction itself after some errors, such as a full disk.
          if database.isInsideTransaction { try database.rollback() }
          throw error
        }
      }
    }
  }

  /// Runs reads that needn't be consistent with each other.
  ///
  /// Outside of a transaction SQLite locks and unlocks the index for each of them, with three system calls; a transaction
  /// costs as much as a few lookups.
  /// - Parameter lookups: The number of statements that `body` executes, about. Default: 1.
  package func query<Value>(
    lookups: Int = 1, _ body: (Database) throws -> Value
  ) throws(CacheError) -> Value {
    lookups > 3 ? try read(body) : try access { try $0.unsafeRead(body) }
  }

  /// Runs `body` in a write transaction.
  package func write<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try access { try $0.write(body) }
  }

  /// Runs `body`, possibly more than once, in a transaction shared with other writes of the same few milliseconds. Then
  /// calls `completion` with the total size of the objects, in bytes. Both may block their thread.
  func writeGathered(
    _ body: @escaping @Sendable (Database) throws -> Void,
    completion: @escaping @Sendable (Result<Int, CacheError>) -> Void
  ) {
    gathered.add(GroupCommit.Write(body: body, completion: completion)) { bodies throws(CacheError) in
      try self.write { database in
        for body in bodies { try body(database) }
        return try Self.totalBytes(in: database)
      }
    }
  }

  static func totalBytes(in database: Database) throws -> Int {
    try Int.fetchOne(database.cachedStatement(sql: "SELECT bytes FROM totals")) ?? 0
  }

  /// Closes the file; the next use opens it again. A temporary index stays open as long as this object exists: its rows are
  /// nowhere else.
  func close() {
    if storage != .temporary { drop() }
  }

  private func drop() {
    database.withLock { $0 = nil }
  }

  private func access<Value>(_ body: (DatabaseQueue) throws -> Value) throws(CacheError) -> Value {
    do {
      return try body(opened())
    } catch {
      guard let damage = Self.damage(in: error) else { throw failure(error) }
      // SQLite's check doesn't run triggers.
      let maySeemSound = (error as? DatabaseError).map(Self.isOfTrigger) != true
      return try repaired(because: damage, unlessSound: maySeemSound, then: body)
    }
  }

  /// Damage that SQLite doesn't detect. The index is rebuilt.
  struct Damage: Error {
    let reason: String
  }

  /// Rebuilds the index if it fails SQLite's check.
  /// - Returns: Whether the index was rebuilt.
  func check() throws(CacheError) -> Bool {
    let problem = try read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
    guard let problem, problem != "ok" else { return false }
    do {
      drop()
      try makeAnew(because: problem, unlessSound: true)
      return true
    } catch {
      throw failure(error)
    }
  }

  private func repaired<Value>(
    because reason: String, unlessSound: Bool, then body: (DatabaseQueue) throws -> Value
  ) throws(CacheError) -> Value {
    do {
      do {
        drop()
        try makeAnew(because: reason, unlessSound: unlessSound)
        return try body(opened())
      } catch {
        // SQLite's check misses values of a wrong type, and a header that forbids writing.
        guard Self.damage(in: error) != nil else { throw error }
        drop()
        try makeAnew(because: reason, unlessSound: false)
        return try body(opened())
      }
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> CacheError {
    if let error = error as? CacheError { return error }
    if let error = error as? DatabaseError, isFull(error) {
      return CacheError(
        code: .index, .noSpace,
        message: "can't write the \(name): \(SystemError(code: ENOSPC).text)")
    }
    if (error as? DatabaseError)?.resultCode == .SQLITE_IOERR {
      // The index itself may be sound.
      var limit = rlimit()
      let isLimited =
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur != rlim_t.max
      return CacheError(
        code: .index, isLimited ? .fileSizeLimit : .unusable,
        message: "can't write the \(name): \(SystemError(code: isLimited ? EFBIG : EIO).text)")
    }
    let reason = (error as? DatabaseError)?.message ?? "\(error)"
    return CacheError(
      code: .index, .index, message: "can't use the \(name): \(reason)")
  }

  /// What messages call the index.
  private var name: String {
    storage == .temporary ? "temporary cache index of \(layout.root)" : "cache index \(layout.index)"
  }

  /// Whether an error is that of a full disk. On one, SQLite can't extend the index's shared memory, which is an I/O error.
  private func isFull(_ error: DatabaseError) -> Bool {
    if error.resultCode == .SQLITE_FULL { return true }
    var system = statvfs()
    return error.resultCode == .SQLITE_IOERR && statvfs(layout.root, &system) == 0 && system.f_bavail == 0
  }

  /// The damage that an error indicates; nil if the file may be sound.
  private static func damage(in error: any Error) -> String? {
    switch error {
    case let damage as Damage: damage.reason
    case is RowDecodingError: "a value has the wrong type"
    case let error as DatabaseError:
      // An error in SQL means a damaged schema. A file that can't be written to was often replaced by another process.
      if [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_READONLY].contains(error.resultCode)
        || [.SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS].contains(error.extendedResultCode)
        || isOfTrigger(error)
      {
        error.message ?? "it is not an SQLite database"
      } else {
        nil
      }
    default: nil
    }
  }

  /// Whether a constraint of `totals` was violated. Only the triggers write there, so that one of them is damaged; a
  /// constraint of another table is its writer's mistake.
  private static func isOfTrigger(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_CONSTRAINT && error.message?.contains(" totals.") == true
  }

  // MARK: Opening

  private func opened() throws -> DatabaseQueue {
    try database.withLock { database in
      if let database { return database }
      let opened = try open()
      database = opened
      return opened
    }
  }

  private func open() throws -> DatabaseQueue {
    if storage == .temporary {
      let queue = try connect()
      try create(queue)
      return queue
    }
    let lock = try FileDescriptor.open(layout.indexLock, O_RDWR | O_CREAT, mode: 0o600)
    if Glibc.access(layout.index, F_OK) == 0 {
      _ = lock?.lock(exclusive: false)
      let queue = try connect()
      if try version(of: queue) == Self.version { return queue }
      try queue.close()
    }
    // Another process may have created the index while this one waited for the lock.
    _ = lock?.lock(exclusive: true)
    // SQLite would create it readable for all, and gives its other files the same mode.
    _ = try FileDescriptor.open(layout.index, O_RDWR | O_CREAT, mode: 0o600)
    let queue = try connect()
    let found = try version(of: queue)
    if found == Self.version { return queue }
    if found != 0 {
      try queue.close()
      try remove()
      onRepair(
        "the cache index has version \(found), from another imagemill; it has been rebuilt as version \(Self.version)"
      )
      let fresh = try connect()
      try create(fresh)
      return fresh
    }
    try create(queue)
    return queue
  }

  private func connect() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Self.busyTimeout)
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { [storage] database in
      if storage == .temporary {
        try database.execute(
          sql: "PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -\(Self.temporaryCacheSize)")
        return
      }
      // A lock for the connection's life, instead of several calls of fcntl(2) for each transaction.
      if storage == .own { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      // Data lost in a power failure is recreated, and damaged data is detected by digests and checksums. First, because
      // the change to WAL mode would wait for the disk.
      try database.execute(sql: "PRAGMA synchronous = OFF")
      // Not GRDB's own WAL mode, which sets `synchronous = NORMAL` afterwards.
      try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
    // SQLite's name for a temporary database.
    return try DatabaseQueue(
      path: storage == .temporary ? "" : layout.index, configuration: configuration)
  }

  private func version(of queue: DatabaseQueue) throws -> Int {
    try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
  }

  // MARK: Creating

  private func create(_ queue: DatabaseQueue) throws {
    let found = try StoreLayout.objectFiles(in: layout)
    try queue.write { database in
      try database.execute(sql: StoreSchema.sql)
      for object in found {
        try database.execute(
          sql: "INSERT OR IGNORE INTO objects (digest, bytes, last_used) VALUES (?, ?, ?)",
          arguments: [object.digest.hex, object.byteCount, object.modified])
      }
      try database.execute(sql: "PRAGMA user_version = \(Self.version)")
    }
  }

  private func makeAnew(because reason: String, unlessSound: Bool) throws {
    // The next use creates another.
    if storage == .temporary {
      return onRepair("the temporary cache index was damaged (\(reason)) and has been rebuilt")
    }
    let lock = try FileDescriptor.open(layout.indexLock, O_RDWR | O_CREAT, mode: 0o600)
    _ = lock?.lock(exclusive: true)
    // Another process may have rebuilt the index in the meantime. An index that can't be read hasn't been.
    if unlessSound, let queue = try? connect(), let version = try? version(of: queue),
      version == Self.version,
      (try? queue.read({ try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") })) == "ok"
    {
      return
    }
    try remove()
    try create(connect())
    onRepair("the cache index was damaged (\(reason)) and has been rebuilt")
  }

  private func remove() throws {
    for suffix in ["", "-wal", "-shm", "-journal"] where unlink(layout.index + suffix) != 0 && errno != ENOENT
    {
      throw CacheError.file("remove", layout.index + suffix, errno: errno)
    }
  }
}

extension StoreLayout {
  /// The object files in the store, for rebuilding the index.
  static func objectFiles(
    in layout: StoreLayout
  ) throws(CacheError) -> [(digest: ContentDigest, byteCount: Int, modified: Double)] {
    var files: [(digest: ContentDigest, byteCount: Int, modified: Double)] = []
    for prefix in try names(in: layout.objects) where prefix.utf8.count == 2 {
      for name in try names(in: "\(layout.objects)/\(prefix)") {
        guard let digest = ContentDigest(hex: prefix + name) else { continue }
        var status = stat()
        guard lstat(layout.object(digest), &status) == 0 else { continue }
        files.append((digest, status.st_size, Double(status.st_mtim.tv_sec)))
      }
    }
    return files
  }
}
