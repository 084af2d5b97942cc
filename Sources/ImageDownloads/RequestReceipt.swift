import Synchronization

/// A handle for cancelling one call (AlamofireImage's `RequestReceipt`). Every call has one, even if downloads are
/// shared.
public final class RequestReceipt: Sendable, Hashable {
  /// The request of the call.
  public let request: ImageRequest
  /// The owner's name, for ``ImageDownloader/cancelRequests(of:)``.
  public let owner: String?
  private let cancelled = Atomic(false)

  init(_ request: ImageRequest, owner: String? = nil) {
    self.request = request
    self.owner = owner
  }

  /// Recorded here because a cancellation may arrive before the request.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func markCancelled() { cancelled.store(true, ordering: .releasing) }

  /// Whether both are the receipt of the same call.
  public static func == (left: RequestReceipt, right: RequestReceipt) -> Bool { left === right }

  /// Hashes the object identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
