import Synchronization

/// Sends each event to every stream.
final class EventFeed: Sendable {
  private struct State {
    var streams: [Int: AsyncStream<ImagePipelineEvent>.Continuation] = [:]
    var lastNumber = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  func stream() -> AsyncStream<ImagePipelineEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ImagePipelineEvent.self, bufferingPolicy: .bufferingNewest(1000))
    let number: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.lastNumber += 1
      state.streams[state.lastNumber] = continuation
      return state.lastNumber
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    return stream
  }

  func send(_ event: ImagePipelineEvent) {
    // Copied, because a stream that ends calls `remove`.
    let streams = state.withLock { Array($0.streams.values) }
    for stream in streams { stream.yield(event) }
  }

  func finish() {
    let streams = state.withLock { state in
      state.isFinished = true
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }

  private func remove(_ number: Int) { state.withLock { $0.streams[number] = nil } }
}
