package import GRDB
import Glibc
import Synchronization
import SystemIO

/// The store's SQLite file: opened at first use, made anew when it is broken.
///
/// WAL mode lets processes read while one writes; writers wait for one another (`busy_timeout`). `index.lock` is held shared
/// while the file is opened and exclusively while it is made, because making it isn't one step.
package final class StoreIndex: Sendable {
  private let layout: StoreLayout
  private let database = Mutex<DatabaseQueue?>(nil)
  private let gathered = GatheredWrites()
  private let onMend: @Sendable (String) -> Void

  /// Changed whenever the tables change; an index of another version is made anew.
  private static let version = 5
  private static let busyTimeout = 60.0

  init(layout: StoreLayout, onMend: @escaping @Sendable (String) -> Void) {
    self.layout = layout
    self.onMend = onMend
  }

  /// Runs `body` on the index without changing it.
  package func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try access { try $0.read(body) }
  }

  /// Runs statements that only read and needn't agree with each other: no transaction around them, which would cost
  /// more than a look-up.
  package func query<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try access { try $0.unsafeRead(body) }
  }

  /// Runs `body` in a transaction.
  package func write<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try access { try $0.write(body) }
  }

  /// Runs `body` in a transaction that it shares with others that come within milliseconds, and then `completion` with
  /// the objects' total size in bytes, on a thread that both may block; `body` may be run more than once.
  func writeGathered(
    _ body: @escaping @Sendable (Database) throws -> Void,
    completion: @escaping @Sendable (Result<Int, CacheError>) -> Void
  ) {
    gathered.add(GatheredWrites.Write(body: body, completion: completion)) { bodies throws(CacheError) in
      try self.write { database in
        for body in bodies { try body(database) }
        return try Self.totalBytes(in: database)
      }
    }
  }

  /// The objects' total size, in bytes.
  static func totalBytes(in database: Database) throws -> Int {
    try Int.fetchOne(database.cachedStatement(sql: "SELECT bytes FROM totals")) ?? 0
  }

  /// Closes the file; the next use opens it again.
  func close() {
    database.withLock { $0 = nil }
  }

  private func access<Value>(_ body: (DatabaseQueue) throws -> Value) throws(CacheError) -> Value {
    do {
      return try body(opened())
    } catch {
      guard let damage = Self.damage(in: error) else { throw failure(error) }
      return try mended(because: damage, then: body)
    }
  }

  /// Something that SQLite takes for sound, and that can't be; the index is made anew.
  struct Damage: Error {
    /// What it is, in words.
    let reason: String
  }

  /// Makes the file anew where SQLite's own check finds fault with it.
  /// - Returns: whether it did.
  func check() throws(CacheError) -> Bool {
    let problem = try read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
    guard let problem, problem != "ok" else { return false }
    do {
      close()
      try makeAnew(because: problem, unlessSound: true)
      return true
    } catch {
      throw failure(error)
    }
  }

  private func mended<Value>(
    because reason: String, then body: (DatabaseQueue) throws -> Value
  ) throws(CacheError) -> Value {
    do {
      do {
        close()
        try makeAnew(because: reason, unlessSound: true)
        return try body(opened())
      } catch {
        // SQLite's check doesn't see everything: neither values of a wrong type nor a header that forbids writing.
        guard Self.damage(in: error) != nil else { throw error }
        close()
        try makeAnew(because: reason, unlessSound: false)
        return try body(opened())
      }
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> CacheError {
    if let error = error as? CacheError { return error }
    let reason = (error as? DatabaseError)?.message ?? "\(error)"
    return CacheError(
      code: .index, .index, message: "can't use the cache index \(layout.index): \(reason)")
  }

  /// What an error says about the file; nil where it may be sound.
  private static func damage(in error: any Error) -> String? {
    switch error {
    case let damage as Damage: damage.reason
    case is RowDecodingError: "a value is of a wrong type"
    case let error as DatabaseError:
      // An error in SQL is a table that isn't as it was made; a file that can't be written to is often one that
      // another process has put a new one in place of.
      if [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_READONLY].contains(error.resultCode)
        || [.SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS].contains(error.extendedResultCode)
      {
        error.message ?? "it is no SQLite database"
      } else {
        nil
      }
    default: nil
    }
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
    let lock = try FileDescriptor.open(layout.indexLock, O_RDWR | O_CREAT)
    if Glibc.access(layout.index, F_OK) == 0 {
      _ = lock?.lock(exclusive: false)
      let queue = try connect()
      if try version(of: queue) == Self.version { return queue }
      try queue.close()
    }
    // From here on one process at a time; another may have made the index while this one waited.
    _ = lock?.lock(exclusive: true)
    let queue = try connect()
    let found = try version(of: queue)
    if found == Self.version { return queue }
    if found != 0 {
      try queue.close()
      try remove()
      onMend("the cache index was made by another version of imagemill and has been made anew")
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
    configuration.prepareDatabase { database in
      // Not GRDB's own setting for WAL, which asks for `synchronous = NORMAL` last.
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      // What a power cut loses is made again; what it breaks is found by digests and seals.
      try database.execute(sql: "PRAGMA synchronous = OFF")
    }
    return try DatabaseQueue(path: layout.index, configuration: configuration)
  }

  private func version(of queue: DatabaseQueue) throws -> Int {
    try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
  }

  // MARK: Making

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
    let lock = try FileDescriptor.open(layout.indexLock, O_RDWR | O_CREAT)
    _ = lock?.lock(exclusive: true)
    // Another process may have mended it in the meantime; one that can't be looked at hasn't been.
    if unlessSound, let queue = try? connect(), let version = try? version(of: queue),
      version == Self.version,
      (try? queue.read({ try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") })) == "ok"
    {
      return
    }
    try remove()
    try create(connect())
    onMend("the cache index was damaged (\(reason)) and has been made anew")
  }

  private func remove() throws {
    for suffix in ["", "-wal", "-shm", "-journal"] where unlink(layout.index + suffix) != 0 && errno != ENOENT
    {
      throw CacheError.file("remove", layout.index + suffix, errno: errno)
    }
  }
}

extension StoreLayout {
  /// The objects that lie in the store, for an index that has lost them.
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
