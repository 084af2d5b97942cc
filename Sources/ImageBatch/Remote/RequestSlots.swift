import Collections
import Synchronization

/// A bound for concurrent requests, in the order of the calls.
final class RequestSlots: Sendable {
  private struct State {
    var free: Int
    var waiting: Deque<CheckedContinuation<Void, Never>> = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

  /// Waits for a slot. Each call is followed by one of ``leave()``.
  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Passes the slot to the next call that waits.
  func leave() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    // Resumed once: it was taken from the queue under the lock.
    next?.resume()
  }
}
