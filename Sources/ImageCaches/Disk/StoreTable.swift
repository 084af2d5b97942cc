import GRDB

/// A table of the index whose rows are found by a key. The module that uses a table declares its row, and with it the
/// table: it is made when the first row is recorded.
package protocol StoreRow: Sendable {
  /// Where rows of this type lie.
  static var table: StoreTable { get }
  /// In the order of the table's columns.
  var values: [StoreValue] { get }
  /// nil for values that are no such row: it is unknown then.
  init?(_ values: [StoreValue])
}

/// A table's name and columns, beside the key and the checksum that every row has. Other columns need another version of
/// ``StoreIndex``.
package struct StoreTable: Sendable {
  /// A column's name and its SQL type.
  package struct Column: Sendable {
    let name: String
    let type: String

    package static func text(_ name: String) -> Column { Column(name: name, type: "TEXT") }
    package static func integer(_ name: String) -> Column { Column(name: name, type: "INTEGER") }
    package static func real(_ name: String) -> Column { Column(name: name, type: "REAL") }
    /// `digest`, that of an object without which the row is worth nothing: it goes with the object.
    package static let object = Column(name: "digest", type: "TEXT NOT NULL \(StoreTable.reference)")
  }

  let name: String
  let columns: [Column]
  /// How many rows are kept, those recorded last; nil: all.
  let limit: Int?

  /// A table.
  package init(_ name: String, _ columns: [Column], limit: Int? = nil) {
    self.name = name
    self.columns = columns
    self.limit = limit
  }

  /// What marks a column of digests of objects.
  fileprivate static let reference = "REFERENCES objects (digest)"

  fileprivate var names: String { columns.map { "\($0.name), " }.joined() }

  /// Asks SQLite: GRDB's own `tableExists` remembers, and doesn't see a table that another process has made.
  fileprivate func exists(in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)")
    return try Bool.fetchOne(statement, arguments: [name]) ?? false
  }

  fileprivate var creation: String {
    let definitions = columns.map { "\($0.name) \($0.type), " }.joined()
    return "CREATE TABLE IF NOT EXISTS \(name) (key TEXT PRIMARY KEY, \(definitions)checksum TEXT NOT NULL)"
  }
}

/// A number or a text of a row.
package enum StoreValue: Sendable, Hashable {
  case text(String)
  case integer(Int)
  case real(Double)
  case null

  /// The text; nil for anything else.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The whole number; nil for anything else.
  package var integer: Int? { if case .integer(let number) = self { number } else { nil } }
  /// The number; nil for anything else.
  package var real: Double? { if case .real(let number) = self { number } else { nil } }
  /// The digest in hexadecimal; nil for anything else.
  package var digest: ContentDigest? { text.flatMap { ContentDigest(hex: $0) } }

  /// A number, or null.
  package init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }
  /// A text, or null.
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

// Each row carries a checksum of its fields: a flipped bit in the index makes the row unknown instead of wrong.
extension DiskStore {
  /// The rows that are known by keys. A row that refers to an object doesn't promise it: ask ``object(_:)``.
  package func rows<Row: StoreRow>(
    of type: Row.Type = Row.self, forKeys keys: [ContentDigest]
  ) throws(CacheError) -> [ContentDigest: Row] {
    guard !keys.isEmpty else { return [:] }
    let table = Row.table
    return try index.query { database in
      guard try table.exists(in: database) else { return [:] }
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

  /// Records rows by their keys, in one transaction. An older row of the same key is replaced.
  package func record<Row: StoreRow>(_ rows: [ContentDigest: Row]) throws(CacheError) {
    guard !rows.isEmpty else { return }
    let table = Row.table
    try index.write { database in
      if try !table.exists(in: database) { try database.execute(sql: table.creation) }
      let places = table.columns.map { _ in "?, " }.joined()
      let statement = try database.cachedStatement(
        sql: "INSERT OR REPLACE INTO \(table.name) (key, \(table.names)checksum) VALUES (?, \(places)?)")
      for (key, row) in rows {
        let values = row.values
        let checksum = Self.checksum(key, table, values[...])
        try statement.execute(
          arguments: StatementArguments(
            [key.hex.databaseValue] + values.map(\.databaseValue) + [checksum.databaseValue]))
      }
      if let limit = table.limit {
        try database.execute(
          // By rows, not by the rowids' difference: a row that is recorded again gets a new rowid and leaves a gap.
          sql: """
            DELETE FROM \(table.name) WHERE rowid <=
              (SELECT rowid FROM \(table.name) ORDER BY rowid DESC LIMIT 1 OFFSET ?)
            """,
          arguments: [limit])
      }
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

  /// The tables that modules have declared: those whose rows need objects, or all.
  static func declaredTables(_ database: Database, withObjects: Bool) throws -> [String] {
    let pattern = withObjects ? "%\(StoreTable.reference)%" : "%checksum TEXT NOT NULL)"
    return try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE ?",
      arguments: [pattern])
  }
}
