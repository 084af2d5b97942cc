import Dispatch

/// Renders in this process, on as many threads as there are slots. A decoder crash ends the process.
package final class ThreadRendering: RenderingService {
  private let queues: [DispatchQueue]
  private let freeSlots: Slots
  /// The number of requests that can run concurrently.
  package var slots: Int { queues.count }
  /// Empty, because requests have no limits.
  package let limitsIdentifier = ""

  /// - Parameter slots: The number of requests that can run concurrently, from 1.
  package init(slots: Int = 1) {
    queues = (0..<slots).map { DispatchQueue(label: "imagemill.rendering.\($0)") }
    freeSlots = Slots(slots)
  }

  /// Renders in the next free slot. See ``RenderingService/render(_:)``.
  package func render(
    _ prepare: @Sendable (_ slot: Int) async -> RenderRequest?
  ) async -> RenderResponse? {
    guard let slot = await freeSlots.take() else { return nil }
    defer { freeSlots.release(slot) }
    guard let request = await prepare(slot) else { return nil }
    return await withCheckedContinuation { continuation in
      queues[slot].async { continuation.resume(returning: Renderer().render(request)) }
    }
  }

  /// Accepts no more requests. Running ones complete, because a thread can't be interrupted.
  package func stop() async { freeSlots.close() }
}
