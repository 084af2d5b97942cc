/// Renders requests to files, in worker processes (``WorkerPool``) or on a thread (``ThreadRendering``).
public protocol RenderingService: Sendable {
  /// Renders one source's outputs in the next free slot.
  ///
  /// The response has a result for every recipe. If the service is stopped during rendering, the results have the code
  /// `cancelled`.
  /// - Parameter prepare: Creates the request once a slot is free, so that source and temporary files are open for no
  ///   more requests than there are slots. Returns nil to withdraw the request.
  /// - Returns: nil if the request was withdrawn, or if the service was stopped before a slot was free.
  func render(
    _ prepare: @Sendable (_ slot: Int) async -> RenderRequest?
  ) async -> RenderResponse?

  /// The number of requests that can run concurrently.
  var slots: Int { get }

  /// The limits of a request as text. Recorded failures such as timeouts are valid only for the same limits.
  var limitsIdentifier: String { get }

  /// Ends running requests and accepts no more.
  func stop() async
}
