import Dispatch

/// Rendering in this process, one request at a time, on a thread of our own: for one picture, and for programs
/// that link the library and have no worker executable. A decoder that crashes takes the process with it.
public final class ThreadRendering: RenderingService {
  private let queue = DispatchQueue(label: "imagemill.rendering")
  /// One request at a time.
  public let slots = 1
  /// No limits.
  public let limitsIdentifier = ""

  /// A renderer that has started nothing yet.
  public init() {}

  /// Renders when the requests before this one are done.
  public func render(
    _ prepare: @Sendable (_ slot: Int) async -> RenderRequest?
  ) async -> RenderResponse? {
    guard let request = await prepare(0) else { return nil }
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Renderer().render(request)) }
    }
  }

  /// Nothing to end: a request that runs is finished.
  public func stop() async {}
}
