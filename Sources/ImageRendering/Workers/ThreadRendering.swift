import Dispatch

/// Renders in this process, on as many threads as there are slots. A decoder crash ends the process.
package final class ThreadRendering: RenderingService {
  private let queues: [DispatchQueue]
  private let requests: RenderingSlots
  /// The number of requests that can run concurrently.
  package var slots: Int { queues.count }
  /// Empty, because requests have no limits.
  package let limitsIdentifier = ""

  /// - Parameter slots: The number of requests that can run concurrently, from 1.
  package init(slots: Int = 1) {
    queues = (0..<slots).map { DispatchQueue(label: "imagemill.rendering.\($0)") }
    requests = RenderingSlots(slots)
  }

  /// Renders in the next free slot. See ``RenderingService/render(_:onStart:onEnd:afterwards:)``.
  package func render(
    _ prepare: @Sendable () async -> RenderRequest?, onStart: @Sendable (_ slot: Int) async -> Bool,
    onEnd: @Sendable (_ slot: Int) async -> Void, afterwards: @Sendable () async -> Void
  ) async -> RenderResponse? {
    await requests.render(prepare, onStart: onStart, onEnd: onEnd, afterwards: afterwards) { request, slot in
      await withCheckedContinuation { continuation in
        queues[slot].async { continuation.resume(returning: Renderer().render(request)) }
      }
    }
  }

  /// Does nothing: a thread starts at once.
  package func startAhead() {}

  /// Accepts no more requests. Running ones complete, because a thread can't be interrupted.
  package func stop() async { requests.close() }
}
