import Synchronization

/// A value that comes once, and that any number may wait for, before it comes or after.
///
/// Every continuation is resumed once: it is in the list of waiters or resumed, and both change under one lock.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case awaited([CheckedContinuation<Value, Never>])
    case come(Value)
  }

  private let state = Mutex(State.awaited([]))

  /// The value; waits for it.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value: Value? = state.withLock { state in
          switch state {
          case .come(let value): return value
          case .awaited(let waiters):
            state = .awaited(waiters + [continuation])
            return nil
          }
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }

  /// Hands the value to whoever waits; another one that comes later is dropped.
  func fulfil(_ value: Value) {
    let waiters: [CheckedContinuation<Value, Never>] = state.withLock { state in
      guard case .awaited(let waiters) = state else { return [] }
      state = .come(value)
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }
}
