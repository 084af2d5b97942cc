/// Whoever turns render requests into files: worker processes in a batch, a thread of our own elsewhere.
public protocol RenderingService: Sendable {
  /// Renders one source's outputs in the next free slot.
  ///
  /// The response holds a result for every recipe, failures included; a request that was canceled while it was rendered
  /// has results with the code `cancelled`.
  /// - Parameter prepare: makes the request when there is a slot for it, and not before: whatever a request opens (its
  ///   source, its temporary files) is open for no more requests than there are slots. Nil withdraws it.
  /// - Returns: nil if the request was withdrawn, or the service was stopped before there was a slot.
  func render(
    _ prepare: @Sendable (_ slot: Int) async -> RenderRequest?
  ) async -> RenderResponse?

  /// How many requests can run at once.
  var slots: Int { get }

  /// What a request may take, as text: a failure for want of it is one of these limits' only.
  var limitsIdentifier: String { get }

  /// Ends what runs and takes no more.
  func stop() async
}
