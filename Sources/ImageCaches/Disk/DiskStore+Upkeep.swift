public import struct FoundationEssentials.Date
import GRDB
import Glibc
import SystemIO

extension DiskStore {
  /// The numbers and sizes of what a store has, as `imagemill cache` prints them.
  public struct Inventory: Sendable, Hashable, Codable {
    /// The number of objects of both kinds.
    public var objects = 0
    /// The total size of the objects, in bytes.
    public var bytes = 0
    /// The number of HTTP responses in the HTTP cache.
    public var responses = 0
    /// The number of recorded encoded outputs.
    public var outputs = 0
    /// The number of recorded renditions.
    public var renditions = 0
    /// The number of files outside the store with recorded digests.
    public var files = 0
    /// The total size of the renditions, in bytes.
    public var renditionBytes = 0
    /// The savings, by the raw values of ``CacheSavings/Kind``.
    public var savings: [String: CacheSavings] = [:]
  }

  /// An object, and the responses and outputs that refer to it.
  public struct ListedObject: Sendable, Hashable, Codable {
    /// The SHA-256 in 64 hexadecimal digits.
    public var digest: String
    /// The size of the object in bytes.
    public var bytes: Int
    /// The time of last use, in seconds since 1970.
    package var lastUsed: Double
    /// The time of last use.
    public var lastUse: Date { Date(timeIntervalSince1970: lastUsed) }
    /// The URLs of the responses with this body, without secrets.
    public var urls: [String]
    /// The number of outputs with these bytes.
    public var outputs: Int
  }

  /// Counts the store's objects and rows.
  /// - Returns: The numbers and sizes by kind.
  /// - Throws: `CacheError` if the index can't be read.
  public func inventory() throws(CacheError) -> Inventory {
    let usage = try usage()
    let renditionBytes = try renditionBytes()
    let savings = try savings()
    return try index.read { database in
      func count(_ table: String) throws -> Int {
        guard try StoreTable.exists(table, in: database) else { return 0 }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return Inventory(
        objects: usage.objects, bytes: usage.bytes, responses: try count("responses"),
        outputs: try count("outputs"), renditions: try count("renditions"), files: try count("fingerprints"),
        renditionBytes: renditionBytes,
        savings: Dictionary(uniqueKeysWithValues: savings.map { ($0.key.rawValue, $0.value) }))
    }
  }

  /// Lists all objects, the most recently used first.
  /// - Returns: An element for each object, with the URLs that it was downloaded from.
  /// - Throws: `CacheError` if the index can't be read.
  public func list() throws(CacheError) -> [ListedObject] {
    try index.read { database in
      var urls: [String: [String]] = [:]
      for row in try Row.fetchAll(database, sql: "SELECT digest, url FROM responses") {
        guard let digest: String = row.validated("digest"), let url: String = row.validated("url") else {
          continue
        }
        urls[digest, default: []].append(url)
      }
      var outputs: [String: Int] = [:]
      if try StoreTable.exists("outputs", in: database) {
        for digest in try String.fetchAll(database, sql: "SELECT digest FROM outputs") {
          outputs[digest, default: 0] += 1
        }
      }
      let rows = try Row.fetchAll(
        database, sql: "SELECT digest, bytes, last_used FROM objects ORDER BY last_used DESC")
      return try rows.map { row in
        guard let digest: String = row.validated("digest"), let bytes: Int = row.validated("bytes"),
          let lastUsed: Double = row.validated("last_used")
        else { throw StoreIndex.Damage(reason: "an object's row is invalid") }
        return ListedObject(
          digest: digest, bytes: bytes, lastUsed: lastUsed, urls: urls[digest] ?? [],
          outputs: outputs[digest] ?? 0)
      }
    }
  }

  /// Checks every object against its digest, and the index against the objects.
  ///
  /// Damaged objects are removed and noted in ``repairMessages``; missing rows are added, rows without an
  /// object removed, and a damaged index is rebuilt. A read-only store is checked without being changed.
  /// - Throws: `CacheError` if a file or the index can't be used.
  /// - Returns: The number of objects read, the number of damaged ones, and whether the index was damaged.
  public func verify() throws(CacheError) -> (checked: Int, damaged: Int, hadBadIndex: Bool) {
    let hadBadIndex = try index.check()
    var checked = 0
    var damaged = 0
    // Only sound objects: a row for a removed one would count bytes that are gone.
    var files: [(digest: ContentDigest, byteCount: Int, modified: Double)] = []
    let place = readOnlyLayout ?? layout
    for file in try StoreLayout.objectFiles(in: place) {
      switch try examined(file.digest, in: place) {
      case .sound:
        checked += 1
        files.append(file)
      case .damaged:
        checked += 1
        damaged += 1
      // Another process has purged it since the names were read.
      case .absent: break
      }
    }
    if isReadOnly { return (checked, damaged, hadBadIndex) }
    let suspects = try rowsWithoutFile()
    // Another process writes an object's row just before it moves the file into place.
    if !suspects.isEmpty { usleep(200_000) }
    // No other process changes rows during the transaction, so everything it has stored or purged before is
    // visible.
    try index.write { database in
      var gone: [ContentDigest] = []
      for row in try Row.fetchAll(database, sql: "SELECT digest, last_used FROM objects") {
        guard let digest = row.validatedDigest("digest"), let _: Double = row.validated("last_used") else {
          let invalid: DatabaseValue = row["digest"]
          try database.execute(sql: "DELETE FROM objects WHERE digest IS ?", arguments: [invalid])
          continue
        }
        if suspects.contains(digest), access(layout.object(digest), F_OK) != 0 { gone.append(digest) }
      }
      try Self.forget(gone, in: database)
      for file in files where access(layout.object(file.digest), F_OK) == 0 {
        try database.execute(
          sql: """
            INSERT INTO objects (digest, bytes, last_used) VALUES (?, ?, ?)
            ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes
            """,
          arguments: [file.digest.hex, file.byteCount, file.modified])
      }
      try database.execute(
        sql: "UPDATE totals SET (bytes, objects) = (SELECT ifnull(sum(bytes), 0), count(*) FROM objects)")
    }
    return (checked, damaged, hadBadIndex)
  }

  /// The objects in the index whose files aren't there now.
  private func rowsWithoutFile() throws(CacheError) -> Set<ContentDigest> {
    try index.read { database in
      var digests: Set<ContentDigest> = []
      for row in try Row.fetchAll(database, sql: "SELECT digest FROM objects") {
        if let digest = row.validatedDigest("digest"), access(layout.object(digest), F_OK) != 0 {
          digests.insert(digest)
        }
      }
      return digests
    }
  }

  /// The directory of small files that programs keep about their runs in a store's directory. They don't count as its
  /// objects, and are removed with them, or after a month.
  package static func recordsDirectory(in directory: String) -> String {
    StoreLayout(root: directory).records
  }

  /// Removes records that were written more than some seconds ago (default: all).
  func clearRecords(olderThan age: Double = -.infinity) throws(CacheError) {
    for name in try StoreLayout.names(in: layout.records) {
      let path = "\(layout.records)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, SystemTime.now - Double(status.st_mtim.tv_sec) >= age else { continue }
      guard unlink(path) == 0 || errno == ENOENT else { throw .file("remove", path, errno: errno) }
    }
  }

  /// Removes all objects that no process has pinned, all rows about them and about responses, and programs' records.
  ///
  /// What is known about files outside the store stays: which of them runs have written, and which were sources. Without
  /// that, `--prune` would leave outdated outputs forever, and an output that another job reads would pass for a source
  /// that must not be overwritten.
  /// - Throws: `CacheError` if a file can't be removed or the index can't be written.
  public func clear() throws(CacheError) {
    try purge(to: 0)
    try clearRecords()
    try index.write { database in
      let declared = try Self.declaredTables(database, withObjects: false)
      for table in ["responses", "fingerprints", "savings"] + declared {
        try database.execute(sql: "DELETE FROM \(table)")
      }
    }
  }
}
