public import struct FoundationEssentials.URL
public import ImageCaches
public import ImageDownloads
public import ImageFilters
public import ImageRendering
public import Logging
import Synchronization
import SystemIO
public import Vips

/// Downloads images, filters them, and keeps the results in memory: AlamofireImage's central call.
///
///     let pipeline = try ImagePipeline(cacheDirectory: URL(filePath: "/var/cache/avatars"))
///     let avatar = try await pipeline.image(for: url, filters: .fill(width: 96, height: 96), .circle)
///
/// Calls for the same request and filters share one download and one rendering. Sources are cached on disk by the rules
/// of HTTP (`ImageDownloader`), images in memory (`AutoPurgingImageCache`). Only URLs of the Web are loaded, within
/// the downloader's address policy; local files need a request of their own, `ImageRequest(.file(path))`. The same holds
/// for filters, because a server may read chains from its requests: they refer to URLs, to
/// ``Configuration/namedSources``, and to ``Configuration/fontFiles``.
///
/// Cancelling, by a receipt or by the calling task, always ends the call at once. What it means for the work:
///
/// | work | other calls wait for it | effect |
/// | --- | --- | --- |
/// | a download that hasn't started | no | it is dropped, and never sent |
/// | a download that has started | no | it completes for the disk cache, or is aborted as configured |
/// | a rendering that has started | no | it completes for the memory cache |
/// | any | yes | it goes on for the others |
public final class ImagePipeline: Sendable {
  /// The settings of a pipeline: downloads, decoding and concurrency.
  public struct Configuration: Sendable {
    /// The settings of the downloader, such as the address policy.
    public var downloads = ImageDownloader.Configuration()
    /// Limits that are checked before decoding, and formats to read besides the Web's.
    public var limits = RenderLimits()
    /// The frames of an animation to read. Default: the first one.
    public var frames = FrameSelection.first
    /// The maximum number of concurrent renderings, each on a thread. Default: the number of available
    /// processors.
    public var renderings = Machine.availableProcessors
    /// The bytes of encoded images to keep in memory, for ``ImagePipeline/ImagePipeline/data(for:filters:as:)``. Each image
    /// counts 1,000 bytes more than it has. 0 keeps none. Default: 50 MB.
    public var encodedCapacity = 50_000_000
    /// Images that filters may refer to by name, such as a watermark in a local file. Any other reference must be an http,
    /// https or data URL.
    public var namedSources: [String: ImageSource] = [:]
    /// The paths of font files that `text` filters may name, besides installed fonts.
    public var fontFiles: Set<String> = []

    /// Receives failures at the level `info`, renderings at `debug` (default: none). The downloader logs to it too, unless
    /// ``downloads`` have a logger.
    public var logger: Logger?

    /// Creates the default settings: those of the command line for downloads, first frames only.
    public init() {}
  }

  /// The settings given to the initializer.
  public let configuration: Configuration
  /// The downloader, for credentials and other requests.
  public let downloader: ImageDownloader
  /// The memory cache; nil if images aren't kept.
  public let images: (any ImageRequestCache)?

  struct State {
    var table = LoadTable()
    var encodings: EncodingTable
    var totals = ImagePipelineTotals()
    var isShutDown = false
  }

  let state: Mutex<State>
  /// Set by the first encoding.
  let monitor = Mutex<MemoryPressureMonitor?>(nil)
  let feed: EventFeed
  let threads: BlockingThreadPool
  let reader: ImageReader

  /// Creates a pipeline on a store.
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - store: Keeps the sources on disk.
  ///   - images: Keeps the filtered images in memory; nil keeps none.
  public init(
    configuration: Configuration = Configuration(), store: DiskStore, images: (any ImageRequestCache)?
  ) {
    self.configuration = configuration
    self.images = images
    state = Mutex(State(encodings: EncodingTable(capacity: configuration.encodedCapacity)))
    var downloads = configuration.downloads
    downloads.logger = downloads.logger ?? configuration.logger
    downloader = ImageDownloader(configuration: downloads, store: store)
    feed = EventFeed(logger: configuration.logger)
    threads = BlockingThreadPool(label: "pipeline.rendering", threads: configuration.renderings)
    reader = ImageReader(limits: configuration.limits, frames: configuration.frames)
  }

  /// Creates a pipeline with a cache directory and a memory cache of 100 MB.
  /// - Parameters:
  ///   - cacheDirectory: A `file:` URL. The directory is created if missing, and may be shared with the
  ///     command.
  ///   - configuration: The settings.
  /// - Throws: `CacheError` if the directory can't be created or read.
  public convenience init(
    cacheDirectory: URL, configuration: Configuration = Configuration()
  ) throws(CacheError) {
    let store = try DiskStore(directory: cacheDirectory)
    self.init(configuration: configuration, store: store, images: AutoPurgingImageCache())
  }

  // MARK: Images

  /// The image at a URL of the Web, filtered.
  ///
  /// An image in the memory cache is returned without suspension. Cancelling the calling task cancels only
  /// this call.
  /// - Parameters:
  ///   - url: An http or https URL.
  ///   - filters: The filters, in the order of application.
  /// - Returns: An sRGB image of 8 or 16 bits per channel, with 3 bands, or 4 with alpha. Its pixels are
  ///   computed. Several frames are stacked as pages.
  /// - Throws: `ImageError`: `downloadFailed`, `imageSerializationFailed`, `invalidFilter`, or
  ///   `requestCancelled` if the call was cancelled.
  nonisolated(nonsending) public func image(
    for url: URL, filters: any ImageFilter...
  ) async throws(ImageError) -> VipsImage {
    try await image(for: ImageRequest(url), chain: FilterChain(combining: filters))
  }

  /// The image of a request, filtered. See ``image(for:filters:)-(URL,_)``.
  /// - Parameters:
  ///   - request: The source, headers and cache mode.
  ///   - filters: The filters, in the order of application.
  /// - Returns: The filtered image, with its pixels computed.
  /// - Throws: `ImageError`: `downloadFailed`, `imageSerializationFailed`, `invalidFilter`, or
  ///   `requestCancelled` if the call was cancelled.
  nonisolated(nonsending) public func image(
    for request: ImageRequest, filters: any ImageFilter...
  ) async throws(ImageError) -> VipsImage {
    try await image(for: request, chain: FilterChain(combining: filters))
  }

  /// The image of a request, filtered by a chain. See ``image(for:filters:)-(URL,_)``.
  /// - Parameters:
  ///   - request: The source, headers and cache mode.
  ///   - chain: The filters.
  ///   - priority: Pending downloads with a higher priority go first. Default: 0.
  /// - Returns: The filtered image, with its pixels computed.
  /// - Throws: `ImageError`: `downloadFailed`, `imageSerializationFailed`, `invalidFilter`, or
  ///   `requestCancelled` if the call was cancelled.
  nonisolated(nonsending) public func image(
    for request: ImageRequest, chain: FilterChain, priority: Int = 0
  ) async throws(ImageError) -> VipsImage {
    try await image(loadKey(request, chain.identifier), chain, priority: priority)
  }

  nonisolated(nonsending) func image(
    _ key: LoadKey, _ chain: FilterChain, priority: Int
  ) async throws(ImageError) -> VipsImage {
    if let image = takeFromMemory(key) { return image }
    let receipt = ImageReceipt(key)
    let outcome: LoadTable.Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(
          LoadTable.Waiter(receipt: receipt, progress: nil) { continuation.resume(returning: $0) }, chain,
          priority: priority)
      }
    } onCancel: {
      cancel(receipt)
    }
    return try outcome.get()
  }

  /// Loads an image for callers without a task, like AlamofireImage's
  /// `download(_:filter:progress:completion:)`.
  /// - Parameters:
  ///   - request: The source, headers and cache mode.
  ///   - filters: The filters, in the order of application.
  ///   - priority: Pending downloads with a higher priority go first. Default: 0.
  ///   - progress: Receives the bytes received and, if known, the expected number, on any thread. Default:
  ///     nil.
  ///   - completion: Receives the result, once, on any thread; before this returns if the image is in memory.
  /// - Returns: A receipt that cancels only this call; nil if the image was in memory.
  @discardableResult
  public func load(
    _ request: ImageRequest, filters: any ImageFilter..., priority: Int = 0,
    progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil,
    completion: @escaping @Sendable (Result<VipsImage, ImageError>) -> Void
  ) -> ImageReceipt? {
    load(
      request, chain: FilterChain(combining: filters), priority: priority, progress: progress,
      completion: completion)
  }

  func load(
    _ request: ImageRequest, chain: FilterChain, priority: Int,
    progress: (@Sendable (Int, Int?) -> Void)?, completion: @escaping @Sendable (LoadTable.Outcome) -> Void
  ) -> ImageReceipt? {
    let key = loadKey(request, chain.identifier)
    if let image = takeFromMemory(key) {
      completion(.success(image))
      return nil
    }
    let receipt = ImageReceipt(key)
    start(
      LoadTable.Waiter(receipt: receipt, progress: progress, completion: completion), chain,
      priority: priority)
    return receipt
  }

  /// Finds a filtered image in the memory cache, without a download.
  /// - Parameters:
  ///   - url: The URL that the image was loaded from.
  ///   - identifier: The `FilterChain.identifier` of its filters. Default: empty, for no filters.
  /// - Returns: nil if the cache doesn't have the image, or the pipeline has no memory cache.
  public func image(at url: URL, withIdentifier identifier: String = "") -> VipsImage? {
    let key = loadKey(ImageRequest(url), identifier)
    return images?.image(for: key.memoryIdentity, withIdentifier: key.memoryIdentifier)
  }

  /// Removes the images at a URL, with any filters, and their encoded bytes from memory. Images that were loaded
  /// with headers, or before the downloader's credential changed, stay.
  /// - Parameter url: The URL that the images were loaded from.
  /// - Returns: Whether there were any.
  @discardableResult
  public func removeImages(at url: URL) -> Bool {
    let identity = MemoryIdentity(ImageRequest(url), downloader.authentication)
    let hadImages = images?.removeImages(matching: identity) ?? false
    let hadBytes = state.withLock { $0.encodings.removeAll(request: identity.absoluteURL) }
    return hadImages || hadBytes
  }

  // MARK: Cancelling

  /// Cancels one call, which completes before this returns. A receipt whose call has ended changes nothing.
  /// - Parameter receipt: The receipt of the call.
  public func cancel(_ receipt: ImageReceipt) {
    receipt.markCancelled()
    let (load, encoding) = state.withLock { state in
      let load = state.table.cancel(receipt)
      let encoding = load == nil ? state.encodings.cancel(receipt) : nil
      if load != nil || encoding != nil { state.totals.cancelled += 1 }
      return (load, encoding)
    }
    guard load != nil || encoding != nil else { return }
    for download in load?.downloads ?? [] { downloader.cancel(download) }
    load?.references?.cancel()
    feed.send(.cancelled(receipt.request, identifier: receipt.identifier))
    load?.waiter.completion(.failure(.requestCancelled))
    encoding?.completion(.failure(.requestCancelled))
  }

  /// Cancels all calls for a URL, with any filters and headers.
  /// - Parameter url: The URL of the calls.
  public func cancelRequests(for url: URL) {
    let source = ImageRequest(url).source
    for receipt in receipts(where: { $0.request.source == source }) { cancel(receipt) }
  }

  /// Cancels every call, like ``cancel(_:)``. Later calls aren't affected.
  public func cancelAll() {
    for receipt in receipts(where: { _ in true }) { cancel(receipt) }
  }

  private func receipts(where matches: (ImageReceipt) -> Bool) -> [ImageReceipt] {
    state.withLock { $0.table.receipts(where: matches) + $0.encodings.receipts(where: matches) }
  }

  /// Cancels every call, aborts all transfers, and waits for renderings to end. Later calls are cancelled.
  public func shutDown() async {
    state.withLock { $0.isShutDown = true }
    cancelAll()
    await downloader.shutDown()
    await threads.finish()
    feed.finish()
  }

  // MARK: Observing

  /// The totals of all calls so far, since this pipeline was created.
  public var totals: ImagePipelineTotals {
    var totals = state.withLock { state in
      var totals = state.totals
      totals.joined = state.table.joinedCount
      return totals
    }
    totals.downloads = downloader.totals
    return totals
  }

  /// The events from now on. Every call returns a stream of its own, which ends with ``shutDown()``. A stream that isn't
  /// read keeps the newest 1,000 events.
  public var events: AsyncStream<ImagePipelineEvent> { feed.stream() }
}
