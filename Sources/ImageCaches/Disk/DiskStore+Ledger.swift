import GRDB

/// Which runs a file in place belongs to: those of one manifest into one output directory by one template.
///
/// `run --prune` compares what such runs have made with what the next of them makes, and touches nothing else.
public struct OutputScope: Hashable, Sendable, Codable {
  /// The manifest's absolute path; `-` for jobs from standard input.
  public var manifest: String
  /// The output directory's absolute path.
  public var directory: String
  /// The template given beside the manifest; empty where its jobs name their outputs themselves.
  public var template: String

  /// A scope made of its parts.
  public init(manifest: String, directory: String, template: String) {
    self.manifest = manifest
    self.directory = directory
    self.template = template
  }
}

/// A file that a run has put in place.
public struct LedgerEntry: Hashable, Sendable {
  /// The file's absolute path.
  public var path: String
  /// The runs that it belongs to.
  public var scope: OutputScope
  /// The file's SHA-256.
  public var digest: ContentDigest
  /// Its output key.
  public var key: ContentDigest
  /// The parts of the key, as JSON.
  public var recipe: String
  /// When the run that has put it in place began, in seconds since 1970.
  public var began: Double

  /// An entry made of its parts.
  public init(
    path: String, scope: OutputScope, digest: ContentDigest, key: ContentDigest, recipe: String,
    began: Double = 0
  ) {
    self.began = began
    self.path = path
    self.scope = scope
    self.digest = digest
    self.key = key
    self.recipe = recipe
  }

  fileprivate static let columns = "path, manifest, directory, template, digest, key, recipe, began, seal"

  fileprivate init?(_ row: Row) {
    guard let path: String = row.sound("path"), let scope = OutputScope(row),
      let digest = row.soundDigest("digest"),
      let key = row.soundDigest("key"), let recipe: String = row.sound("recipe"),
      let began: Double = row.sound("began")
    else { return nil }
    self.init(path: path, scope: scope, digest: digest, key: key, recipe: recipe, began: began)
    guard seal == row.sound("seal") else { return nil }
  }

  fileprivate var seal: String {
    var seal = KeyBuilder("ledger-row")
    for field in [
      path, scope.manifest, scope.directory, scope.template, digest.hex, key.hex, recipe, "\(began)",
    ] { seal.append(field) }
    return String(seal.digest.hex.prefix(16))
  }
}

extension OutputScope {
  fileprivate init?(_ row: Row) {
    guard let manifest: String = row.sound("manifest"), let directory: String = row.sound("directory"),
      let template: String = row.sound("template")
    else { return nil }
    self.init(manifest: manifest, directory: directory, template: template)
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

  /// The files that runs of a scope have made, in the order of their paths.
  public func ledger(of scope: OutputScope) throws(CacheError) -> [LedgerEntry] {
    try index.read { database in
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT \(LedgerEntry.columns) FROM ledger WHERE manifest = ? AND directory = ? AND template = ?
          ORDER BY path
          """,
        arguments: [scope.manifest, scope.directory, scope.template])
      var entries: [LedgerEntry] = []
      while let row = try rows.next() {
        if let entry = LedgerEntry(row) { entries.append(entry) }
      }
      return entries
    }
  }

  /// The scopes and output keys of those of the paths that are known: less to read than the entries.
  public func ledgerMarks(
    ofPaths paths: [String]
  ) throws(CacheError) -> [String: (scope: OutputScope, key: ContentDigest)] {
    try index.query { database in
      let statement = try database.cachedStatement(
        sql: "SELECT manifest, directory, template, key FROM ledger WHERE path = ?")
      var marks: [String: (scope: OutputScope, key: ContentDigest)] = [:]
      for path in paths {
        guard let row = try Row.fetchOne(statement, arguments: [path]),
          let key = row.soundDigest("key"), let scope = OutputScope(row)
        else { continue }
        marks[path] = (scope, key)
      }
      return marks
    }
  }

  /// Records files, in one transaction; what was known of the same paths is replaced.
  public func enter(_ entries: [LedgerEntry]) throws(CacheError) {
    guard !entries.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO ledger
            (path, manifest, directory, template, digest, key, recipe, began, seal)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      for entry in entries {
        try statement.execute(arguments: [
          entry.path, entry.scope.manifest, entry.scope.directory, entry.scope.template, entry.digest.hex,
          entry.key.hex, entry.recipe, entry.began, entry.seal,
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

  // MARK: Sources

  /// Those of the absolute paths that were a source of any run.
  public func sources(among paths: [String]) throws(CacheError) -> Set<String> {
    guard !paths.isEmpty else { return [] }
    return try index.query { database in
      let statement = try database.cachedStatement(sql: "SELECT 1 FROM sources WHERE path = ?")
      var found: Set<String> = []
      for path in paths where try Row.fetchOne(statement, arguments: [path]) != nil { found.insert(path) }
      return found
    }
  }

  /// Remembers local files as sources, by absolute path, in one transaction. Known ones cost a look-up.
  public func recordSources(_ paths: [String]) throws(CacheError) {
    let known = try sources(among: paths)
    let new = paths.filter { !known.contains($0) }
    guard !new.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO sources (path) VALUES (?)")
      for path in new { try statement.execute(arguments: [path]) }
    }
  }
}
