import Synchronization

/// Of all who want one key at once, one makes it and the others wait for its value.
///
/// Who makes a key never waits for another one before it has completed its own, so that no two wait for each other.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Waiters = [CheckedContinuation<Value, Never>]

  /// Keys that are being made.
  private let flights = Mutex<[Key: Flight]>([:])

  /// One key on its way. Every continuation is resumed once: it is in the list of waiters or resumed, and both change
  /// under one lock.
  final class Flight: Sendable {
    private enum State {
      case running(Waiters)
      case complete(Value)
    }

    private let state = Mutex(State.running([]))

    /// The value; waits for it.
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

  /// The flight of a key that somebody makes; nil: make it, and call ``complete(_:_:)`` whatever happens.
  func join(_ key: Key) -> Flight? {
    flights.withLock { flights in
      if let flight = flights[key] { return flight }
      flights[key] = Flight()
      return nil
    }
  }

  /// Hands a key's value to all who wait for it.
  func complete(_ key: Key, _ value: Value) {
    flights.withLock { $0.removeValue(forKey: key) }?.complete(value)
  }
}
