import ImageCaches
import Synchronization

/// The outputs that this process renders for all that share its cache: others wait for them, as it does for theirs.
///
/// The kernel drops the claims of a process that dies.
final class RenderClaims: Sendable {
  private struct State {
    var taken: Set<ContentDigest> = []
    var elsewhere: [ContentDigest] = []
  }

  private let locks: RequestLocks?
  private let state = Mutex(State())

  /// - Parameter locks: nil where no other process shares the cache, or its work was waited for too long: everything is taken then.
  init(locks: RequestLocks?) { self.locks = locks }

  /// Claims output keys, as many of them as no other process has.
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

  /// Keys that other processes had when they were asked for.
  var elsewhere: [ContentDigest] { state.withLock(\.elsewhere) }

  /// Whether another process may have stored something since a moment of the monotonic clock, in seconds.
  func hasCompany(since moment: Double) throws(JobError) -> Bool {
    guard let locks else { return false }
    do throws(CacheError) { return try locks.lastCompany() >= moment } catch { throw JobError(error) }
  }

  /// Lets go of everything: what was rendered is stored by now, or never will be.
  func release() {
    let taken = state.withLock { state in
      defer { state.taken = [] }
      return state.taken
    }
    for key in taken { locks?.release(key) }
  }
}
