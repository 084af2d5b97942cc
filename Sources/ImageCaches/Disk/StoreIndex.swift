import Glibc
import GRDB
import Synchronization

/// The index of a store: `index.sqlite` in WAL mode, shared by all processes that use the directory.
///
/// It holds nothing that can't be made again. One that can't be read is set aside and a new one is made from the
/// objects that are there.
final class StoreIndex: Sendable {
  /// Where it lies; nil: in memory.
  private let path: String?
  /// Called with a new, empty index to fill it with what is known of the objects.
  private let refill: @Sendable (Database) throws -> Void
  private let notice: @Sendable (CacheNotice) -> Void
  private let state = Mutex(State())

  private struct State {
    var writer: (any DatabaseWriter)?
    var schemas: [String] = [StoreIndex.schema]
  }

  init(
    path: String?, notice: @escaping @Sendable (CacheNotice) -> Void,
    refill: @escaping @Sendable (Database) throws -> Void
  ) {
    self.path = path
    self.notice = notice
    self.refill = refill
  }

  /// Adds tables of another module's: statements that may be run again and again (`IF NOT EXISTS`).
  func add(schema: String) throws(CacheError) {
    let isOpen = state.withLock { state in
      guard !state.schemas.contains(schema) else { return false }
      state.schemas.append(schema)
      return state.writer != nil
    }
    if isOpen { try write { try $0.execute(sql: schema) } }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try access { try $0.read(body) }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
    try access { try $0.write(body) }
  }

  func close() {
    let writer = state.withLock { state in
      defer { state.writer = nil }
      return state.writer
    }
    do { try writer?.close() } catch { notice(CacheNotice(message: "the cache's index: \(error)")) }
  }

  /// Runs `body`; where the index turns out to be broken, makes it anew and runs it once more.
  private func access<Value>(
    _ body: (any DatabaseWriter) throws -> Value
  ) throws(CacheError) -> Value {
    do {
      let writer = try opened()
      do {
        return try body(writer)
      } catch let error as DatabaseError where Self.isBroken(error) {
        return try body(try replaced(writer, because: error))
      }
    } catch let error as CacheError {
      throw error
    } catch {
      throw CacheError(
        .index, "the cache's index \(path ?? "in memory") fails: \(error); remove it or use --no-cache")
    }
  }

  private func opened() throws -> any DatabaseWriter {
    try state.withLock { state in
      if let writer = state.writer { return writer }
      let lock = try IndexLock(path)
      defer { lock.release() }
      let writer: any DatabaseWriter
      do {
        writer = try open(state.schemas)
      } catch let error as DatabaseError where Self.isBroken(error) && path != nil {
        setAside(because: error)
        writer = try open(state.schemas)
      }
      state.writer = writer
      return writer
    }
  }

  private func replaced(_ broken: any DatabaseWriter, because error: DatabaseError) throws
    -> any DatabaseWriter
  {
    try state.withLock { state in
      // Another thread may have replaced it meanwhile.
      if let writer = state.writer, writer !== broken { return writer }
      let lock = try IndexLock(path)
      defer { lock.release() }
      state.writer = nil
      setAside(because: error)
      let writer = try open(state.schemas)
      state.writer = writer
      return writer
    }
  }

  private func open(_ schemas: [String]) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    configuration.maximumReaderCount = 2
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000")
    }
    let writer: any DatabaseWriter
    if let path {
      writer = try DatabasePool(path: path, configuration: configuration)
    } else {
      writer = try DatabaseQueue(configuration: configuration)
    }
    try writer.write { database in
      let isNew = try !database.tableExists("object")
      for schema in schemas { try database.execute(sql: schema) }
      if isNew { try refill(database) }
    }
    return writer
  }

  private func setAside(because error: DatabaseError) {
    guard let path else { return }
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    notice(CacheNotice(message: "the cache's index was damaged (\(error.message ?? "\(error)")) and is made anew"))
  }

  private static func isBroken(_ error: DatabaseError) -> Bool {
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
    // A table that isn't there, a column of an older layout.
    case .SQLITE_ERROR: error.message?.contains("no such") == true || error.message?.contains("no column") == true
    default: false
    }
  }

  private static let schema = """
    CREATE TABLE IF NOT EXISTS object (
      digest TEXT PRIMARY KEY NOT NULL, bytes INTEGER NOT NULL, lastUse INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS objectByUse ON object (lastUse);
    CREATE TABLE IF NOT EXISTS usage (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL);
    INSERT OR IGNORE INTO usage VALUES (1, 0);
    CREATE TRIGGER IF NOT EXISTS objectAdded AFTER INSERT ON object
      BEGIN UPDATE usage SET bytes = bytes + NEW.bytes; END;
    CREATE TRIGGER IF NOT EXISTS objectRemoved AFTER DELETE ON object
      BEGIN UPDATE usage SET bytes = bytes - OLD.bytes; END;
    CREATE TABLE IF NOT EXISTS output (
      key TEXT PRIMARY KEY NOT NULL, digest TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
      frames INTEGER NOT NULL, bytes INTEGER NOT NULL, extra TEXT, lastUse INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS outputByDigest ON output (digest);
    CREATE TABLE IF NOT EXISTS stamp (
      path TEXT PRIMARY KEY NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
      modified INTEGER NOT NULL, changed INTEGER NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
    """
}

/// Held while an index is opened or replaced: making tables and turning on the WAL happens in one process at a time.
private struct IndexLock {
  private let descriptor: Int32

  init(_ index: String?) throws(CacheError) {
    guard let index else {
      descriptor = -1
      return
    }
    descriptor = Glibc.open(index + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw CacheError("open \(index).lock", errno: errno) }
    while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
  }

  func release() { if descriptor >= 0 { Glibc.close(descriptor) } }
}
