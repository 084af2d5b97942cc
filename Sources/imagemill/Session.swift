import ImageBatch
import ImageCaches
import ImageDownloads
import Synchronization
import Vips

/// The parts that a working command needs, put together from its options.
struct Session: Sendable {
  let store: DiskStore
  let downloader: ImageDownloader

  /// Opens the cache and makes the downloader. `typedHosts` are those of the sources typed as arguments: their
  /// networks may be reached without being named. `report` is told what the downloader does.
  init(
    downloads: DownloadOptions, cache: CacheOptions, origins: [String: OriginSettings] = [:],
    typedHosts: [String] = [], report: @escaping @Sendable (DownloadEvent) -> Void = { _ in }
  ) throws {
    let configuration = try downloads.configuration(cache: cache, origins: origins, typedHosts: typedHosts)
    OpenFiles.allowMany()
    ProcessMemory.limitArenas()
    store = try cache.openStore()
    store.onMend { StandardError.write("imagemill: warning: \($0)\n") }
    downloader = ImageDownloader(configuration: configuration, store: store, report: report)
  }

  /// Ends the transfer thread, and closes the store with no more in it than it may hold.
  func end() async {
    await downloader.shutDown()
    do throws(CacheError) {
      try store.trim()
    } catch {
      StandardError.write("imagemill: \(error.message)\n")
    }
    store.close()
  }
}
