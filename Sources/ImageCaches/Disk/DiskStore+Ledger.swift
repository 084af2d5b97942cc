import GRDB

/// A file that a run has put in place.
public struct LedgerEntry: Hashable, Sendable {
  /// Where it is: an absolute path.
  public var path: String
  /// What it was made for: a manifest's absolute path.
  public var manifest: String
  /// The file's SHA-256.
  public var digest: ContentDigest
  /// Its output key.
  public var key: ContentDigest
  /// What the key was made of, as JSON.
  public var recipe: String

  /// An entry.
  public init(path: String, manifest: String, digest: ContentDigest, key: ContentDigest, recipe: String) {
    self.path = path
    self.manifest = manifest
    self.digest = digest
    self.key = key
    self.recipe = recipe
  }

  fileprivate static let columns = "path, manifest, digest, key, recipe, seal"

  fileprivate init?(_ row: Row) {
    guard let path: String = row.sound("path"), let manifest: String = row.sound("manifest"),
      let digest = row.soundDigest("digest"),
      let key = row.soundDigest("key"), let recipe: String = row.sound("recipe")
    else { return nil }
    self.init(path: path, manifest: manifest, digest: digest, key: key, recipe: recipe)
    guard seal == row.sound("seal") else { return nil }
  }

  fileprivate var seal: String {
    var seal = KeyBuilder("ledger-row")
    for field in [path, manifest, digest.hex, key.hex, recipe] { seal.append(field) }
    return String(seal.digest.hex.prefix(16))
  }
}

// What is known of files in place lets `run --prune` remove those that a manifest no longer makes, and `cache explain`
// say what has changed. It is lost with the index: then nothing is removed.
extension DiskStore {
  /// What is known of the file at an absolute path.
  public func ledgerEntry(ofPath path: String) throws(CacheError) -> LedgerEntry? {
    try index.query { database in
      try Row.fetchOne(
        database, sql: "SELECT \(LedgerEntry.columns) FROM ledger WHERE path = ?", arguments: [path]
      )
      .flatMap(LedgerEntry.init)
    }
  }

  /// The files that were made for a manifest, in the order of their paths.
  public func ledger(ofManifest manifest: String) throws(CacheError) -> [LedgerEntry] {
    try index.read { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT \(LedgerEntry.columns) FROM ledger WHERE manifest = ? ORDER BY path",
        arguments: [manifest])
      var entries: [LedgerEntry] = []
      while let row = try rows.next() {
        if let entry = LedgerEntry(row) { entries.append(entry) }
      }
      return entries
    }
  }

  /// The manifests and output keys of those of the paths that are known: less to read than the entries.
  public func ledgerMarks(
    ofPaths paths: [String]
  ) throws(CacheError) -> [String: (manifest: String, key: ContentDigest)] {
    try index.query { database in
      let statement = try database.cachedStatement(sql: "SELECT manifest, key FROM ledger WHERE path = ?")
      var marks: [String: (manifest: String, key: ContentDigest)] = [:]
      for path in paths {
        guard let row = try Row.fetchOne(statement, arguments: [path]),
          let key = row.soundDigest("key"),
          let manifest: String = row.sound("manifest")
        else { continue }
        marks[path] = (manifest, key)
      }
      return marks
    }
  }

  /// Enters files, in one transaction; what was known of the same paths is replaced.
  public func enter(_ entries: [LedgerEntry]) throws(CacheError) {
    guard !entries.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO ledger (path, manifest, digest, key, recipe, written, seal)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """)
      for entry in entries {
        try statement.execute(arguments: [
          entry.path, entry.manifest, entry.digest.hex, entry.key.hex, entry.recipe, Self.now(), entry.seal,
        ])
      }
    }
  }

  /// Forgets files, in one transaction.
  public func strike(paths: [String]) throws(CacheError) {
    guard !paths.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(sql: "DELETE FROM ledger WHERE path = ?")
      for path in paths { try statement.execute(arguments: [path]) }
    }
  }
}
