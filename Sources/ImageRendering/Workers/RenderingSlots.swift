/// The slots of a rendering service, each with places for the next request, which is prepared while the slot is taken, and
/// for the last one, whose files are closed.
struct RenderingSlots: Sendable {
  private let slots: Slots
  /// Limits the requests that are prepared, wait for a slot, are rendered, or have their files open.
  private let preparations: Slots

  /// - Parameter count: The number of slots, from 1.
  init(_ count: Int) {
    slots = Slots(count)
    preparations = Slots(3 * count)
  }

  /// See ``RenderingService/render(_:onStart:onEnd:afterwards:)``.
  /// - Parameter body: Renders a request in its slot.
  func render(
    _ prepare: @Sendable () async -> RenderRequest?, onStart: @Sendable (_ slot: Int) async -> Bool,
    onEnd: @Sendable (_ slot: Int) async -> Void, afterwards: @Sendable () async -> Void,
    in body: @Sendable (_ request: RenderRequest, _ slot: Int) async -> RenderResponse
  ) async -> RenderResponse? {
    guard let preparation = await preparations.take() else { return nil }
    defer { preparations.release(preparation) }
    guard let request = await prepare() else { return nil }
    guard let slot = await slots.take() else { return RenderResponse(failing: request, .cancelled) }
    guard await onStart(slot) else {
      slots.release(slot)
      return RenderResponse(failing: request, .cancelled)
    }
    let response = await body(request, slot)
    await onEnd(slot)
    slots.release(slot)
    await afterwards()
    return response
  }

  /// Ends all waits, and lets no more requests begin.
  func close() {
    preparations.close()
    slots.close()
  }
}
