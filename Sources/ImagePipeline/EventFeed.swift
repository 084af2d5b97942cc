import ImageDownloads
import Logging
import Metrics
import Synchronization

/// Sends each event to every stream, to the logger and to the metrics.
final class EventFeed: Sendable {
  private struct State {
    var streams: [Int: AsyncStream<ImagePipelineEvent>.Continuation] = [:]
    var lastNumber = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let logger: Logger?
  private let memoryHits = Counter(label: "imagemill_memory_hits_total")
  private let renderings = Timer(label: "imagemill_rendering_duration")
  private let encodings = Timer(label: "imagemill_encoding_duration")
  private let failures = Counter(label: "imagemill_pipeline_failures_total")
  private let cancelled = Counter(label: "imagemill_pipeline_cancelled_total")

  init(logger: Logger? = nil) { self.logger = logger }

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

  private func observe(_ event: ImagePipelineEvent) {
    switch event {
    case .foundInMemory: memoryHits.increment()
    case .downloaded: break
    case .rendered(let request, let identifier, let time):
      renderings.record(duration: time)
      logger?.debug("rendered", metadata: metadata(request, identifier, "time", "\(time)"))
    case .encoded(let request, let identifier, _, let time):
      encodings.record(duration: time)
      logger?.debug("encoded", metadata: metadata(request, identifier, "time", "\(time)"))
    case .failed(let request, let identifier, let error):
      failures.increment()
      logger?.info("image failed", metadata: metadata(request, identifier, "error", "\(error)"))
    case .cancelled: cancelled.increment()
    }
  }

  private func metadata(
    _ request: ImageRequest, _ identifier: String, _ name: String, _ text: String
  ) -> Logger.Metadata {
    ["source": "\(request.source.displayText)", "filters": "\(identifier)", name: "\(text)"]
  }

  func send(_ event: ImagePipelineEvent) {
    observe(event)
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
