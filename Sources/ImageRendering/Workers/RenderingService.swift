import SystemIO

/// Renders requests to files, in worker processes (``WorkerPool``) or on a thread (``ThreadRendering``).
package protocol RenderingService: Sendable {
  /// Renders one source's outputs in the next free slot.
  ///
  /// The response has a result for every recipe. If the service is stopped after the request was created, or the request
  /// is cancelled, the results have the code `cancelled`.
  /// - Parameters:
  ///   - prepare: Creates the request while the requests before it are rendered, so that no slot waits for it. Source and
  ///     temporary files are open for at most three times as many requests as there are slots. Returns nil to withdraw the
  ///     request.
  ///   - onStart: Called when the request has its slot, before it is rendered. Returns false to cancel the request.
  ///   - onEnd: Called after the rendering, before the next request has the slot.
  ///   - afterwards: Called when another request may have the slot, to check and close the request's files.
  /// - Returns: nil if the request was withdrawn, or if the service was stopped before the request was created.
  func render(
    _ prepare: @Sendable () async -> RenderRequest?, onStart: @Sendable (_ slot: Int) async -> Bool,
    onEnd: @Sendable (_ slot: Int) async -> Void, afterwards: @Sendable () async -> Void
  ) async -> RenderResponse?

  /// Starts what one more request needs, while its source is still read, unless every slot has it.
  func startAhead() async

  /// The number of requests that can run concurrently.
  var slots: Int { get }

  /// The limits of a request as text. Recorded failures such as timeouts are valid only for the same limits.
  var limitsIdentifier: String { get }

  /// Ends running requests and accepts no more.
  func stop() async
}

extension RenderingService {
  /// Renders without callbacks. See ``render(_:onStart:onEnd:afterwards:)``.
  package func render(_ prepare: @Sendable () async -> RenderRequest?) async -> RenderResponse? {
    await render(prepare, onStart: { _ in true }, onEnd: { _ in }, afterwards: {})
  }
}

/// The place where images are rendered: this process or child processes.
public enum RenderingMode: Sendable {
  /// In this process, on this number of threads, at least 1.
  ///
  /// A decoder that crashes ends the process, and no rendering has a time limit.
  case threads(Int)
  /// In child processes, which are stopped at their limits of time and memory. A decoder that crashes fails one request.
  case workerProcesses(WorkerConfiguration)

  /// In this process, on a thread for each processor.
  public static let inProcess = Self.threads(Machine.availableProcessors)

  package func makeService() -> any RenderingService {
    switch self {
    case .threads(let count): ThreadRendering(slots: max(1, count))
    case .workerProcesses(let configuration): WorkerPool(configuration)
    }
  }
}
