import GRDB
import GRDBSQLite
import Testing

@testable import ImageCaches

@Suite("Transactions of the index", .timeLimit(.minutes(2)))
struct IndexTransactionTests {
  private let directory: Directory
  private let store: DiskStore

  init() throws {
    directory = try Directory()
    store = try DiskStore(directory: directory.path)
    try store.insert([1, 2, 3])
  }

  private static let lookup = "SELECT count(*) FROM objects WHERE bytes >= ?"

  private func count(_ database: Database) throws -> (rows: Int?, compilations: Int32) {
    let statement = try database.cachedStatement(sql: Self.lookup)
    let rows = try Int.fetchOne(statement, arguments: [0])
    return (rows, sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0))
  }

  @Test("keep a compiled statement, whatever was read and written between two uses")
  func compiledStatements() throws {
    for round in 1...5 {
      #expect(try store.index.read(count) == (round, 0))
      #expect(try store.index.query(count) == (round, 0))
      #expect(try store.index.write(count) == (round, 0))
      try store.insert([UInt8(round), 0])
    }
  }

  @Test("a read sees one state, although another process writes meanwhile")
  func snapshot() throws {
    let other = try DiskStore(directory: directory.path)
    let (before, during) = try store.index.read { database in
      let before = try count(database).rows
      try other.insert([9, 9])
      return try (before, count(database).rows)
    }
    #expect(before == 1 && during == 1)
    #expect(try store.index.read(count).rows == 2)
  }

  @Test("a read that fails leaves no transaction open")
  func failure() throws {
    struct Stop: Error {}
    for _ in 0..<3 {
      #expect(throws: CacheError.self) { try store.index.read { _ in throw Stop() } }
      try store.insert([7])
      #expect(try store.index.query { $0.isInsideTransaction } == false)
    }
    #expect(try store.index.read(count).rows == 2)
  }
}
