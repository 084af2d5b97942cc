import Dispatch
import Synchronization

/// Runs blocking calls on its own threads. Swift's cooperative pool uses Dispatch's threads of the default quality of
/// service, so these have another one.
///
/// At most ``threads`` calls run at once: each may have a file open, and there may be a thousand. The others wait in one
/// queue, whose first goes to the first thread that is free: one slow `fdatasync` holds up a thread, and no call behind
/// it. A thread is made when there is work for it.
package final class BlockingThreadPool: Sendable {
  private struct State {
    var running = 0
    /// The calls that wait are those from `first` on.
    var waiting: [@Sendable () -> Void] = []
    var first = 0
    var idleContinuations: [CheckedContinuation<Void, Never>] = []

    /// The next call. The array shrinks when half of it is behind, so that a call costs the same however many wait.
    mutating func next() -> (@Sendable () -> Void)? {
      guard first < waiting.count else { return nil }
      let body = waiting[first]
      waiting[first] = {}
      first += 1
      if first * 2 >= waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
      return body
    }
  }

  /// The most calls that run at once.
  package let threads: Int
  private let state = Mutex(State())
  private let queue: DispatchQueue

  /// A pool that has started nothing yet.
  /// - Parameters:
  ///   - label: What a debugger calls its threads.
  ///   - threads: At least 1.
  package init(label: String, threads: Int) {
    self.threads = max(1, threads)
    queue = DispatchQueue(label: "imagemill.\(label)", qos: .userInitiated, attributes: .concurrent)
  }

  /// Runs `body` when a thread is free; calls begin in the order in which they are started.
  package func start(_ body: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.waiting.append(body)
      guard state.running < threads else { return false }
      state.running += 1
      return true
    }
    if needsThread { queue.async { self.work() } }
  }

  /// Runs calls while any wait. What one holds goes before the next begins.
  private func work() {
    while let body = nextCall() { body() }
  }

  /// The call that a thread runs next; nil where none waits, and the thread goes.
  private func nextCall() -> (@Sendable () -> Void)? {
    let (body, idle): ((@Sendable () -> Void)?, [CheckedContinuation<Void, Never>]) = state.withLock {
      state in
      if let body = state.next() { return (body, []) }
      state.running -= 1
      guard state.running == 0 else { return (nil, []) }
      defer { state.idleContinuations = [] }
      return (nil, state.idleContinuations)
    }
    for continuation in idle { continuation.resume() }
    return body
  }

  /// Runs `body` to its end, whether or not the task is cancelled.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body` to its end, unless the task is cancelled before it has begun: then it never begins, and this returns at
  /// once, however long the queue is.
  package func runUnlessCancelled<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(CancellationError) -> Value {
    let call = CancellableCall<Value>()
    let value: Value? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard call.wait(continuation) else { return }
        start {
          guard let continuation = call.take() else { return }
          continuation.resume(returning: body())
        }
      }
    } onCancel: {
      call.cancel()
    }
    guard let value else { throw CancellationError() }
    return value
  }

  /// Waits until all that has begun, or waits to begin, has ended.
  package func finish() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        guard state.running > 0 else { return true }
        state.idleContinuations.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }
}

/// A call that may be cancelled until it begins. Its continuation is resumed by whoever takes it out, and it is in here
/// once.
private final class CancellableCall<Value: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Value?, Never>)
    /// Begun, or cancelled.
    case over
  }

  private let state = Mutex(State.new)

  /// Holds the continuation; if the call was cancelled before, resumes it instead and returns false.
  func wait(_ continuation: CheckedContinuation<Value?, Never>) -> Bool {
    let waits = state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !waits { continuation.resume(returning: nil) }
    return waits
  }

  /// The continuation of a call that begins; nil if it was cancelled.
  func take() -> CheckedContinuation<Value?, Never>? {
    state.withLock { state in
      defer { state = .over }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
  }

  func cancel() { take()?.resume(returning: nil) }
}
