import ImageCaches
import ImageDownloads

/// A download that has been asked for: its place in the queue is that of its making, whenever it is awaited.
struct PendingDownload: Sendable {
  private let outcome = OneShot<Result<StoredSource, DownloadError>>()
  private let receipt: RequestReceipt
  private let downloader: ImageDownloader

  init(
    _ request: ImageRequest, priority: Int, pinnedDigest: ContentDigest?, from downloader: ImageDownloader
  ) {
    self.downloader = downloader
    let outcome = outcome
    receipt = downloader.download(request, priority: priority, pinnedDigest: pinnedDigest) {
      outcome.fulfil($0)
    }
  }

  /// The source. Cancelling the task that waits cancels the download.
  var source: StoredSource {
    get async throws(DownloadError) {
      let result = await withTaskCancellationHandler {
        await outcome.value
      } onCancel: {
        downloader.cancel(receipt)
      }
      return try result.get()
    }
  }
}
