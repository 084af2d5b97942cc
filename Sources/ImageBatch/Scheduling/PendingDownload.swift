import ImageCaches
import ImageDownloads

/// A download that has been asked for: its place in the queue is that of its making, whenever it is awaited.
struct PendingDownload: Sendable {
  private let result = OneShot<Result<StoredSource, DownloadError>>()
  private let receipt: RequestReceipt
  private let downloader: ImageDownloader

  init(
    _ request: ImageRequest, priority: Int, pinnedDigest: ContentDigest?, from downloader: ImageDownloader
  ) {
    self.downloader = downloader
    let result = result
    receipt = downloader.download(request, priority: priority, pinnedDigest: pinnedDigest) {
      result.fulfil($0)
    }
  }

  /// How it ended. Canceling the task that waits cancels the download.
  var outcome: Result<StoredSource, DownloadError> {
    get async {
      await withTaskCancellationHandler {
        await result.value
      } onCancel: {
        downloader.cancel(receipt)
      }
    }
  }

  /// The source.
  var source: StoredSource {
    get async throws(DownloadError) { try await outcome.get() }
  }
}
