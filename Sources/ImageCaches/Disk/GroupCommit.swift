import GRDB
import Glibc
import Synchronization
import SystemIO

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
    /// When the next commit may begin, in seconds of the monotonic clock.
    var nextCommit = 0.0
    /// The thread of all commits, since the first write.
    var thread: SerialThread?
  }

  /// The minimum time between commits, in seconds.
  private static let pause = 0.01

  private let state = Mutex(State())

  /// Schedules a write.
  /// - Parameter commit: Runs bodies in one transaction and returns the result for their completions; blocks.
  func add(_ write: Write, commit: @escaping @Sendable ([Body]) throws(CacheError) -> Int) {
    let (isFirst, thread) = state.withLock { state in
      state.waiting.append(write)
      let isFirst = state.waiting.count == 1
      if isFirst, state.thread == nil { state.thread = try? SerialThread() }
      return (isFirst, state.thread)
    }
    // The first waiting write has already scheduled the commit.
    guard isFirst else { return }
    // At a limit of threads, the caller waits for its commit.
    guard let thread else { return flush(commit) }
    thread.start { [self] in
      let pause = state.withLock(\.nextCommit) - SystemTime.monotonic
      if pause > 0 { usleep(useconds_t(pause * 1e6)) }
      flush(commit)
    }
  }

  private func flush(_ commit: ([Body]) throws(CacheError) -> Int) {
    let batch = state.withLock { state in
      defer { state.waiting = [] }
      state.nextCommit = SystemTime.monotonic + Self.pause
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
