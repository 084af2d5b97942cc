import Collections
import Synchronization

/// Runs one task per key: the first caller makes the value, and concurrent callers wait for it.
///
/// To avoid deadlock, a caller completes its own keys before it waits for others'.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Waiters = [CheckedContinuation<Value, Never>]

  private struct State {
    var flights: [Key: Execution] = [:]
    var completed: Set<Key> = []
    /// The same keys, in the order of their completion.
    var order: Deque<Key> = []
  }

  /// The number of completed keys to remember: more than can be completed between a caller's look-up and its call.
  private static var limit: Int { 4096 }

  private let state = Mutex(State())

  /// A key whose value is being made. Each continuation is resumed once: under one lock, it is either in the list of
  /// waiters or taken out to be resumed.
  final class Execution: Sendable {
    private enum State {
      case running(Waiters)
      case complete(Value)
    }

    private let state = Mutex(State.running([]))

    var value: Value {
      get async {
        await withCheckedContinuation { continuation in
          let value: Value? = state.withLock { state in
            switch state {
            case .complete(let value): return value
            case .running(let waiters):
              state = .running(waiters + [continuation])
              return nil
            }
          }
          if let value { continuation.resume(returning: value) }
        }
      }
    }

    fileprivate func complete(_ value: Value) {
      let waiters: Waiters = state.withLock { state in
        guard case .running(let waiters) = state else { return [] }
        state = .complete(value)
        return waiters
      }
      for waiter in waiters { waiter.resume(returning: value) }
    }
  }

  /// Joins the execution of a key.
  /// - Returns: nil if there was none; the caller must then make the value and call ``complete(_:_:)`` in any case.
  func join(_ key: Key) -> Execution? {
    state.withLock { state in
      if let flight = state.flights[key] { return flight }
      state.flights[key] = Execution()
      return nil
    }
  }

  /// Whether a key was completed lately. A caller that looked for its value before that must look again, or it makes the
  /// value a second time.
  func wasCompleted(_ key: Key) -> Bool { state.withLock { $0.completed.contains(key) } }

  /// Resumes the callers that wait for a key.
  func complete(_ key: Key, _ value: Value) {
    let flight = state.withLock { state in
      if state.completed.insert(key).inserted {
        state.order.append(key)
        if state.order.count > Self.limit, let oldest = state.order.popFirst() {
          state.completed.remove(oldest)
        }
      }
      return state.flights.removeValue(forKey: key)
    }
    flight?.complete(value)
  }
}
