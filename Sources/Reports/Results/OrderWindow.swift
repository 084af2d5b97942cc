import Synchronization

/// Holds an ordered stream's input back while its oldest job goes on, so that the results that wait for it are
/// bounded: one job that takes a minute isn't followed by a million finished ones.
package final class OrderWindow: Sendable {
  /// How many jobs may be read behind the oldest unfinished one. As many are in flight at most.
  package static let size = 1024

  private struct State {
    /// All jobs up to this index are finished.
    var finished = 0
    /// Set for good when nobody is to wait any more.
    var isOpen = false
    /// The one who reads the input; whoever takes it out of here resumes it, and nobody else can.
    var waiting: (index: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  /// A window at the beginning of the input.
  package init() {}

  /// Returns when the job of this index may be read: at once for most. A cancelled task waits no longer.
  package func admit(_ index: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayGo = state.withLock { state in
          if state.isOpen || index <= state.finished + Self.size { return true }
          state.waiting = (index, continuation)
          return false
        }
        if mayGo { continuation.resume() }
      }
    } onCancel: {
      release { $0.isOpen = true }
    }
  }

  /// All jobs up to `index` are finished.
  package func advance(to index: Int) { release { $0.finished = index } }

  private func release(_ change: (inout State) -> Void) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      change(&state)
      guard let waiting = state.waiting, state.isOpen || waiting.index <= state.finished + Self.size else {
        return nil
      }
      state.waiting = nil
      return waiting.continuation
    }
    continuation?.resume()
  }
}
