package import GRDB
import Glibc
import SystemIO

/// This process's use of the store.
struct StoreUse {
  /// Times of last use that aren't yet in the index.
  var pending: [ContentDigest: Double] = [:]
  /// Objects whose bytes this process has checked against their digest.
  var verified = VerifiedObjects()
  /// Whether the store may have partial bodies; nil before the first check.
  var hasPartials: Bool?
}

/// The kind of an object, which determines the order of a purge.
public enum ObjectKind: Int, Sendable {
  /// The bytes of a source or an output.
  case primary = 0
  /// Intermediate pixels, which are purged first.
  case rendition = 1
}

extension DiskStore {
  private static let pendingLimit = 1000

  // MARK: Temporary files

  /// Creates and opens an empty file in `tmp/`, which is removed unless it is inserted.
  /// - Returns: The file, open for reading and writing.
  /// - Throws: `CacheError` if the file can't be created.
  public func makeTemporaryFile() throws(CacheError) -> TemporaryFile {
    let path = try processDirectory.newPath()
    guard let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o644) else {
      throw .file("create", path, errno: ENOENT)
    }
    return TemporaryFile(path: path, file: file)
  }

  /// Reserves a path in `tmp/` for a file that another process writes.
  /// - Returns: The path. A file at the path is removed unless it is inserted.
  /// - Throws: `CacheError` if the directory can't be created.
  public func makeTemporaryPath() throws(CacheError) -> TemporaryPath {
    TemporaryPath(path: try processDirectory.newPath())
  }

  // MARK: Objects

  /// Moves a finished temporary file into the store. If the store already has the bytes, the file is
  /// discarded.
  ///
  /// May purge, if the objects then exceed ``capacity``.
  /// - Parameters:
  ///   - temporary: The file, completely written.
  ///   - digest: The SHA-256 of its bytes, which the caller computed while writing. It isn't checked.
  ///   - kind: The kind of object. Default: `primary`.
  /// - Returns: The stored object, pinned.
  /// - Throws: `CacheError` if the index can't be written, or a file can't be moved or removed.
  public func insert(
    _ temporary: some StagedFile, digest: ContentDigest, as kind: ObjectKind = .primary
  ) throws(CacheError) -> StoredObject {
    if let existing = try object(digest) { return existing }
    let byteCount = temporary.byteCount
    let usage = try index.write { database in
      try Self.addRow(digest, byteCount: byteCount, as: kind, in: database)
      return try StoreIndex.totalBytes(in: database)
    }
    return try place(temporary, digest: digest, byteCount: byteCount, usage: usage)
  }

  /// Inserts an object that the store doesn't have, and runs `alongside`, in a transaction that other callers may
  /// share. `completion` runs on a thread that it may block.
  package func insertGathered(
    _ temporary: some StagedFile, digest: ContentDigest,
    alongside: @escaping @Sendable (Database) throws -> Void,
    completion: @escaping @Sendable (Result<StoredObject, CacheError>) -> Void
  ) {
    let byteCount = temporary.byteCount
    index.writeGathered { database in
      try Self.addRow(digest, byteCount: byteCount, as: .primary, in: database)
      try alongside(database)
    } completion: { usage in
      completion(
        Result { () throws(CacheError) in
          try self.place(temporary, digest: digest, byteCount: byteCount, usage: try usage.get())
        })
    }
  }

  /// Writes to the index in a transaction that other callers may share.
  package func writeGathered(
    _ body: @escaping @Sendable (Database) throws -> Void,
    completion: @escaping @Sendable (Result<Void, CacheError>) -> Void
  ) {
    index.writeGathered(body) { completion($0.map { _ in }) }
  }

  private static func addRow(
    _ digest: ContentDigest, byteCount: Int, as kind: ObjectKind, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO objects (digest, bytes, last_used, kind) VALUES (?, ?, ?, ?)
        ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes, last_used = excluded.last_used,
          kind = min(kind, excluded.kind)
        """
    ).execute(arguments: [digest.hex, byteCount, SystemTime.now, kind.rawValue])
  }

  /// Moves an object's file into place. The row is written before: a file without a row would never be purged, while a
  /// row without a file is repaired at its first use.
  private func place(
    _ temporary: some StagedFile, digest: ContentDigest, byteCount: Int, usage: Int
  ) throws(CacheError) -> StoredObject {
    let path = layout.object(digest)
    // Pin the file before a purge can find it.
    let pinning = try processDirectory.pin(digest, at: temporary.path)
    // Owned before the move: if that fails, the link must go with it, or the object would be found without being stored.
    let linked: (path: String, pin: ObjectPin)? =
      if case .linked(let link) = pinning {
        (link.path, ObjectPin(link, in: processDirectory))
      } else {
        nil
      }
    do throws(CacheError) {
      try temporary.move(to: path)
    } catch {
      try StoreLayout.makeDirectory(DirectoryEntry(path).directory, mode: 0o700)
      if try StoreLayout.isForeign(path) { try StoreLayout.removeForeign(path) }
      try temporary.move(to: path)
    }
    use.withLock { $0.verified.insert(digest) }
    let object: StoredObject
    if let linked {
      object = StoredObject(digest: digest, path: linked.path, byteCount: byteCount, pin: linked.pin)
    } else if case .sound(let locked) = try lockedObject(digest, at: path) {
      object = locked
    } else {
      throw .file("open", path, errno: ENOENT)
    }
    if usage > capacity {
      // `trim` asks again, because all objects of one commit have the same `usage`, and the first of them purges for all.
      // The object is stored: a purge that fails must not fail its output.
      do throws(CacheError) { try trim() } catch { noteRepair("the cache can't be purged completely", error) }
    }
    return object
  }

  /// Finds an object by its digest.
  /// - Parameter digest: The SHA-256 of the object's bytes.
  /// - Returns: The object, verified and pinned; nil if the store doesn't have it, or it was damaged.
  /// - Throws: `CacheError` if the file or the index can't be used.
  public func object(_ digest: ContentDigest) throws(CacheError) -> StoredObject? {
    if case .sound(let object) = try examined(digest, in: layout) { return object }
    if let readOnlyLayout, case .sound(let object) = try examined(digest, in: readOnlyLayout) {
      return object
    }
    return nil
  }

  /// The result of a lookup of an object.
  enum Examination {
    /// The object, pinned and, at its first use in this process, verified.
    case sound(StoredObject)
    /// The object was never stored, or another process has just purged it.
    case absent
    /// The file has other bytes or isn't a regular file.
    case damaged
  }

  /// Pins an object, and checks its bytes at their first use in this process. A damaged object is removed.
  func examined(_ digest: ContentDigest, in place: StoreLayout) throws(CacheError) -> Examination {
    let path = place.object(digest)
    let object: StoredObject
    switch try pinned(digest, at: path) {
    case .sound(let found): object = found
    case .absent: return .absent
    case .damaged:
      try drop(digest, path: path, isOurs: place.root == layout.root)
      return .damaged
    }
    if !use.withLock({ $0.verified.contains(digest) }) {
      guard try FileDescriptor.open(object.path, O_RDONLY)?.digest(path: path).digest == digest else {
        processDirectory.forget(digest)
        try drop(digest, path: path, isOurs: place.root == layout.root)
        return .damaged
      }
      use.withLock { $0.verified.insert(digest) }
    }
    try noteUse(of: digest)
    return .sound(object)
  }

  private func pinned(_ digest: ContentDigest, at path: String) throws(CacheError) -> Examination {
    switch try processDirectory.pin(digest, at: path) {
    case .absent: return .absent
    case .unsupported: return try lockedObject(digest, at: path)
    case .linked(let link):
      let pin = ObjectPin(link, in: processDirectory)
      var status = stat()
      guard lstat(link.path, &status) == 0 else { throw .file("open", link.path, errno: errno) }
      guard status.st_mode & S_IFMT == S_IFREG else {
        processDirectory.forget(digest)
        return .damaged
      }
      return .sound(
        StoredObject(digest: digest, path: link.path, byteCount: Int(status.st_size), pin: pin))
    }
  }

  /// An object, pinned by a lock on its file.
  private func lockedObject(_ digest: ContentDigest, at path: String) throws(CacheError) -> Examination {
    if try StoreLayout.isForeign(path) { return .damaged }
    guard let file = try FileDescriptor.open(path, O_RDONLY), file.lock(exclusive: false), file.isLinked
    else { return .absent }
    return .sound(
      StoredObject(digest: digest, path: path, byteCount: Int(file.status.st_size), pin: ObjectPin(file)))
  }

  /// Removes a damaged object and its rows, unless it belongs to the read-only cache.
  private func drop(_ digest: ContentDigest, path: String, isOurs: Bool) throws(CacheError) {
    let object = "the cache object \(digest.hex.prefix(12))…"
    guard isOurs else {
      return noteRepair("\(object) is damaged; it isn't removed, because the cache is read-only")
    }
    noteRepair("\(object) was damaged and will be recreated")
    if try StoreLayout.isForeign(path) {
      try StoreLayout.removeForeign(path)
    } else if unlink(path) != 0, errno != ENOENT {
      throw .file("remove", path, errno: errno)
    }
    try index.write { try Self.forget([digest], in: $0) }
  }

  /// Removes the rows of objects, and all rows that refer to them.
  static func forget(_ digests: [ContentDigest], in database: Database) throws {
    let list = "[" + digests.map { "\"\($0.hex)\"" }.joined(separator: ",") + "]"
    for table in try ["objects", "responses"] + declaredTables(database, withObjects: true) {
      try database.execute(
        sql: "DELETE FROM \(table) WHERE digest IN (SELECT value FROM json_each(?))", arguments: [list])
    }
  }

  // MARK: Use

  private func noteUse(of digest: ContentDigest) throws(CacheError) {
    let isFull = use.withLock { use in
      use.pending[digest] = SystemTime.now
      return use.pending.count >= Self.pendingLimit
    }
    if isFull { try flushUse() }
  }

  /// Writes the times of last use to the index.
  func flushUse() throws(CacheError) {
    let pending = use.withLock { use in
      defer { use.pending = [:] }
      return use.pending
    }
    guard !pending.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(
        sql: "UPDATE objects SET last_used = ? WHERE digest = ? AND last_used < ?")
      for (digest, time) in pending { try statement.execute(arguments: [time, digest.hex, time]) }
    }
  }
}

// MARK: Interrupted downloads

extension DiskStore {
  package func partialPath(_ key: ContentDigest) -> String { "\(layout.partials)/\(key.hex)" }

  /// Whether the store may have partial bodies, of earlier runs or of this process. Usually it has none, and callers
  /// needn't look for each.
  package func mayHavePartials() throws(CacheError) -> Bool {
    if let known = use.withLock(\.hasPartials) { return known }
    let found = try !StoreLayout.names(in: layout.partials).isEmpty
    return use.withLock { use in
      let known = use.hasPartials ?? found
      use.hasPartials = known
      return known
    }
  }

  /// Notes that another process may have left a partial body.
  package func expectPartials() {
    use.withLock { $0.hasPartials = true }
  }

  /// A number that changes while a partial body grows; 0 if there is none.
  package func partialProgress(_ key: ContentDigest) -> Int {
    var status = stat()
    guard stat(partialPath(key), &status) == 0 else { return 0 }
    return Int(status.st_size) &+ Int(status.st_ino)
  }

  /// Opens and locks a partial body; nil if there is none, or another process has it locked.
  package func openPartial(_ key: ContentDigest, creates: Bool) throws(CacheError) -> TemporaryFile? {
    if creates { use.withLock { $0.hasPartials = true } }
    let path = partialPath(key)
    guard let file = try FileDescriptor.open(path, O_RDWR | (creates ? O_CREAT : 0)),
      file.lock(exclusive: true, waits: false), file.isLinked
    else { return nil }
    return TemporaryFile(path: path, file: file)
  }

  package func removePartial(_ key: ContentDigest) {
    unlink(partialPath(key))
    unlink(partialPath(key) + ".json")
  }

  /// Removes partial bodies that weren't resumed for a week.
  func clearOldPartials() throws(CacheError) {
    for name in try StoreLayout.names(in: layout.partials) where StoreLayout.isPartial(name) {
      let path = "\(layout.partials)/\(name)"
      guard let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK),
        file.lock(exclusive: true, waits: false),
        SystemTime.now - Double(file.status.st_mtim.tv_sec) > 7 * 86400
      else { continue }
      unlink(path)
    }
  }
}
