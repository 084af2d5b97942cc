import GRDB

/// What a cache has spared.
public struct CacheSavings: Sendable, Hashable, Codable {
  /// Where something was found instead of being fetched or made.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A stored answer that was fresh.
    case response
    /// A stored answer that its origin confirmed.
    case revalidated
    /// An output that was in place.
    case output
    /// An output whose bytes were stored.
    case stored
    /// A rendition, in a worker's memory or in the store.
    case rendition
  }

  /// How often.
  public var hits = 0
  /// Bytes that weren't transferred, or weren't written.
  public var bytes = 0
  /// Seconds of decoding, filtering and encoding that weren't spent, by what they took when they were.
  public var seconds: Double = 0

  /// Something that was spared; nothing by default.
  public init(hits: Int = 0, bytes: Int = 0, seconds: Double = 0) {
    self.hits = hits
    self.bytes = bytes
    self.seconds = seconds
  }

  /// Adds one sum to another.
  public static func += (left: inout CacheSavings, right: CacheSavings) {
    left.hits += right.hits
    left.bytes += right.bytes
    left.seconds += right.seconds
  }
}

extension DiskStore {
  /// What the store has spared since it was made or cleared, by kind; kinds without a hit are absent.
  public func savings() throws(CacheError) -> [CacheSavings.Kind: CacheSavings] {
    try index.read { database in
      var savings: [CacheSavings.Kind: CacheSavings] = [:]
      for row in try Row.fetchAll(database, sql: "SELECT kind, hits, bytes, seconds FROM savings") {
        guard let name: String = row.sound("kind"), let kind = CacheSavings.Kind(rawValue: name),
          let hits: Int = row.sound("hits"), let bytes: Int = row.sound("bytes"),
          let seconds: Double = row.sound("seconds")
        else { continue }
        savings[kind] = CacheSavings(hits: hits, bytes: bytes, seconds: seconds)
      }
      return savings
    }
  }

  /// Adds what a run was spared.
  public func add(_ savings: [CacheSavings.Kind: CacheSavings]) throws(CacheError) {
    let savings = savings.filter { $0.value.hits > 0 }
    guard !savings.isEmpty else { return }
    try index.write { database in
      for (kind, sum) in savings {
        try database.execute(
          sql: """
            INSERT INTO savings (kind, hits, bytes, seconds) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind) DO UPDATE SET hits = hits + excluded.hits, bytes = bytes + excluded.bytes,
              seconds = seconds + excluded.seconds
            """,
          arguments: [kind.rawValue, sum.hits, sum.bytes, sum.seconds])
      }
    }
  }
}
