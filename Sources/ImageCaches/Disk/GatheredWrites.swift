import Dispatch
import GRDB
import Synchronization

/// Small writes to the index that come shortly after one another and go into it in one transaction: a commit costs several times
/// what one of them does, and all of them touch the same pages.
///
/// A write that comes alone is carried out at once. Those that come within ``pause`` of the last commit wait for its end, and
/// go together.
final class GatheredWrites: Sendable {
  typealias Body = @Sendable (Database) throws -> Void

  struct Write: Sendable {
    let body: Body
    /// Told what the commit returned, or why `body` isn't committed.
    let completion: @Sendable (Result<Int, CacheError>) -> Void
  }

  private struct State {
    var waiting: [Write] = []
    var nextCommit = DispatchTime(uptimeNanoseconds: 0)
  }

  /// How long a commit is followed by none.
  private static let pause = DispatchTimeInterval.milliseconds(4)

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "imagemill.cache.index")

  /// Has a write done soon.
  /// - Parameter commit: runs bodies in one transaction and returns what all of their completions are told; blocks.
  func add(_ write: Write, commit: @escaping @Sendable ([Body]) throws(CacheError) -> Int) {
    let time: DispatchTime? = state.withLock { state in
      state.waiting.append(write)
      return state.waiting.count == 1 ? state.nextCommit : nil
    }
    // The first of those that wait has the others done too.
    guard let time else { return }
    queue.asyncAfter(deadline: max(time, .now())) { self.flush(commit) }
  }

  private func flush(_ commit: ([Body]) throws(CacheError) -> Int) {
    let batch = state.withLock { state in
      defer { state.waiting = [] }
      state.nextCommit = .now() + Self.pause
      return state.waiting
    }
    Self.perform(batch, commit)
  }

  private static func perform(_ batch: [Write], _ commit: ([Body]) throws(CacheError) -> Int) {
    do throws(CacheError) {
      let value = try commit(batch.map(\.body))
      for write in batch { write.completion(.success(value)) }
    } catch {
      guard batch.count > 1 else { return batch.forEach { $0.completion(.failure(error)) } }
      // One of them spoils the transaction: each gets its own.
      for write in batch { perform([write], commit) }
    }
  }
}
