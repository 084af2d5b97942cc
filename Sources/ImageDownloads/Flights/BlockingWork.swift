import Dispatch

/// Runs what blocks on the disk on threads of its own, never on Swift's cooperative pool: on Linux that is made of Dispatch's
/// threads for the default quality of service, so this is of another.
struct BlockingWork: Sendable {
  private let queue = DispatchQueue(
    label: "imagemill.downloads.disk", qos: .userInitiated, attributes: .concurrent)

  /// Begins to run `body`.
  func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Runs `body` to its end.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  /// Waits until all that has begun has ended.
  func finish() async {
    await withCheckedContinuation { continuation in
      queue.async(flags: .barrier) { continuation.resume() }
    }
  }
}
