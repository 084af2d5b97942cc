import Dispatch
import Glibc
import Synchronization

/// Runs blocking calls on its own threads. Swift's cooperative pool uses Dispatch's threads of the default quality of
/// service, so these have another one.
///
/// At most ``threads`` calls run at once, because each may hold a file open and thousands may be queued. The
/// others wait in one queue for the next free thread, so that a slow `fdatasync` occupies one thread and
/// doesn't hold up the queue. Threads are created on demand.
///
/// It is also an executor for tasks: a task that prefers it runs on its threads, and there ``run(_:)`` calls its body at
/// once. Otherwise each blocking call of a task takes two changes of threads, which for small images cost more than the
/// calls.
package final class BlockingThreadPool: TaskExecutor {
  private struct State {
    var running = 0
    /// The queued calls, from index `first`.
    var waiting: [@Sendable () -> Void] = []
    var first = 0
    var idleContinuations: [CheckedContinuation<Void, Never>] = []

    /// Removes the next call from the queue. The array is compacted only once half of it is used, so that the
    /// cost per call doesn't depend on the queue's length.
    mutating func next() -> (@Sendable () -> Void)? {
      guard first < waiting.count else { return nil }
      let body = waiting[first]
      // Release the call's captures now, not when the array is compacted.
      waiting[first] = {}
      first += 1
      if first * 2 >= waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
      return body
    }
  }

  /// The maximum number of concurrent calls.
  package let threads: Int
  private let state = Mutex(State())
  private let queue: DispatchQueue

  /// Creates a pool. It starts no thread yet.
  /// - Parameters:
  ///   - label: The name of the threads in a debugger.
  ///   - threads: The maximum number of concurrent calls, at least 1.
  package init(label: String, threads: Int) {
    self.threads = max(1, threads)
    queue = DispatchQueue(label: "imagemill.\(label)", qos: .userInitiated, attributes: .concurrent)
  }

  /// Queues `body` and returns. Calls begin in the order in which they are queued.
  package func start(_ body: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.waiting.append(body)
      guard state.running < threads else { return false }
      state.running += 1
      return true
    }
    if needsThread { queue.async { self.work() } }
  }

  /// Runs queued calls until none is left. Each call and its captures are released before the next one
  /// begins.
  private func work() {
    pthread_setspecific(Self.owner, Unmanaged.passUnretained(self).toOpaque())
    while let body = nextCall() { body() }
    // Dispatch uses the thread for others.
    pthread_setspecific(Self.owner, nil)
  }

  /// The pool whose call the current thread runs.
  private static let owner: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private var isOwnThread: Bool {
    pthread_getspecific(Self.owner) == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Queues a part of a task that prefers this executor.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    start { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// The next call; nil if the queue is empty and the thread ends. The last thread to end resumes the callers
  /// of `finish()`.
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

  /// Runs `body` on a thread of the pool and returns its result. Cancelling the task has no effect.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    if isOwnThread { return body() }
    return await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body` on a thread of the pool and returns its result. If the task is cancelled before `body`
  /// begins, `body` never runs and this throws immediately, however long the queue is. Once `body` runs,
  /// cancellation has no effect.
  package func runUnlessCancelled<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(CancellationError) -> Value {
    if isOwnThread {
      if Task.isCancelled { throw CancellationError() }
      return body()
    }
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

  /// Waits until the queue is empty and no call is running.
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

/// A call that can be cancelled until it begins.
///
/// Its continuation is resumed exactly once: it is stored once, and by whichever of the pool and the
/// cancellation handler takes it out first.
private final class CancellableCall<Value: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Value?, Never>)
    /// The call has begun or was cancelled.
    case over
  }

  private let state = Mutex(State.new)

  /// Stores the continuation. If the call has already been cancelled, resumes the continuation instead and
  /// returns false.
  func wait(_ continuation: CheckedContinuation<Value?, Never>) -> Bool {
    let waits = state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !waits { continuation.resume(returning: nil) }
    return waits
  }

  /// Takes the continuation out; nil if it was already taken or isn't stored yet.
  func take() -> CheckedContinuation<Value?, Never>? {
    state.withLock { state in
      defer { state = .over }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
  }

  func cancel() { take()?.resume(returning: nil) }
}
