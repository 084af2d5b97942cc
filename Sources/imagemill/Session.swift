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
  /// networks may be reached without being named; `limits` say which formats are asked for. `report` is told what the downloader does.
  init(
    downloads: DownloadOptions, cache: CacheSettings, limits: LimitOptions? = nil,
    origins: [String: OriginSettings] = [:], typedHosts: [String] = [],
    report: @escaping @Sendable (DownloadEvent) -> Void = Session.printWarning
  ) throws {
    var configuration = try downloads.configuration(cache: cache, origins: origins, typedHosts: typedHosts)
    if let limits { configuration.acceptableContentTypes = limits.contentTypes }
    OpenFiles.allowMany()
    OpenFiles.share(with: &configuration)
    ProcessMemory.limitArenas()
    store = try cache.openStore()
    store.onMend { StandardError.write("imagemill: warning: \($0.messageWithRemedy())\n") }
    downloader = ImageDownloader(configuration: configuration, store: store, report: report)
  }

  /// What a command without a batch says of its downloads.
  static let printWarning: @Sendable (DownloadEvent) -> Void = { event in
    guard case .warning(let source, let message) = event else { return }
    StandardError.write("imagemill: warning: \(source): \(message)\n")
  }

  /// Ends the transfer thread, and closes the store with no more in it than it may hold.
  func end() async {
    await downloader.shutDown()
    do throws(CacheError) {
      try store.trim()
    } catch {
      StandardError.write("imagemill: \(error.messageWithRemedy)\n")
    }
    store.close()
  }
}
