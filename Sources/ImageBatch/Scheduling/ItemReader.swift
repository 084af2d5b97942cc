import Synchronization

/// Hands over the items of a batch's input, one for each request. A request ends when the batch is stopped: an input
/// such as a stream of lines may wait for its next item without end.
final class ItemReader: Sendable {
  private struct State {
    var isStopped = false
    /// Whether the input has no more items.
    var isAtEnd = false
    /// Whether the batch waits for an item that the input hasn't been asked for.
    var isRequested = false
    /// Whoever waits is resumed exactly once, by the code that removes it from here.
    var batch: CheckedContinuation<BatchItem?, Never>?
    var input: CheckedContinuation<Bool, Never>?
  }

  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// Whether the batch was stopped before the input ended.
  var isUnfinished: Bool { state.withLock { $0.isStopped && !$0.isAtEnd } }

  /// Begins to read; nothing is read before it is requested. Call it once.
  func start<Items: AsyncSequence & SendableMetatype>(_ items: sending Items)
  where Items.Element == BatchItem, Items.Failure == Never, Items.AsyncIterator: SendableMetatype {
    let reading = Task {
      var iterator = items.makeAsyncIterator()
      while await isRequested() {
        let item = await iterator.next(isolation: nil)
        deliver(item)
        if item == nil { return }
      }
      // An input that wasn't being asked for an item is cancelled too.
      withUnsafeCurrentTask { $0?.cancel() }
      _ = await iterator.next(isolation: nil)
    }
    task.withLock { $0 = reading }
    // It may have been stopped before it started.
    if state.withLock(\.isStopped) { reading.cancel() }
  }

  /// The next item; nil at the end and after ``stop()``.
  func next() async -> BatchItem? {
    await withCheckedContinuation { continuation in
      let (isOver, input) = state.withLock { state -> (Bool, CheckedContinuation<Bool, Never>?) in
        if state.isStopped || state.isAtEnd { return (true, nil) }
        state.batch = continuation
        state.isRequested = state.input == nil
        return (false, state.input.take())
      }
      if isOver { continuation.resume(returning: nil) }
      input?.resume(returning: true)
    }
  }

  /// Ends a request, and cancels the reading of the input.
  func stop() {
    let (batch, input) = state.withLock { state in
      state.isStopped = true
      return (state.batch.take(), state.input.take())
    }
    batch?.resume(returning: nil)
    input?.resume(returning: false)
    task.withLock(\.self)?.cancel()
  }

  /// Waits until the batch requests an item; false if it was stopped.
  private func isRequested() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Bool? in
        if state.isStopped { return false }
        if state.isRequested {
          state.isRequested = false
          return true
        }
        state.input = continuation
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// - Parameter item: nil at the end.
  private func deliver(_ item: BatchItem?) {
    let batch = state.withLock { state in
      // A cancelled input ends early.
      if item == nil, !state.isStopped { state.isAtEnd = true }
      return state.batch.take()
    }
    batch?.resume(returning: item)
  }
}
