package import GRDB
import Glibc
import SystemIO

/// What this process has used: not yet written down, and already checked.
struct StoreUse {
  /// Times of last use that the index doesn't know yet.
  var pending: [ContentDigest: Double] = [:]
  /// Objects whose bytes were checked against their digest in this process.
  var verified: Set<ContentDigest> = []
  /// Whether an interrupted body may lie in the store; nil before anyone has looked.
  var hasPartials: Bool?
}

/// What an object is, as far as a purge is concerned.
public enum ObjectKind: Int, Sendable {
  /// A source's or an output's bytes.
  case primary = 0
  /// Pixels between the two: the first to go.
  case rendition = 1
}

extension DiskStore {
  private static let pendingLimit = 1000

  // MARK: Temporary files

  /// A new, empty, open file in `tmp/`.
  public func makeTemporaryFile() throws(CacheError) -> TemporaryFile {
    let path = try processDirectory.newPath()
    guard let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o644) else {
      throw .file("create", path, errno: ENOENT)
    }
    return TemporaryFile(path: path, file: file)
  }

  /// A name in `tmp/` for a file that somebody else writes.
  public func makeTemporaryPath() throws(CacheError) -> TemporaryPath {
    TemporaryPath(path: try processDirectory.newPath())
  }

  // MARK: Objects

  /// Takes a finished temporary file into the store under the digest of its bytes, which the caller has computed while writing.
  /// Bytes that are there already are kept, and the new file discarded.
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

  /// As above, for bytes that the store is known not to have, with more to be written to the index, in a transaction
  /// that may be shared with others'. `completion` is called on a thread that it may block.
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

  /// Writes to the index, in a transaction that may be shared with others'.
  package func writeGathered(
    _ body: @escaping @Sendable (Database) throws -> Void,
    completion: @escaping @Sendable (Result<Void, CacheError>) -> Void
  ) {
    index.writeGathered(body) { completion($0.map { _ in }) }
  }

  /// Enters an object into the index.
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

  /// Puts an object's file at its place. The row comes first: a file without one would never be purged, while a row without a
  /// file mends itself at its first use.
  private func place(
    _ temporary: some StagedFile, digest: ContentDigest, byteCount: Int, usage: Int
  ) throws(CacheError) -> StoredObject {
    let path = layout.object(digest)
    // Pinned before it is where a purge could find it.
    let pinning = try processDirectory.pin(digest, at: temporary.path)
    do throws(CacheError) {
      try temporary.move(to: path)
    } catch {
      try StoreLayout.makeDirectory(DirectoryEntry(path).directory, mode: 0o700)
      try temporary.move(to: path)
    }
    use.withLock { _ = $0.verified.insert(digest) }
    let object: StoredObject
    if case .linked(let link) = pinning {
      object = StoredObject(
        digest: digest, path: link.path, byteCount: byteCount, pin: ObjectPin(link, in: processDirectory))
    } else if let locked = try lockedObject(digest, at: path) {
      object = locked
    } else {
      throw .file("open", path, errno: ENOENT)
    }
    if !isReadOnly, usage > capacity { try purge() }
    return object
  }

  /// The object of this digest, checked and pinned; nil where the store hasn't got it, or had a bad one.
  public func object(_ digest: ContentDigest) throws(CacheError) -> StoredObject? {
    if let object = try object(digest, in: layout) { return object }
    if let readOnlyLayout { return try object(digest, in: readOnlyLayout) }
    return nil
  }

  private func object(_ digest: ContentDigest, in place: StoreLayout) throws(CacheError) -> StoredObject? {
    let path = place.object(digest)
    guard let object = try pinned(digest, at: path) else { return nil }
    if !use.withLock({ $0.verified.contains(digest) }) {
      guard try FileDescriptor.open(object.path, O_RDONLY)?.digest(path: path).digest == digest else {
        processDirectory.forget(digest)
        try drop(digest, path: path, isOurs: place.root == layout.root)
        return nil
      }
      use.withLock { _ = $0.verified.insert(digest) }
    }
    try noteUse(of: digest)
    return object
  }

  private func pinned(_ digest: ContentDigest, at path: String) throws(CacheError) -> StoredObject? {
    switch try processDirectory.pin(digest, at: path) {
    case .absent: return nil
    case .unsupported: return try lockedObject(digest, at: path)
    case .linked(let link):
      let pin = ObjectPin(link, in: processDirectory)
      var status = stat()
      guard stat(link.path, &status) == 0 else { throw .file("open", link.path, errno: errno) }
      return StoredObject(digest: digest, path: link.path, byteCount: Int(status.st_size), pin: pin)
    }
  }

  /// An object pinned by a lock on its file.
  private func lockedObject(_ digest: ContentDigest, at path: String) throws(CacheError) -> StoredObject? {
    guard let file = try FileDescriptor.open(path, O_RDONLY), file.lock(exclusive: false), file.isLinked
    else { return nil }
    return StoredObject(
      digest: digest, path: path, byteCount: Int(file.status.st_size), pin: ObjectPin(file))
  }

  /// Drops an object whose bytes aren't what its name says.
  private func drop(_ digest: ContentDigest, path: String, isOurs: Bool) throws(CacheError) {
    noteRepair("the cache object \(digest.hex.prefix(12))… was damaged and is made again")
    guard isOurs else { return }
    if unlink(path) != 0, errno != ENOENT { throw .file("remove", path, errno: errno) }
    try index.write { try Self.forget([digest], in: $0) }
  }

  /// Removes objects' rows and whatever leads to them.
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
  /// Where the beginning of a body is kept.
  package func partialPath(_ key: ContentDigest) -> String { "\(layout.partials)/\(key.hex)" }

  /// Whether an interrupted body of an earlier run, or one that this process has begun, may lie in the store: most of the time
  /// there is none, and no need to look for each.
  package func mayHavePartials() throws(CacheError) -> Bool {
    if let known = use.withLock(\.hasPartials) { return known }
    let found = try !StoreLayout.names(in: layout.partials).isEmpty
    return use.withLock { use in
      let known = use.hasPartials ?? found
      use.hasPartials = known
      return known
    }
  }

  /// An interrupted body may have come from another process meanwhile.
  package func expectPartials() {
    use.withLock { $0.hasPartials = true }
  }

  /// A number that changes as the beginning of a body grows; 0 where there is none.
  package func partialProgress(_ key: ContentDigest) -> Int {
    var status = stat()
    guard stat(partialPath(key), &status) == 0 else { return 0 }
    return Int(status.st_size) &+ Int(status.st_ino)
  }

  /// Opens the file of an interrupted body and locks it; nil where there is none, or another process has it.
  package func openPartial(_ key: ContentDigest, creates: Bool) throws(CacheError) -> TemporaryFile? {
    if creates { use.withLock { $0.hasPartials = true } }
    let path = partialPath(key)
    guard let file = try FileDescriptor.open(path, O_RDWR | (creates ? O_CREAT : 0)),
      file.lock(exclusive: true, waits: false), file.isLinked
    else { return nil }
    return TemporaryFile(path: path, file: file)
  }

  /// Forgets an interrupted body.
  package func removePartial(_ key: ContentDigest) {
    unlink(partialPath(key))
    unlink(partialPath(key) + ".json")
  }

  /// Removes interrupted bodies that were not resumed for a week.
  func clearOldPartials() throws(CacheError) {
    for name in try StoreLayout.names(in: layout.partials) {
      let path = "\(layout.partials)/\(name)"
      guard let file = try FileDescriptor.open(path, O_RDONLY), file.lock(exclusive: true, waits: false),
        SystemTime.now - Double(file.status.st_mtim.tv_sec) > 7 * 86400
      else { continue }
      unlink(path)
    }
  }
}
