import GRDB
import Synchronization

/// Writes that wait for the index at the same time and go into it in one transaction: a commit costs several times what one
/// small write does.
///
/// Each caller leaves its write here and then asks for the database, which serves one at a time. Whoever comes first does all that
/// is here; the others find theirs done.
final class SharedWrites: Sendable {
  /// One write, and what became of it.
  final class Ticket: Sendable {
    let body: @Sendable (Database) throws -> Int
    private let result = Mutex<Result<Int, any Error>?>(nil)

    init(_ body: @escaping @Sendable (Database) throws -> Int) {
      self.body = body
    }

    var outcome: Result<Int, any Error>? { result.withLock(\.self) }
    func settle(_ outcome: Result<Int, any Error>) { result.withLock { $0 = outcome } }
  }

  private let waiting = Mutex<[Ticket]>([])

  /// Has a write done with those that wait beside it.
  func run(_ body: @escaping @Sendable (Database) throws -> Int, on queue: DatabaseQueue) throws -> Int {
    let ticket = Ticket(body)
    waiting.withLock { $0.append(ticket) }
    queue.inDatabase { database in
      let batch = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      if !batch.isEmpty { perform(batch, in: database) }
    }
    // Only a database that refused to be asked leaves a ticket unsettled.
    guard let outcome = ticket.outcome else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return try outcome.get()
  }

  private func perform(_ batch: [Ticket], in database: Database) {
    do {
      var values: [Int] = []
      try database.inTransaction(.immediate) {
        values = try batch.map { try $0.body(database) }
        return .commit
      }
      for (ticket, value) in zip(batch, values) { ticket.settle(.success(value)) }
    } catch {
      guard batch.count > 1 else { return batch[0].settle(.failure(error)) }
      // One of them spoils the transaction: each gets its own.
      for ticket in batch { perform([ticket], in: database) }
    }
  }
}
