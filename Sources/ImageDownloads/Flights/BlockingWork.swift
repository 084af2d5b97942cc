import Dispatch

/// Runs what blocks on the disk on threads of its own, never on Swift's cooperative pool.
struct BlockingWork: Sendable {
  private let queue = DispatchQueue(label: "imagemill.downloads.disk", attributes: .concurrent)

  func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(returning: Result { () throws(Failure) -> Value in try body() })
      }
    }
    return try result.get()
  }
}
