import Synchronization

/// A handle for cancelling one call (AlamofireImage's `RequestReceipt`). Every call has one, even if downloads are
/// shared.
public final class RequestReceipt: Sendable, Hashable {
  /// The request that the call was made with.
  public let request: ImageRequest
  /// The owner's name, for ``ImageDownloader/cancelRequests(of:)``; nil if the call has none.
  public let owner: String?
  private let cancelled = Atomic(false)

  init(_ request: ImageRequest, owner: String? = nil) {
    self.request = request
    self.owner = owner
  }

  /// Recorded here because a cancellation may arrive before the request.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func markCancelled() { cancelled.store(true, ordering: .releasing) }

  /// Whether both are the receipt of the same call. Receipts of equal requests differ.
  /// - Parameters:
  ///   - left: A receipt.
  ///   - right: The receipt to compare with.
  public static func == (left: RequestReceipt, right: RequestReceipt) -> Bool { left === right }

  /// Hashes the identity of the object, like `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
