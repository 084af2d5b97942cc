import ImageBatch
import ImageCaches
import ImageDownloads
import Synchronization
import Vips

/// The cache and the downloader that a command's options describe.
struct CommandServices: Sendable {
  let store: DiskStore
  let downloader: ImageDownloader

  /// Opens the cache and makes the downloader.
  /// - Parameters:
  ///   - limits: The formats to accept; nil accepts the defaults.
  ///   - typedHosts: Hosts of sources that were typed as arguments; their networks are allowed.
  ///   - report: Receives the downloader's events.
  /// - Throws: `CommandError` if the cache can't be opened or an option is wrong.
  init(
    downloads: DownloadOptions, cache: CacheSettings, limits: LimitOptions? = nil,
    origins: [String: OriginSettings] = [:], typedHosts: [String] = [],
    report: @escaping @Sendable (DownloadEvent) -> Void = CommandServices.printWarning
  ) throws {
    var configuration = try downloads.configuration(cache: cache, origins: origins, typedHosts: typedHosts)
    if let limits { configuration.acceptableContentTypes = limits.contentTypes }
    OpenFiles.allowMany()
    OpenFiles.share(with: &configuration)
    ProcessMemory.limitArenas()
    store = try cache.openStore()
    store.onRepair { StandardError.say("imagemill: warning: \($0.messageWithRemedy())") }
    downloader = ImageDownloader(configuration: configuration, store: store, report: report)
  }

  /// Prints a download's warnings, for commands without a batch.
  static let printWarning: @Sendable (DownloadEvent) -> Void = { event in
    guard case .warning(let source, let message) = event else { return }
    StandardError.say("imagemill: warning: \(source): \(message)")
  }

  /// Ends the transfer thread, then trims the store to its capacity and closes it.
  func end() async {
    await downloader.shutDown()
    do throws(CacheError) {
      try store.trim()
    } catch {
      StandardError.say("imagemill: \(error.messageWithRemedy)")
    }
    store.close()
  }
}
