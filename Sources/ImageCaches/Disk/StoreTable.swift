import GRDB

/// A row of the index with a key. The module that uses a table declares its row type, and with it the table, which is
/// created when the first row is recorded.
package protocol StoreRow: Sendable {
  static var table: StoreTable { get }
  /// The values, in the order of the table's columns.
  var values: [StoreValue] { get }
  /// Returns nil for invalid values; the row is then treated as absent.
  init?(_ values: [StoreValue])
}

/// A table's name, and its columns in addition to the key and the checksum of every row. Changing the columns requires
/// a new version of ``StoreIndex``.
package struct StoreTable: Sendable {
  /// A column's name and its SQL type.
  package struct Column: Sendable {
    let name: String
    let type: String

    package static func text(_ name: String) -> Column { Column(name: name, type: "TEXT") }
    package static func integer(_ name: String) -> Column { Column(name: name, type: "INTEGER") }
    package static func real(_ name: String) -> Column { Column(name: name, type: "REAL") }
    /// The digest of the object that the row describes. Removing the object removes the row.
    package static let object = Column(name: "digest", type: "TEXT NOT NULL \(StoreTable.reference)")
  }

  let name: String
  let columns: [Column]
  /// The maximum number of rows, those recorded last; nil for no limit.
  let limit: Int?

  package init(_ name: String, _ columns: [Column], limit: Int? = nil) {
    self.name = name
    self.columns = columns
    self.limit = limit
  }

  /// The constraint that marks a column of object digests.
  fileprivate static let reference = "REFERENCES objects (digest)"

  fileprivate var names: String { columns.map { "\($0.name), " }.joined() }

  /// Queries SQLite: GRDB's `tableExists` caches its result, and misses a table that another process creates.
  static func exists(_ name: String, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)")
    return try Bool.fetchOne(statement, arguments: [name]) ?? false
  }

  /// Whether the table may have more rows than its limit: no more than its rowids span. SQLite reads the two ends of the
  /// table for that, while counting reads every row.
  fileprivate func mayExceed(_ limit: Int, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT (SELECT max(rowid) FROM \(name)) - (SELECT min(rowid) FROM \(name)) >= ?")
    return try Bool.fetchOne(statement, arguments: [limit]) ?? false
  }

  fileprivate var creation: String {
    let definitions = columns.map { "\($0.name) \($0.type), " }.joined()
    return "CREATE TABLE IF NOT EXISTS \(name) (key TEXT PRIMARY KEY, \(definitions)checksum TEXT NOT NULL)"
  }
}

/// A value in a row.
package enum StoreValue: Sendable, Hashable {
  case text(String)
  case integer(Int)
  case real(Double)
  case null

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var integer: Int? { if case .integer(let number) = self { number } else { nil } }
  package var real: Double? { if case .real(let number) = self { number } else { nil } }
  package var digest: ContentDigest? { text.flatMap { ContentDigest(hex: $0) } }

  package init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }
  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  fileprivate init?(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(Int(number))
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob: return nil
    }
  }

  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .text(let text): text.databaseValue
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .null: .null
    }
  }

  fileprivate var checked: String {
    switch self {
    case .text(let text): "t\(text)"
    case .integer(let number): "i\(number)"
    case .real(let number): "r\(number)"
    case .null: "n"
    }
  }
}

// Each row has a checksum of its values: a row with a flipped bit is ignored instead of used.
extension DiskStore {
  /// The rows with the given keys. The object that a row refers to may be missing; ``object(_:)`` checks it.
  package func rows<Row: StoreRow>(
    of type: Row.Type = Row.self, forKeys keys: [ContentDigest]
  ) throws(CacheError) -> [ContentDigest: Row] {
    guard !keys.isEmpty else { return [:] }
    let table = Row.table
    return try index.query(lookups: keys.count) { database in
      guard try StoreTable.exists(table.name, in: database) else {
        absentTables.withLock { $0.note(table, at: .now) }
        return [:]
      }
      let statement = try database.cachedStatement(
        sql: "SELECT \(table.names)checksum FROM \(table.name) WHERE key = ?")
      var found: [ContentDigest: Row] = [:]
      found.reserveCapacity(keys.count)
      for key in keys {
        guard let row = try GRDB.Row.fetchOne(statement, arguments: [key.hex]) else { continue }
        let values: [StoreValue] = row.databaseValues.compactMap { StoreValue($0) }
        guard values.count == table.columns.count + 1,
          values.last?.text == Self.checksum(key, table, values.dropLast())
        else { continue }
        found[key] = Row(Array(values.dropLast()))
      }
      return found
    }
  }

  /// Whether there may be rows of a type: false if there was no table for them a moment ago. Doesn't block, unlike a query.
  /// A row that another process has just recorded may be missed: ask only for rows that save work.
  package func mayHaveRows<Row: StoreRow>(of type: Row.Type) -> Bool {
    !absentTables.withLock { $0.contains(Row.table, at: .now) }
  }

  /// Records rows of several tables by key in one transaction. Earlier rows with the same keys are replaced.
  package func record<each Row: StoreRow>(
    _ rows: repeat [ContentDigest: each Row]
  ) throws(CacheError) {
    var isEmpty = true
    for count in repeat (each rows).count { isEmpty = isEmpty && count == 0 }
    guard !isEmpty else { return }
    repeat willRecord(each rows)
    try index.write { database in
      repeat try Self.record(each rows, in: database)
    }
  }

  /// Stores an object that the store doesn't have, and rows about it, in a transaction that other writes may share.
  /// `completion` may block the thread that calls it.
  package func insertGathered<each Row: StoreRow>(
    _ temporary: some StagedFile, digest: ContentDigest, recording rows: repeat [ContentDigest: each Row],
    completion: @escaping @Sendable (Result<StoredObject, CacheError>) -> Void
  ) {
    repeat willRecord(each rows)
    insertGathered(
      temporary, digest: digest,
      alongside: { database in repeat try Self.record(each rows, in: database) },
      completion: completion)
  }

  private func willRecord<Row: StoreRow>(_ rows: [ContentDigest: Row]) {
    if !rows.isEmpty { absentTables.withLock { $0.create(Row.table) } }
  }

  private static func record<Row: StoreRow>(
    _ rows: [ContentDigest: Row], in database: Database
  ) throws {
    guard !rows.isEmpty else { return }
    let table = Row.table
    if try !StoreTable.exists(table.name, in: database) { try database.execute(sql: table.creation) }
    let places = table.columns.map { _ in "?, " }.joined()
    let statement = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO \(table.name) (key, \(table.names)checksum) VALUES (?, \(places)?)")
    for (key, row) in rows {
      let values = row.values
      let checksum = checksum(key, table, values[...])
      try statement.execute(
        arguments: StatementArguments(
          [key.hex.databaseValue] + values.map(\.databaseValue) + [checksum.databaseValue]))
    }
    if let limit = table.limit, try table.mayExceed(limit, in: database) {
      // A sixteenth more than needed, so that a full table isn't counted at every commit.
      let kept = limit - limit / 16
      try database.execute(
        // Count rows instead of subtracting rowids: a row that is recorded again gets a new rowid and leaves a gap.
        sql: """
          DELETE FROM \(table.name) WHERE rowid <=
            (SELECT rowid FROM \(table.name) ORDER BY rowid DESC LIMIT 1 OFFSET ?)
            AND (SELECT count(*) FROM \(table.name)) > ?
          """,
        arguments: [kept, limit])
    }
  }

  private static func checksum(
    _ key: ContentDigest, _ table: StoreTable, _ values: ArraySlice<StoreValue>
  ) -> String {
    var checksum = KeyBuilder(table.name)
    checksum.append(key.hex)
    for value in values { checksum.append(value.checked) }
    return String(checksum.digest.hex.prefix(16))
  }

  /// The tables that modules have declared: all of them, or only those with object digests.
  static func declaredTables(_ database: Database, withObjects: Bool) throws -> [String] {
    let pattern = withObjects ? "%\(StoreTable.reference)%" : "%checksum TEXT NOT NULL)"
    return try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE ?",
      arguments: [pattern])
  }
}
