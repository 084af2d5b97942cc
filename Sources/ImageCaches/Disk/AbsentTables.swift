import Synchronization

/// The tables that the index was found without, so that a row that is needed only to save work isn't looked for in them.
///
/// The absence counts for a second, because another process may create the table. What this store creates is never
/// absent again.
struct AbsentTables: Sendable {
  private static let validity = Duration.seconds(1)

  private var found: [String: ContinuousClock.Instant] = [:]
  private var created: Set<String> = []

  mutating func note(_ table: StoreTable, at time: ContinuousClock.Instant) {
    if !created.contains(table.name) { found[table.name] = time }
  }

  /// Call it before the table is created, so that no reader's older finding comes after it.
  mutating func create(_ table: StoreTable) {
    guard created.insert(table.name).inserted else { return }
    found[table.name] = nil
  }

  func contains(_ table: StoreTable, at time: ContinuousClock.Instant) -> Bool {
    found[table.name].map { time - $0 < Self.validity } ?? false
  }
}
