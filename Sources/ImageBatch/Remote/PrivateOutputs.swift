import ImageCaches
import ImageDownloads
import Synchronization

/// The outputs of this run that were made from private sources, and that other jobs read: as files, they look like any
/// other local source.
final class PrivateOutputs: Sendable {
  private let digests = Mutex<Set<ContentDigest>>([])

  func insert(_ digest: ContentDigest) { digests.withLock { _ = $0.insert(digest) } }

  /// Whether what is made from a source must stay on the machine.
  func isPrivate(_ source: StoredSource) -> Bool {
    source.isPrivate || digests.withLock { $0.contains(source.digest) }
  }
}
