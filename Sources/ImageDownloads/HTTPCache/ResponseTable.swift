import Curl
import GRDB
import ImageCaches

/// The HTTP cache's rows in the disk store. Functions block.
struct ResponseTable: Sendable {
  let store: DiskStore
  /// The maximum number of variants of one URL; the oldest are removed.
  private static let variantLimit = 16

  func responses(for key: ContentDigest) throws(CacheError) -> [StoredResponse] {
    let rows = try store.index.query { database in
      let statement = try database.cachedStatement(
        sql: "SELECT variant, record, checksum FROM responses WHERE key = ?")
      return try Row.fetchAll(statement, arguments: [key.hex])
    }
    return rows.compactMap { row in
      // Ignore damaged rows, and rows that another version wrote.
      guard let variant: String = row.validated("variant"), let record: String = row.validated("record"),
        Self.checksum(key, variant, record) == row.validated("checksum")
      else { return nil }
      return StoredResponse(record: record)
    }
  }

  /// A response as a row to write in a transaction.
  struct Entry: Sendable {
    fileprivate let key: String
    fileprivate let variant: String
    fileprivate let url: String
    fileprivate let digest: String
    fileprivate let record: String
    fileprivate let time: Double
    fileprivate let checksum: String
  }

  static func entry(_ response: StoredResponse, for key: ContentDigest, url: String) -> Entry {
    let (variant, record) = (variant(response.selection), response.record)
    return Entry(
      key: key.hex, variant: variant, url: url, digest: response.digest.hex, record: record,
      time: response.responseTime, checksum: checksum(key, variant, record))
  }

  /// Stores a response, which replaces the one for the same request fields.
  func store(_ response: StoredResponse, for key: ContentDigest, url: String) throws(CacheError) {
    let entry = Self.entry(response, for: key, url: url)
    try store.index.write { try Self.write(entry, in: $0) }
  }

  /// Stores a response within a transaction.
  static func write(_ entry: Entry, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO responses (key, variant, url, digest, record, last_used, checksum)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      entry.key, entry.variant, entry.url, entry.digest, entry.record, entry.time, entry.checksum,
    ])
    // A response without `Vary` is the only one for its key.
    guard !entry.variant.isEmpty else { return }
    try database.cachedStatement(
      sql: """
        DELETE FROM responses WHERE key = ?1 AND variant NOT IN
        (SELECT variant FROM responses WHERE key = ?1 ORDER BY last_used DESC LIMIT ?2)
        """
    ).execute(arguments: [entry.key, variantLimit])
  }

  /// Distinguishes the responses for one key; empty if the response doesn't vary.
  private static func variant(_ selection: [StoredResponse.Selection]) -> String {
    guard !selection.isEmpty else { return "" }
    var variant = KeyBuilder("http-variant")
    for field in selection {
      variant.append(field.name)
      variant.append(optional: field.value)
    }
    return variant.digest.hex
  }

  private static func checksum(_ key: ContentDigest, _ variant: String, _ record: String) -> String {
    var checksum = KeyBuilder("response-row")
    for field in [key.hex, variant, record] { checksum.append(field) }
    return String(checksum.digest.hex.prefix(16))
  }
}
