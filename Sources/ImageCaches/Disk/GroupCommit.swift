import Dispatch
import GRDB
import Synchronization

/// Groups small writes to the index into shared transactions: a commit costs several times as much as a small write,
/// and the writes touch the same pages.
///
/// A single write is committed immediately. Writes within ``pause`` of the last commit wait and share the next one.
final class GroupCommit: Sendable {
  typealias Body = @Sendable (Database) throws -> Void

  struct Write: Sendable {
    let body: Body
    /// Receives the commit's result, or the reason that `body` wasn't committed.
    let completion: @Sendable (Result<Int, CacheError>) -> Void
  }

  private struct State {
    var waiting: [Write] = []
    var nextCommit = DispatchTime(uptimeNanoseconds: 0)
  }

  /// The minimum time between commits.
  private static let pause = DispatchTimeInterval.milliseconds(10)

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "imagemill.cache.index")

  /// Schedules a write.
  /// - Parameter commit: Runs bodies in one transaction and returns the result for their completions; blocks.
  func add(_ write: Write, commit: @escaping @Sendable ([Body]) throws(CacheError) -> Int) {
    let time: DispatchTime? = state.withLock { state in
      state.waiting.append(write)
      return state.waiting.count == 1 ? state.nextCommit : nil
    }
    // The first waiting write has already scheduled the commit.
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
      // One body failed the transaction: commit each separately.
      for write in batch { perform([write], commit) }
    }
  }
}
