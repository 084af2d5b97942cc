import Synchronization

/// Bounds the results that wait in an ordered stream by pausing its input while the oldest job is unfinished.
///
/// Without it, a million finished results could wait in memory for one slow job.
package final class OrderWindow: Sendable {
  /// The maximum number of jobs that are read ahead of the oldest unfinished one. It also limits the jobs in
  /// flight.
  package static let size = 1024

  private struct State {
    /// All jobs up to this index are finished.
    var finished = 0
    /// The ranges of unselected jobs that the printer hasn't reached, in order.
    var skipped: [ClosedRange<Int>] = []
    /// Whether `admit` returns immediately, because the reading task was cancelled.
    var isOpen = false
    /// The waiting reader. The continuation is resumed exactly once, by the code that removes it from here.
    var waiting: (index: Int, continuation: CheckedContinuation<Void, Never>)?

    /// Counts the jobs as finished that follow the finished ones and aren't selected.
    mutating func passSkipped() {
      if let range = skipped.first(where: { $0.contains(finished + 1) }) { finished = range.upperBound }
    }
  }

  private let state = Mutex(State())

  /// Creates a window at the start of the input.
  package init() {}

  /// Whether a reader waits.
  var isHolding: Bool { state.withLock { $0.waiting != nil } }

  /// Returns when the job with this index may be read, usually at once. Cancelling the task ends all waiting.
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

  /// Records that all jobs up to `index` are finished.
  package func advance(to index: Int) {
    release { state in
      state.finished = max(state.finished, index)
      state.passSkipped()
    }
  }

  /// Records that the job with this index isn't selected, and so has no result.
  package func skip(_ index: Int) {
    release { state in
      if let last = state.skipped.last, last.upperBound + 1 == index {
        state.skipped[state.skipped.count - 1] = last.lowerBound...index
      } else {
        state.skipped.append(index...index)
      }
      state.passSkipped()
    }
  }

  /// Whether a job isn't selected. It is asked in the order of the jobs.
  func isSkipped(_ index: Int) -> Bool {
    state.withLock { state in
      while let first = state.skipped.first, first.upperBound < index { state.skipped.removeFirst() }
      return state.skipped.first?.contains(index) == true
    }
  }

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
