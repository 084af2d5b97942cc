import Curl
import GRDB
import ImageCaches

/// The HTTP cache's rows in the disk store. Functions block.
struct ResponseTable: Sendable {
  let store: DiskStore
  /// More variants of one URL than this make the oldest go.
  private static let variantLimit = 16

  /// The stored answers for a key.
  func responses(for key: ContentDigest) throws(CacheError) -> [StoredResponse] {
    let rows = try store.index.query { database in
      let statement = try database.cachedStatement(
        sql: "SELECT variant, record, seal FROM responses WHERE key = ?")
      return try Row.fetchAll(statement, arguments: [key.hex])
    }
    return rows.compactMap { row in
      // A row that isn't whole, or that another version wrote, is one that isn't there.
      guard let variant: String = row.sound("variant"), let record: String = row.sound("record"),
        Self.seal(key, variant, record) == row.sound("seal")
      else { return nil }
      return StoredResponse(record: record)
    }
  }

  /// An answer as a row, ready to be written in a transaction.
  struct Entry: Sendable {
    fileprivate let key: String
    fileprivate let variant: String
    fileprivate let url: String
    fileprivate let digest: String
    fileprivate let record: String
    fileprivate let time: Double
    fileprivate let seal: String
  }

  static func entry(_ response: StoredResponse, for key: ContentDigest, url: String) -> Entry {
    let (variant, record) = (variant(response.selection), response.record)
    return Entry(
      key: key.hex, variant: variant, url: url, digest: response.digest.hex, record: record,
      time: response.responseTime, seal: seal(key, variant, record))
  }

  /// Stores an answer in place of the one that the same fields chose.
  func store(_ response: StoredResponse, for key: ContentDigest, url: String) throws(CacheError) {
    let entry = Self.entry(response, for: key, url: url)
    try store.index.write { try Self.write(entry, in: $0) }
  }

  /// The same within a transaction.
  static func write(_ entry: Entry, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO responses (key, variant, url, digest, record, last_used, seal)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      entry.key, entry.variant, entry.url, entry.digest, entry.record, entry.time, entry.seal,
    ])
    // An answer that varies by nothing is the only one of its key.
    guard !entry.variant.isEmpty else { return }
    try database.cachedStatement(
      sql: """
        DELETE FROM responses WHERE key = ?1 AND variant NOT IN
        (SELECT variant FROM responses WHERE key = ?1 ORDER BY last_used DESC LIMIT ?2)
        """
    ).execute(arguments: [entry.key, variantLimit])
  }

  /// What tells a key's answers apart; empty where they vary by nothing.
  private static func variant(_ selection: [StoredResponse.Selection]) -> String {
    guard !selection.isEmpty else { return "" }
    var variant = KeyBuilder("http-variant")
    for field in selection {
      variant.append(field.name)
      variant.append(optional: field.value)
    }
    return variant.digest.hex
  }

  private static func seal(_ key: ContentDigest, _ variant: String, _ record: String) -> String {
    var seal = KeyBuilder("response-row")
    for field in [key.hex, variant, record] { seal.append(field) }
    return String(seal.digest.hex.prefix(16))
  }
}
