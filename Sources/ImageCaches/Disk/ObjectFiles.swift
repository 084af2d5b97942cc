import Glibc
import GRDB

/// Where objects lie: `objects/ab/cdef…`, by the digits of their digests.
enum ObjectFiles {
  static func path(of digest: ContentDigest, in directory: String) -> String {
    "\(directory)/objects/\(digest.hex.prefix(2))/\(digest.hex.dropFirst(2))"
  }

  /// Calls `body` with every object's digest and size in bytes.
  static func forEach(in directory: String, _ body: (ContentDigest, Int) throws -> Void) rethrows {
    let objects = directory + "/objects"
    for shelf in FileTree.entries(of: objects) where shelf.utf8.count == 2 {
      for name in FileTree.entries(of: "\(objects)/\(shelf)") {
        guard let digest = ContentDigest(hex: shelf + name) else { continue }
        var information = stat()
        guard stat("\(objects)/\(shelf)/\(name)", &information) == 0 else { continue }
        try body(digest, Int(information.st_size))
      }
    }
  }

  /// Enters every object that is there into an index that knows none.
  static func register(all directory: String, in database: Database) throws {
    let now = FileStamp.now
    let statement = try database.makeStatement(sql: "INSERT OR IGNORE INTO object VALUES (?, ?, ?)")
    try forEach(in: directory) { digest, bytes in
      try statement.execute(arguments: [digest.hex, bytes, now])
    }
  }
}

extension DiskStore {
  /// Puts a file that was written to the end in its place as the object of `digest`, which the caller has computed
  /// from the bytes. Returns the object's path.
  ///
  /// An object that is there already is replaced: these bytes are known to be right, those are not.
  @discardableResult
  public func insert(_ file: TemporaryFile, _ digest: ContentDigest) throws(CacheError) -> String {
    if isReadOnly { return file.path }
    var information = stat()
    guard stat(file.path, &information) == 0 else { throw CacheError("read \(file.path)", errno: errno) }
    chmod(file.path, 0o444)
    let path = ObjectFiles.path(of: digest, in: directory)
    if rename(file.path, path) != 0 {
      guard errno == ENOENT else { throw CacheError("store \(path)", errno: errno) }
      try FileTree.make("\(directory)/objects/\(digest.hex.prefix(2))")
      guard rename(file.path, path) == 0 else { throw CacheError("store \(path)", errno: errno) }
    }
    memory.withLock { _ = $0.verified.insert(digest) }
    let bytes = Int(information.st_size)
    let usage = try index.write { database in
      try database.cachedStatement(
        sql: """
          INSERT INTO object VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET lastUse = excluded.lastUse
          """
      ).execute(arguments: [digest.hex, bytes, FileStamp.now])
      return try Int.fetchOne(database, sql: "SELECT bytes FROM usage") ?? 0
    }
    if usage > capacity { try purge(keeping: digest) }
    return path
  }

  /// The path of an object's bytes, verified; nil where the store hasn't got them or they were damaged. Another
  /// process may purge it at any time: who needs it longer than for one `open` pins it.
  public func object(_ digest: ContentDigest) -> String? {
    let path = ObjectFiles.path(of: digest, in: directory)
    return isIntact(digest, at: path) ? path : nil
  }

  /// Pins an object, verified; nil where the store hasn't got it or it was damaged.
  public func pin(_ digest: ContentDigest) -> ObjectPin? {
    let path = ObjectFiles.path(of: digest, in: directory)
    guard !isReadOnly, let link = try? makeTemporaryFile().path else {
      return isIntact(digest, at: path) ? ObjectPin(digest: digest, path: path, ownsPath: false) : nil
    }
    guard Glibc.link(path, link) == 0 else {
      // A file system without hard links, or an object with too many of them.
      guard errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP, isIntact(digest, at: path) else { return nil }
      return ObjectPin(digest: digest, path: path, ownsPath: false)
    }
    let pin = ObjectPin(digest: digest, path: link, ownsPath: true)
    return isIntact(digest, at: link) ? pin : nil
  }

  /// Whether the object is there, without looking into it.
  public func holds(_ digest: ContentDigest) -> Bool {
    access(ObjectFiles.path(of: digest, in: directory), F_OK) == 0
  }

  private func isIntact(_ digest: ContentDigest, at path: String) -> Bool {
    let isVerified = memory.withLock { memory in
      memory.usedObjects.insert(digest)
      return memory.verified.contains(digest)
    }
    if isVerified { return access(path, R_OK) == 0 }
    guard let actual = FileHash.digest(ofFile: path) else { return false }
    if actual == digest {
      memory.withLock { _ = $0.verified.insert(digest) }
      return true
    }
    notice("the stored object \(digest.hex.prefix(12)) was damaged; it is dropped and made again")
    drop(digest)
    return false
  }

  /// Forgets an object and what refers to it.
  func drop(_ digest: ContentDigest) {
    guard !isReadOnly else { return }
    unlink(ObjectFiles.path(of: digest, in: directory))
    do throws(CacheError) {
      try index.write { database in
        try database.execute(sql: "DELETE FROM object WHERE digest = ?", arguments: [digest.hex])
        try database.execute(sql: "DELETE FROM output WHERE digest = ?", arguments: [digest.hex])
      }
    } catch {
      notice(error.message)
    }
  }
}
