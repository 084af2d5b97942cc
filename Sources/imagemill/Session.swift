import ImageBatch
import ImageCaches
import ImageDownloads

/// The parts that a working command needs, put together from its options.
struct Session {
  let store: DiskStore
  let downloader: ImageDownloader

  /// Opens the cache and starts the transfer engine. `typedHosts` are those of the sources typed as arguments:
  /// their networks may be reached without being named.
  init(
    downloads: DownloadOptions, cache: CacheOptions, origins: [OriginSettings] = [], typedHosts: [String] = []
  ) throws {
    store = try cache.openStore()
    downloader = try ImageDownloader(
      configuration: downloads.configuration(cache: cache, origins: origins, typedHosts: typedHosts),
      store: store)
  }

  /// Ends the engine and the store; nothing of a run is left behind.
  func end() async {
    await downloader.shutDown()
    store.close()
  }
}
