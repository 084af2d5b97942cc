import Synchronization

/// A value that tasks and threads of a test share.
package final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  package init(_ value: Value) { state = Mutex(value) }

  package var value: Value { state.withLock { $0 } }

  @discardableResult
  package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    state.withLock { value in
      // A copy, since what is inside of the lock must not be handed out.
      var copy = value
      let result = body(&copy)
      value = copy
      return result
    }
  }
}
