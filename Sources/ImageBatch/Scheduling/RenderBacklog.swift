import ImageDownloads
import Synchronization

/// Bytes that are downloaded and not yet rendered. While there are too many, no new transfer is begun.
///
/// A group counts when it needs no download any more, so the backlog always gets smaller. Transfers that are under way
/// when it is full still end: it may be exceeded by as many sources as there are active downloads, or a few more.
final class RenderBacklog: Sendable {
  private let downloader: ImageDownloader
  private let limit: Int
  private let bytes = Mutex(0)

  init(downloader: ImageDownloader, limit: Int) {
    self.downloader = downloader
    self.limit = limit
  }

  func enter(_ count: Int) {
    bytes.withLock { bytes in
      let wasFull = bytes > limit
      bytes += count
      if bytes > limit, !wasFull { downloader.holdsNewTransfers = true }
    }
  }

  func leave(_ count: Int) {
    bytes.withLock { bytes in
      let wasFull = bytes > limit
      bytes -= count
      if bytes <= limit, wasFull { downloader.holdsNewTransfers = false }
    }
  }
}
