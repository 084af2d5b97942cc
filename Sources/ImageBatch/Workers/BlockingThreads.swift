import Dispatch
import Synchronization

/// A few threads for calls that block on the disk, so that they don't hold up Swift's cooperative pool.
final class BlockingThreads: Sendable {
  private let queues: [DispatchQueue]
  private let next = Atomic<Int>(0)

  init(label: String, count: Int) {
    queues = (0..<count).map { DispatchQueue(label: "imagemill.\(label).\($0)") }
  }

  /// Runs `body` on one of the threads and waits for it without blocking.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return await withCheckedContinuation { continuation in
      queues[turn % queues.count].async { continuation.resume(returning: body()) }
    }
  }
}
