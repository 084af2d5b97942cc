import GRDB

/// The work that cache hits have saved.
public struct CacheSavings: Sendable, Hashable, Codable {
  /// The kinds of cache hit; the raw values are column values in the index.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A stored response that was fresh.
    case response
    /// A stored response that its origin confirmed.
    case revalidated
    /// An output that was up to date in its place.
    case output
    /// An output whose bytes were in the store.
    case stored
    /// A rendition in a worker's memory or in the store.
    case rendition
    /// An output that a remote cache had; the bytes are those received.
    case remote
  }

  /// The number of hits, at least 0.
  public var hits = 0
  /// The bytes not transferred or not written.
  public var bytes = 0
  /// The seconds of decoding, filtering and encoding saved, as measured when the work was done.
  package var seconds: Double = 0
  /// The time of decoding, filtering and encoding saved, as measured when the work was done.
  public var time: Duration { .seconds(seconds) }

  /// Creates savings.
  /// - Parameters:
  ///   - hits: The number of hits. Default: 0.
  ///   - bytes: The bytes not transferred or not written. Default: 0.
  ///   - seconds: The seconds of rendering saved. Default: 0.
  package init(hits: Int = 0, bytes: Int = 0, seconds: Double = 0) {
    self.hits = hits
    self.bytes = bytes
    self.seconds = seconds
  }

  /// Adds hits, bytes and seconds.
  /// - Parameters:
  ///   - left: The sum so far.
  ///   - right: The savings to add.
  public static func += (left: inout CacheSavings, right: CacheSavings) {
    left.hits += right.hits
    left.bytes += right.bytes
    left.seconds += right.seconds
  }
}

extension DiskStore {
  /// The savings since the store was created or cleared, by kind. Kinds without a hit are absent.
  /// - Throws: `CacheError` if the index can't be read.
  public func savings() throws(CacheError) -> [CacheSavings.Kind: CacheSavings] {
    try index.read { database in
      var savings: [CacheSavings.Kind: CacheSavings] = [:]
      for row in try Row.fetchAll(database, sql: "SELECT kind, hits, bytes, seconds FROM savings") {
        guard let name: String = row.validated("kind"), let kind = CacheSavings.Kind(rawValue: name),
          let hits: Int = row.validated("hits"), let bytes: Int = row.validated("bytes"),
          let seconds: Double = row.validated("seconds")
        else { continue }
        savings[kind] = CacheSavings(hits: hits, bytes: bytes, seconds: seconds)
      }
      return savings
    }
  }

  /// Adds the savings of a run, in one transaction.
  /// - Parameter savings: The savings by kind. Kinds without a hit are ignored.
  /// - Throws: `CacheError` if the index can't be written.
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
