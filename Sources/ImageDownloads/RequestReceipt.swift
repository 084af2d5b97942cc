import Synchronization

/// The caller's handle on one download: what it cancels. Every call gets one of its own, whether or not its download is shared.
public final class RequestReceipt: Sendable, Hashable {
  /// What was asked for.
  public let request: ImageRequest
  /// Whose it is, for ``ImageDownloader/cancelRequests(of:)``.
  public let owner: String?
  private let cancelled = Atomic(false)

  init(_ request: ImageRequest, owner: String? = nil) {
    self.request = request
    self.owner = owner
  }

  /// Remembered, because a cancellation may overtake the start.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func markCancelled() { cancelled.store(true, ordering: .releasing) }

  /// Whether they are the same call's.
  public static func == (left: RequestReceipt, right: RequestReceipt) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
