import ImageDownloads
import Synchronization

/// Counts bytes of sources that wait for rendering. Above the limit, no transfer is started.
///
/// A group counts only once it needs no more downloads; otherwise groups could block each other. Active
/// transfers still finish, so the limit may be exceeded by about as many sources as there are active
/// downloads.
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
