/// Whoever turns render requests into files: worker processes in a batch, a thread of our own elsewhere.
public protocol RenderingService: Sendable {
  /// Renders one source's outputs. `slot` is told which slot has taken the request when it starts.
  ///
  /// The answer always holds a result for every recipe, failures included; a request that was cancelled answers
  /// with the code `cancelled`.
  func render(_ request: RenderRequest, started: @Sendable (_ slot: Int) async -> Void) async
    -> RenderResponse

  /// How many requests can run at once.
  var slots: Int { get }

  /// What a request may take, as text: a failure for want of it is one of these limits' only.
  var limitsIdentifier: String { get }

  /// Ends what runs and takes no more.
  func stop() async
}
