import ImageCaches
import Synchronization

/// Claims outputs to render among all processes that share the cache, so that each output is rendered once.
///
/// The kernel drops the claims of a process that dies.
final class RenderClaims: Sendable {
  private struct State {
    var taken: Set<ContentDigest> = []
    var elsewhere: [ContentDigest] = []
  }

  private let locks: RequestLocks?
  private let state = Mutex(State())

  /// - Parameter locks: If nil, every claim succeeds: no other process shares the cache, or waiting for it timed out.
  init(locks: RequestLocks?) { self.locks = locks }

  /// Claims output keys.
  /// - Returns: The keys that no other process has claimed.
  func take(_ keys: [ContentDigest]) throws(JobError) -> Set<ContentDigest> {
    guard let locks else { return Set(keys) }
    for key in keys {
      let isTaken: Bool
      do throws(CacheError) { isTaken = try locks.take(key) } catch { throw JobError(error) }
      state.withLock { state in
        if isTaken { state.taken.insert(key) } else { state.elsewhere.append(key) }
      }
    }
    return state.withLock(\.taken)
  }

  /// Keys that other processes had claimed when ``take(_:)`` was called.
  var elsewhere: [ContentDigest] { state.withLock(\.elsewhere) }

  /// Whether another process may have stored outputs since `moment`, in seconds of the monotonic clock.
  func hasCompany(since moment: Double) throws(JobError) -> Bool {
    guard let locks else { return false }
    do throws(CacheError) { return try locks.lastCompany() >= moment } catch { throw JobError(error) }
  }

  /// Releases all claims. Call it after the outputs are stored or have failed.
  func release() {
    let taken = state.withLock { state in
      defer { state.taken = [] }
      return state.taken
    }
    for key in taken { locks?.release(key) }
  }
}
