import Collections
import Synchronization

/// A queue of uploads that runs beside the batch.
final class RemoteUploads: Sendable {
  typealias Upload = @Sendable () async -> Void

  private struct State {
    var pending: Deque<Upload> = []
    var active = 0
    var isClosed = false
    var idle: [CheckedContinuation<Void, Never>] = []
  }

  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: The maximum number of concurrent uploads, from 1.
  init(limit: Int) { self.limit = max(1, limit) }

  /// Whether no more uploads are taken.
  var isClosed: Bool { state.withLock(\.isClosed) }

  /// Adds an upload, unless the queue is closed. It waits for earlier ones.
  /// - Returns: Whether it was added.
  @discardableResult
  func add(_ upload: @escaping Upload) -> Bool {
    let (isAdded, starts) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.pending.append(upload)
      guard state.active < limit else { return (true, false) }
      state.active += 1
      return (true, true)
    }
    if starts { Task { await self.work() } }
    return isAdded
  }

  private func work() async {
    while let upload = next() { await upload() }
  }

  /// The next upload; nil ends a worker.
  private func next() -> Upload? {
    let (upload, idle): (Upload?, [CheckedContinuation<Void, Never>]) = state.withLock { state in
      if let upload = state.pending.popFirst() { return (upload, []) }
      state.active -= 1
      guard state.active == 0 else { return (nil, []) }
      defer { state.idle = [] }
      return (nil, state.idle)
    }
    idle.forEach { $0.resume() }
    return upload
  }

  /// Waits until no upload is left.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.active == 0 { return true }
        state.idle.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Drops the uploads that haven't begun, and takes no more.
  /// - Returns: The number of those dropped.
  func close() -> Int {
    state.withLock { state in
      defer { state.pending = [] }
      state.isClosed = true
      return state.pending.count
    }
  }
}
