import GRDB
import Glibc

extension DiskStore {
  /// What there is in a store.
  public struct Inventory: Sendable, Hashable, Codable {
    /// Files in `objects/`.
    public var objects = 0
    /// Of all objects.
    public var bytes = 0
    /// Stored HTTP answers.
    public var responses = 0
    /// Known encoded outputs.
    public var outputs = 0
    /// Stored renditions.
    public var renditions = 0
    /// Files whose digests are remembered.
    public var files = 0
    /// Of those objects that are renditions.
    public var renditionBytes = 0
    /// What has been spared, by ``CacheSavings/Kind``'s names.
    public var savings: [String: CacheSavings] = [:]
  }

  /// An object and what is known to lead to it.
  public struct ListedObject: Sendable, Hashable, Codable {
    /// Its SHA-256, 64 hexadecimal digits.
    public var digest: String
    /// Its size.
    public var bytes: Int
    /// Seconds since 1970.
    public var lastUsed: Double
    /// The URLs that it is the answer of, as they may be shown.
    public var urls: [String]
    /// How many outputs it is the bytes of.
    public var outputs: Int
  }

  /// Counts objects and rows.
  public func inventory() throws(CacheError) -> Inventory {
    let usage = try usage()
    let renditionBytes = try renditionBytes()
    let savings = try savings()
    return try index.read { database in
      func count(_ table: String) throws -> Int {
        guard try database.tableExists(table) else { return 0 }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return Inventory(
        objects: usage.objects, bytes: usage.bytes, responses: try count("responses"),
        outputs: try count("outputs"), renditions: try count("renditions"), files: try count("stamps"),
        renditionBytes: renditionBytes,
        savings: Dictionary(uniqueKeysWithValues: savings.map { ($0.key.rawValue, $0.value) }))
    }
  }

  /// Every object, the last used first.
  public func list() throws(CacheError) -> [ListedObject] {
    try index.read { database in
      var urls: [String: [String]] = [:]
      for row in try Row.fetchAll(database, sql: "SELECT digest, url FROM responses") {
        guard let digest: String = row.sound("digest"), let url: String = row.sound("url") else { continue }
        urls[digest, default: []].append(url)
      }
      var outputs: [String: Int] = [:]
      if try database.tableExists("outputs") {
        for digest in try String.fetchAll(database, sql: "SELECT digest FROM outputs") {
          outputs[digest, default: 0] += 1
        }
      }
      let rows = try Row.fetchAll(
        database, sql: "SELECT digest, bytes, last_used FROM objects ORDER BY last_used DESC")
      return try rows.map { row in
        guard let digest: String = row.sound("digest"), let bytes: Int = row.sound("bytes"),
          let lastUsed: Double = row.sound("last_used")
        else { throw StoreIndex.Damage(reason: "an object's row is no such row") }
        return ListedObject(
          digest: digest, bytes: bytes, lastUsed: lastUsed, urls: urls[digest] ?? [],
          outputs: outputs[digest] ?? 0)
      }
    }
  }

  /// Reads every object and holds it against its digest; damaged ones are dropped, and said in ``mended``. Objects
  /// that the index doesn't know are entered, rows without an object removed; a damaged index is made anew.
  /// - Returns: how many objects were read, how many were damaged, and whether the index was.
  public func verify() throws(CacheError) -> (checked: Int, damaged: Int, hadBadIndex: Bool) {
    let hadBadIndex = try index.check()
    var checked = 0
    var damaged = 0
    // Without those that are dropped: a row for one of them would count bytes that are gone.
    var files: [(digest: ContentDigest, byteCount: Int, modified: Double)] = []
    for file in try StoreLayout.objectFiles(in: layout) {
      checked += 1
      if try object(file.digest) == nil { damaged += 1 } else { files.append(file) }
    }
    let known = Set(files.map(\.digest.hex))
    try index.write { database in
      var gone: [ContentDigest] = []
      for digest in try String.fetchAll(database, sql: "SELECT digest FROM objects")
      where !known.contains(digest) {
        if let digest = ContentDigest(hex: digest) {
          gone.append(digest)
        } else {
          try database.execute(sql: "DELETE FROM objects WHERE digest = ?", arguments: [digest])
        }
      }
      try Self.forget(gone, in: database)
      for file in files {
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

  /// Removes everything that no process uses at the moment, and everything that is known.
  public func clear() throws(CacheError) {
    try purge(to: 0)
    try index.write { database in
      let declared = try Self.declaredTables(database, withObjects: false)
      for table in ["responses", "stamps", "savings", "sources", "ledger"] + declared {
        try database.execute(sql: "DELETE FROM \(table)")
      }
    }
  }
}
