import Dispatch

/// Renders in this process, one request at a time on a dispatch queue, for single images and for programs without a
/// worker executable. A decoder crash ends the process.
public final class ThreadRendering: RenderingService {
  private let queue = DispatchQueue(label: "imagemill.rendering")
  /// The number of slots: 1.
  public let slots = 1
  /// Empty, because requests have no limits.
  public let limitsIdentifier = ""

  /// Creates the service.
  public init() {}

  /// Renders a request after all earlier ones. See ``RenderingService/render(_:)``.
  public func render(
    _ prepare: @Sendable (_ slot: Int) async -> RenderRequest?
  ) async -> RenderResponse? {
    guard let request = await prepare(0) else { return nil }
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Renderer().render(request)) }
    }
  }

  /// Does nothing: a running request can't be interrupted.
  public func stop() async {}
}
