import Dispatch

/// Renders in this process, on as many threads as there are slots. A decoder crash ends the process.
package final class ThreadRendering: RenderingService {
  private let queues: [DispatchQueue]
  private let freeSlots: Slots
  private let preparations: Slots
  /// The number of requests that can run concurrently.
  package var slots: Int { queues.count }
  /// Empty, because requests have no limits.
  package let limitsIdentifier = ""

  /// - Parameter slots: The number of requests that can run concurrently, from 1.
  package init(slots: Int = 1) {
    queues = (0..<slots).map { DispatchQueue(label: "imagemill.rendering.\($0)") }
    freeSlots = Slots(slots)
    preparations = Slots(2 * slots)
  }

  /// Renders in the next free slot. See ``RenderingService/render(_:onStart:onEnd:)``.
  package func render(
    _ prepare: @Sendable () async -> RenderRequest?, onStart: @Sendable (_ slot: Int) async -> Bool,
    onEnd: @Sendable (_ slot: Int) async -> Void
  ) async -> RenderResponse? {
    guard let preparation = await preparations.take() else { return nil }
    defer { preparations.release(preparation) }
    guard let request = await prepare() else { return nil }
    guard let slot = await freeSlots.take() else { return RenderResponse(failing: request, .cancelled) }
    defer { freeSlots.release(slot) }
    guard await onStart(slot) else { return RenderResponse(failing: request, .cancelled) }
    let response = await withCheckedContinuation { continuation in
      queues[slot].async { continuation.resume(returning: Renderer().render(request)) }
    }
    await onEnd(slot)
    return response
  }

  /// Accepts no more requests. Running ones complete, because a thread can't be interrupted.
  package func stop() async {
    preparations.close()
    freeSlots.close()
  }
}
