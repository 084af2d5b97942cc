import Curl
import FoundationEssentials
import GRDB
import ImageCaches

/// The HTTP cache's rows in the disk store. Functions block.
struct ResponseTable: Sendable {
  let store: DiskStore
  /// More variants of one URL than this make the oldest go.
  private static let variantLimit = 16

  /// The stored answers for a key.
  func responses(for key: ContentDigest) throws(CacheError) -> [StoredResponse] {
    let rows = try store.index.read { database in
      try Row.fetchAll(
        database, sql: "SELECT variant, record, seal FROM responses WHERE key = ?", arguments: [key.hex])
    }
    return rows.compactMap { row in
      let record: String = row["record"]
      // A row that isn't whole, or that another version wrote, is one that isn't there.
      guard Self.seal(key, row["variant"], record) == row["seal"] as String else { return nil }
      return try? JSONDecoder().decode(StoredResponse.self, from: Data(record.utf8))
    }
  }

  /// Stores an answer in place of the one that the same fields chose.
  func store(_ response: StoredResponse, for key: ContentDigest, url: String) throws(CacheError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let record: String
    do {
      record = String(decoding: try encoder.encode(response), as: UTF8.self)
    } catch {
      throw CacheError(code: .index, message: "an HTTP answer can't be written as JSON: \(error)")
    }
    let variant = Self.variant(response.selection)
    try store.index.write { database in
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO responses (key, variant, url, digest, record, last_used, seal)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          key.hex, variant, url, response.digest.hex, record, response.responseTime,
          Self.seal(key, variant, record),
        ])
      try database.execute(
        sql: """
          DELETE FROM responses WHERE key = ? AND variant NOT IN
          (SELECT variant FROM responses WHERE key = ? ORDER BY last_used DESC LIMIT ?)
          """, arguments: [key.hex, key.hex, Self.variantLimit])
    }
  }

  /// Removes an answer.
  func remove(_ response: StoredResponse, for key: ContentDigest) throws(CacheError) {
    try store.index.write { database in
      try database.execute(
        sql: "DELETE FROM responses WHERE key = ? AND variant = ?",
        arguments: [key.hex, Self.variant(response.selection)])
    }
  }

  private static func variant(_ selection: [StoredResponse.Selection]) -> String {
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
