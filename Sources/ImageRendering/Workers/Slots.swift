import Collections
import Synchronization

/// A fixed number of slots, given to requests in the order in which they ask.
final class Slots: Sendable {
  private struct State {
    var free: [Int]
    /// Each continuation is resumed once, when it is removed.
    var waiting: Deque<CheckedContinuation<Int?, Never>> = []
    var isClosed = false
  }

  private let state: Mutex<State>

  /// - Parameter count: The number of slots, from 1. They are numbered from 0.
  init(_ count: Int) {
    state = Mutex(State(free: Array((0..<count).reversed())))
  }

  /// Waits for a free slot.
  /// - Returns: The slot's number; nil if the slots were closed before one was free.
  func take() async -> Int? {
    await withCheckedContinuation { continuation in
      let slot: Int?? = state.withLock { state in
        if state.isClosed { return .some(nil) }
        if let slot = state.free.popLast() { return slot }
        state.waiting.append(continuation)
        return nil
      }
      if let slot { continuation.resume(returning: slot) }
    }
  }

  /// Gives a slot to the next request in line.
  func release(_ slot: Int) {
    let next = state.withLock { state -> CheckedContinuation<Int?, Never>? in
      if let next = state.waiting.popFirst() { return next }
      state.free.append(slot)
      return nil
    }
    next?.resume(returning: slot)
  }

  /// Ends all waits, and gives out no more slots.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }
}
