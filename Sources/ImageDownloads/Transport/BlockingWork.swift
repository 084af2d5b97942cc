import Collections
import Dispatch
import Synchronization

/// Runs what blocks on the disk on threads of its own, never on Swift's cooperative pool: on Linux that is
/// made of Dispatch's threads for the default quality of service, so this is of another.
///
/// At most ``concurrency`` bodies run at once: each may have a file open, and there may be a thousand.
final class BlockingWork: Sendable {
  private struct State {
    var running = 0
    var waiting: Deque<@Sendable () -> Void> = []
    var idleContinuations: [CheckedContinuation<Void, Never>] = []
  }

  private let concurrency: Int
  private let state = Mutex(State())
  private let queue = DispatchQueue(
    label: "imagemill.downloads.disk", qos: .userInitiated, attributes: .concurrent)

  init(concurrency: Int) { self.concurrency = concurrency }

  /// Begins to run `body`, when there is a thread for it.
  func start(_ body: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      guard state.running < concurrency else {
        state.waiting.append(body)
        return false
      }
      state.running += 1
      return true
    }
    if isFree { queue.async { self.work(body) } }
  }

  /// Runs `body`, then those that wait: one thread takes one after the other.
  private func work(_ first: @escaping @Sendable () -> Void) {
    var body = first
    while true {
      body()
      let next: (body: (@Sendable () -> Void)?, idle: [CheckedContinuation<Void, Never>]) =
        state.withLock { state in
          if let next = state.waiting.popFirst() { return (next, []) }
          state.running -= 1
          guard state.running == 0 else { return (nil, []) }
          defer { state.idleContinuations = [] }
          return (nil, state.idleContinuations)
        }
      for continuation in next.idle { continuation.resume() }
      guard let next = next.body else { return }
      body = next
    }
  }

  /// Runs `body` to its end.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }

  /// Waits until all that has begun, or waits to begin, has ended.
  func finish() async {
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
