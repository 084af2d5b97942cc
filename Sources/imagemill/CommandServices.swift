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
  let signals: Signals

  /// Whether a signal has asked for the end.
  var isStopped: Bool { signals.exitStatus != nil }

  /// Opens the cache, makes the downloader, and ends both on every way out of `body`: otherwise a temporary store, or
  /// files in the cache's `tmp`, could be left behind by an error or a signal.
  ///
  /// The first signal cancels all downloads; if `body` doesn't end soon, the process does.
  /// - Parameters:
  ///   - limits: The formats to accept; nil accepts the defaults.
  ///   - typedHosts: Hosts of sources that were typed as arguments; their networks are allowed.
  ///   - requestsOnce: Whether a source is requested once, whatever its freshness.
  ///   - endsOnSignal: Whether a signal ends the command; otherwise `body` gives ``signals`` an action before it starts
  ///     anything, and its result counts.
  ///   - report: Receives the downloader's events.
  /// - Throws: `CommandError` if the cache can't be opened, an option is wrong, or too few files may be open; the
  ///   `ExitStatus` of a signal; or what `body` throws.
  static func with<Result>(
    downloads: DownloadOptions, cache: CacheSettings, limits: LimitOptions? = nil,
    origins: [String: OriginSettings] = [:], typedHosts: [String] = [], requestsOnce: Bool = false,
    endsOnSignal: Bool = true,
    report: @escaping @Sendable (DownloadEvent) -> Void = CommandServices.printWarning,
    _ body: (CommandServices) async throws -> Result
  ) async throws -> Result {
    let services = try CommandServices(
      downloads: downloads, cache: cache, limits: limits, origins: origins, typedHosts: typedHosts,
      start: requestsOnce ? SystemTime.now : nil, report: report)
    let (store, downloader) = (services.store, services.downloader)
    if endsOnSignal {
      services.signals.endSoon(store) { downloader.cancelAll() }
    } else {
      services.signals.endAtOnce(store)
    }
    do {
      let result = try await body(services)
      if endsOnSignal { try await services.endAfterSignal() }
      if !services.isStopped { await services.finishValidations() }
      await services.end()
      if endsOnSignal { services.signals.endAtOnce(store) }
      return result
    } catch {
      if endsOnSignal { try await services.endAfterSignal() }
      downloader.cancelAll()
      await services.end()
      if endsOnSignal { services.signals.endAtOnce(store) }
      throw error
    }
  }

  /// Waits a while for validations in the background, until a signal: what the command was for is done.
  private func finishValidations() async {
    let waiting = Task { await downloader.finishValidations(within: .seconds(5)) }
    signals.onFirst { waiting.cancel() }
    await waiting.value
  }

  private init(
    downloads: DownloadOptions, cache: CacheSettings, limits: LimitOptions? = nil,
    origins: [String: OriginSettings] = [:], typedHosts: [String] = [], start: Double?,
    report: @escaping @Sendable (DownloadEvent) -> Void
  ) throws {
    var configuration = try downloads.configuration(cache: cache, origins: origins, typedHosts: typedHosts)
    configuration.start = start
    if let limits { configuration.acceptableContentTypes = limits.contentTypes }
    // Always enough; a machine that allows fewer downloads less at a time.
    OpenFileLimit.raise(to: 4096)
    if let limit = OpenFileLimit.current {
      if let refusal = ProcessLimits.refusal(ofOpenFiles: limit.soft) { throw CommandError(.usage, refusal) }
      configuration.fit(intoDescriptors: limit.soft)
    }
    ProcessMemory.limitArenas()
    signals = Signals()
    store = try cache.openStore()
    downloader = ImageDownloader(configuration: configuration, store: store, report: report)
  }

  /// Prints a download's warnings, for commands without a batch.
  static let printWarning: @Sendable (DownloadEvent) -> Void = { event in
    guard case .warning(let source, let message) = event else { return }
    StandardError.say("imagemill: warning: \(source): \(message)")
  }

  /// Ends transfers and removes temporary files if there was a signal. A read of standard input isn't waited for.
  /// - Throws: The signal's `ExitStatus`.
  private func endAfterSignal() async throws {
    guard let status = signals.exitStatus else { return }
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    Task {
      await downloader.shutDown()
      continuation.finish()
    }
    Task {
      try await Task.sleep(for: .milliseconds(200))
      continuation.finish()
    }
    for await _ in ended {}
    store.removeTemporaries()
    throw status
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
