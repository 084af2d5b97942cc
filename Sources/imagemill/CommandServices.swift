import ImageBatch
import ImageCaches
import ImageDownloads
import ImageRendering
import SystemIO
import Vips

/// The cache and the downloader that a command's options describe.
struct CommandServices: Sendable {
  let store: DiskStore
  let downloader: ImageDownloader

  /// Opens the cache, makes the downloader, and ends both on every way out of `body`: otherwise a temporary store, or
  /// files in the cache's `tmp`, could be left behind by an error.
  /// - Parameters:
  ///   - limits: The formats to accept; nil accepts the defaults.
  ///   - typedHosts: Hosts of sources that were typed as arguments; their networks are allowed.
  ///   - report: Receives the downloader's events.
  /// - Throws: `CommandError` if the cache can't be opened or an option is wrong, and what `body` throws.
  static func with<Result>(
    downloads: DownloadOptions, cache: CacheSettings, limits: LimitOptions? = nil,
    origins: [String: OriginSettings] = [:], typedHosts: [String] = [],
    report: @escaping @Sendable (DownloadEvent) -> Void = CommandServices.printWarning,
    _ body: (CommandServices) async throws -> Result
  ) async throws -> Result {
    let services = try CommandServices(
      downloads: downloads, cache: cache, limits: limits, origins: origins, typedHosts: typedHosts,
      report: report)
    do {
      let result = try await body(services)
      await services.end()
      return result
    } catch {
      services.downloader.cancelAll()
      await services.end()
      throw error
    }
  }

  private init(
    downloads: DownloadOptions, cache: CacheSettings, limits: LimitOptions? = nil,
    origins: [String: OriginSettings] = [:], typedHosts: [String] = [],
    report: @escaping @Sendable (DownloadEvent) -> Void
  ) throws {
    if limits != nil { RenderKeys.loadEngine() }
    var configuration = try downloads.configuration(cache: cache, origins: origins, typedHosts: typedHosts)
    if let limits { configuration.acceptableContentTypes = limits.contentTypes }
    // Always enough; a machine that allows fewer downloads less at a time.
    OpenFileLimit.raise(to: 4096)
    if let limit = OpenFileLimit.current { configuration.fit(intoDescriptors: limit.soft) }
    ProcessMemory.limitArenas()
    store = try cache.openStore()
    downloader = ImageDownloader(configuration: configuration, store: store, report: report)
  }

  /// Prints a download's warnings, for commands without a batch.
  static let printWarning: @Sendable (DownloadEvent) -> Void = { event in
    guard case .warning(let source, let message) = event else { return }
    StandardError.say("imagemill: warning: \(source): \(message)")
  }

  /// Ends the transfer thread, then trims the store to its capacity and ends it.
  private func end() async {
    await downloader.shutDown()
    do throws(CacheError) {
      try store.trim()
    } catch {
      StandardError.say("imagemill: \(error.messageWithRemedy)")
    }
    store.end()
  }
}
