public import ImageDownloads
import Synchronization

/// A handle for cancelling one call (AlamofireImage's `RequestReceipt`). Every call has its own, even if several share
/// one download or one rendering.
public final class ImageReceipt: Sendable, Hashable {
  /// The request that the call was made with.
  public let request: ImageRequest
  /// The identifier of the call's filters; empty without filters.
  public let identifier: String
  let key: LoadKey
  private let cancelled = Atomic(false)

  init(_ key: LoadKey) {
    (self.key, request, identifier) = (key, key.request, key.identifier)
  }

  /// Recorded here because a task may be cancelled before its call is known.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func markCancelled() { cancelled.store(true, ordering: .releasing) }

  /// Whether both are the receipt of the same call. Receipts of equal requests differ.
  /// - Parameters:
  ///   - left: A receipt.
  ///   - right: The receipt to compare with.
  public static func == (left: ImageReceipt, right: ImageReceipt) -> Bool { left === right }

  /// Hashes the identity of the object, like `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
