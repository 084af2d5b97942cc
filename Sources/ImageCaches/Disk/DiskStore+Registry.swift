import GRDB

/// The runs that an output belongs to: those of one manifest into one output directory with one template.
///
/// `run --prune` removes only outputs of its own scope.
package struct OutputScope: Hashable, Sendable, Codable {
  /// The manifest's absolute path; `-` for jobs from standard input.
  package var manifest: String
  /// The output directory's absolute path.
  package var directory: String
  /// The template given in addition to the manifest; empty if the jobs name their outputs.
  package var template: String

  /// Creates a scope.
  package init(manifest: String, directory: String, template: String) {
    self.manifest = manifest
    self.directory = directory
    self.template = template
  }
}

/// The record of an output file that a run has written.
package struct RegistryEntry: Hashable, Sendable {
  /// The file's absolute path.
  package var path: String
  /// The runs that the file belongs to.
  package var scope: OutputScope
  /// The file's SHA-256.
  package var digest: ContentDigest
  /// The output key.
  package var key: ContentDigest
  /// The parts of the key, as JSON.
  package var recipe: String
  /// When the run that wrote the file began, in seconds since 1970.
  package var began: Double

  /// Creates an entry.
  package init(
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

  fileprivate static let columns = "path, manifest, directory, template, digest, key, recipe, began, checksum"

  fileprivate init?(_ row: Row) {
    guard let path: String = row.validated("path"), let scope = OutputScope(row),
      let digest = row.validatedDigest("digest"),
      let key = row.validatedDigest("key"), let recipe: String = row.validated("recipe"),
      let began: Double = row.validated("began")
    else { return nil }
    self.init(path: path, scope: scope, digest: digest, key: key, recipe: recipe, began: began)
    guard checksum == row.validated("checksum") else { return nil }
  }

  fileprivate var checksum: String {
    var checksum = KeyBuilder("registry-row")
    for field in [
      path, scope.manifest, scope.directory, scope.template, digest.hex, key.hex, recipe, "\(began)",
    ] { checksum.append(field) }
    return String(checksum.digest.hex.prefix(16))
  }
}

extension OutputScope {
  fileprivate init?(_ row: Row) {
    guard let manifest: String = row.validated("manifest"),
      let directory: String = row.validated("directory"),
      let template: String = row.validated("template")
    else { return nil }
    self.init(manifest: manifest, directory: directory, template: template)
  }
}

// The registry lets `run --prune` remove files that a manifest no longer makes, and `cache explain` show what changed.
// It is lost with the index; then nothing is pruned. Clearing the store keeps it.
extension DiskStore {
  /// The entry of the file at an absolute path.
  /// - Throws: `CacheError` if the index can't be read.
  package func registryEntry(ofPath path: String) throws(CacheError) -> RegistryEntry? {
    try index.query { database in
      try Row.fetchOne(
        database, sql: "SELECT \(RegistryEntry.columns) FROM registry WHERE path = ?", arguments: [path]
      )
      .flatMap(RegistryEntry.init)
    }
  }

  /// Whether the store records an output with these bytes. Reads all records.
  /// - Throws: `CacheError` if the index can't be read.
  package func isOutput(_ digest: ContentDigest) throws(CacheError) -> Bool {
    try index.query { database in
      guard try StoreTable.exists("outputs", in: database) else { return false }
      return try Row.fetchOne(
        database, sql: "SELECT 1 FROM outputs WHERE digest = ? LIMIT 1", arguments: [digest.hex]) != nil
    }
  }

  /// The entries of a scope, ordered by path.
  /// - Throws: `CacheError` if the index can't be read.
  package func registry(of scope: OutputScope) throws(CacheError) -> [RegistryEntry] {
    try index.read { database in
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT \(RegistryEntry.columns) FROM registry WHERE manifest = ? AND directory = ? AND template = ?
          ORDER BY path
          """,
        arguments: [scope.manifest, scope.directory, scope.template])
      var entries: [RegistryEntry] = []
      while let row = try rows.next() {
        if let entry = RegistryEntry(row) { entries.append(entry) }
      }
      return entries
    }
  }

  /// The scopes and output keys of files, by path; cheaper to read than the entries.
  /// - Throws: `CacheError` if the index can't be read.
  package func registrySummaries(
    ofPaths paths: [String]
  ) throws(CacheError) -> [String: (scope: OutputScope, key: ContentDigest)] {
    try index.query(lookups: paths.count) { database in
      let statement = try database.cachedStatement(
        sql: "SELECT manifest, directory, template, key FROM registry WHERE path = ?")
      var marks: [String: (scope: OutputScope, key: ContentDigest)] = [:]
      for path in paths {
        guard let row = try Row.fetchOne(statement, arguments: [path]),
          let key = row.validatedDigest("key"), let scope = OutputScope(row)
        else { continue }
        marks[path] = (scope, key)
      }
      return marks
    }
  }

  /// Adds entries in one transaction. Earlier entries of the same paths are replaced.
  /// - Throws: `CacheError` if the index can't be written.
  package func register(_ entries: [RegistryEntry]) throws(CacheError) {
    guard !entries.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO registry
            (path, manifest, directory, template, digest, key, recipe, began, checksum)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      for entry in entries {
        try statement.execute(arguments: [
          entry.path, entry.scope.manifest, entry.scope.directory, entry.scope.template, entry.digest.hex,
          entry.key.hex, entry.recipe, entry.began, entry.checksum,
        ])
      }
    }
  }

  /// Removes the entries of files in one transaction.
  /// - Throws: `CacheError` if the index can't be written.
  package func unregister(paths: [String]) throws(CacheError) {
    guard !paths.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(sql: "DELETE FROM registry WHERE path = ?")
      for path in paths { try statement.execute(arguments: [path]) }
    }
  }

  // MARK: Sources

  /// The paths, out of `paths`, that were a source of any run. All paths are absolute.
  /// - Throws: `CacheError` if the index can't be read.
  package func sources(among paths: [String]) throws(CacheError) -> Set<String> {
    guard !paths.isEmpty else { return [] }
    return try index.query(lookups: paths.count) { database in
      let statement = try database.cachedStatement(sql: "SELECT 1 FROM sources WHERE path = ?")
      var found: Set<String> = []
      for path in paths where try Row.fetchOne(statement, arguments: [path]) != nil { found.insert(path) }
      return found
    }
  }

  /// Records local files as sources, by absolute path, in one transaction. Known paths cost only a lookup.
  /// - Throws: `CacheError` if the index can't be written.
  package func recordSources(_ paths: [String]) throws(CacheError) {
    let known = try sources(among: paths)
    let new = paths.filter { !known.contains($0) }
    guard !new.isEmpty else { return }
    try index.write { database in
      let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO sources (path) VALUES (?)")
      for path in new { try statement.execute(arguments: [path]) }
    }
  }
}
