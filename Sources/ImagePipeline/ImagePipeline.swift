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
    var totals = ImagePipelineTotals()
    var isShutDown = false
  }

  let state = Mutex(State())
  let feed: EventFeed
  private let threads: BlockingThreadPool
  private let reader: ImageReader

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
  ) throws {
    try self.init(
      configuration: configuration,
      store: DiskStore(directory: cacheDirectory),
      images: AutoPurgingImageCache())
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
    let key = LoadKey(request: request, identifier: chain.identifier)
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
    let key = LoadKey(request: request, identifier: chain.identifier)
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
    images?.image(
      for: MemoryIdentity(ImageRequest(url)), withIdentifier: identifier.isEmpty ? nil : identifier)
  }

  /// Removes the images at a URL, with any filters, from the memory cache. Images that were loaded with
  /// headers stay.
  /// - Parameter url: The URL that the images were loaded from.
  /// - Returns: Whether there were any.
  @discardableResult
  public func removeImages(at url: URL) -> Bool {
    images?.removeImages(matching: MemoryIdentity(ImageRequest(url))) ?? false
  }

  // MARK: Cancelling

  /// Cancels one call, which completes before this returns. A receipt whose call has ended changes nothing.
  /// - Parameter receipt: The receipt of the call.
  public func cancel(_ receipt: ImageReceipt) {
    receipt.markCancelled()
    let cancelled = state.withLock { state in
      let cancelled = state.table.cancel(receipt)
      if cancelled != nil { state.totals.cancelled += 1 }
      return cancelled
    }
    guard let cancelled else { return }
    for download in cancelled.downloads { downloader.cancel(download) }
    cancelled.references?.cancel()
    feed.send(.cancelled(receipt.request, identifier: receipt.identifier))
    cancelled.waiter.completion(.failure(.requestCancelled))
  }

  /// Cancels all calls for a URL, with any filters and headers.
  /// - Parameter url: The URL of the calls.
  public func cancelRequests(for url: URL) {
    let source = ImageRequest(url).source
    for receipt in state.withLock({ $0.table.receipts { $0.request.source == source } }) { cancel(receipt) }
  }

  /// Cancels every call, like ``cancel(_:)``. Later calls aren't affected.
  public func cancelAll() {
    for receipt in state.withLock({ $0.table.receipts { _ in true } }) { cancel(receipt) }
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

  // MARK: Loading

  private func start(_ waiter: LoadTable.Waiter, _ chain: FilterChain, priority: Int) {
    let key = waiter.receipt.key
    do throws(FilterError) {
      try chain.check()
      try configuration.checkReferences(of: chain)
    } catch {
      waiter.completion(.failure(.invalidFilter(error)))
      return
    }
    let (isCancelled, number): (Bool, Int?) = state.withLock { state in
      guard !state.isShutDown, !waiter.receipt.isCancelled else {
        state.totals.cancelled += 1
        return (true, nil)
      }
      return (false, state.table.join(waiter, priority: priority))
    }
    if isCancelled {
      feed.send(.cancelled(key.request, identifier: key.identifier))
      waiter.completion(.failure(.requestCancelled))
      return
    }
    guard let number else { return }
    // Another load may have ended since the caller looked; its image was added before it left the table. Not under the
    // lock, because the cache is the program's.
    if let image = takeFromMemory(key) {
      finish(key, number, .success(image))
    } else {
      download(key, number, chain, priority: priority)
    }
  }

  private func download(_ key: LoadKey, _ number: Int, _ chain: FilterChain, priority: Int) {
    let progress: @Sendable (Int, Int?) -> Void = { [weak self] received, expected in
      let handlers = self?.state.withLock { $0.table.progressHandlers(key, number) } ?? []
      for handler in handlers { handler(received, expected) }
    }
    let isFirst = state.withLock { $0.table.hasNoDownload(key, number) }
    let receipt = downloader.download(
      key.request, priority: priority, progress: isFirst ? progress : nil,
      completion: { [self] result in
        switch result {
        case .failure(let error): finish(key, number, .failure(ImageError(error)))
        case .success(let source):
          guard state.withLock({ $0.table.downloaded(key, number) }) else { return }
          feed.send(.downloaded(key.request, bytes: source.byteCount, source.disposition))
          guard !chain.references.isEmpty else {
            render(key, number, chain, source, [:])
            return
          }
          let task = Task { await openReferences(key, number, chain, source, priority: priority) }
          if !state.withLock({ $0.table.attach(task, to: key, number) }) { task.cancel() }
        }
      })
    // The last caller may have cancelled before the download had a receipt.
    if !state.withLock({ $0.table.attach(receipt, to: key, number) }) { downloader.cancel(receipt) }
  }

  /// Downloads the images that the chain refers to (overlays, masks, transitions): one after the other, since few chains
  /// have more than one.
  private func openReferences(
    _ key: LoadKey, _ number: Int, _ chain: FilterChain, _ source: StoredSource, priority: Int
  ) async {
    var references: [String: StoredSource] = [:]
    for reference in chain.references {
      do throws(DownloadError) {
        var request = ImageRequest(try configuration.source(of: reference))
        request.cacheMode = key.request.cacheMode
        references[reference] = try await downloader.download(request, priority: priority)
      } catch {
        finish(key, number, .failure(ImageError(error)))
        return
      }
    }
    render(key, number, chain, source, references)
  }

  private func render(
    _ key: LoadKey, _ number: Int, _ chain: FilterChain, _ source: StoredSource,
    _ references: [String: StoredSource]
  ) {
    threads.start { [self] in
      guard state.withLock({ $0.table.startRendering(key, number) }) else { return }
      let clock = ContinuousClock()
      let start = clock.now
      let opened = OpenedReferences(references, limits: configuration.limits)
      do throws(RenderError) {
        let image = try reader.image(at: source.path, applying: chain) {
          (reference) throws(FilterError) in try opened.image(reference)
        }
        state.withLock { $0.totals.renderings += 1 }
        feed.send(.rendered(key.request, identifier: key.identifier, clock.now - start))
        // Before the load leaves the table: a call that doesn't find the load must find the image.
        if memoryUse(of: key.request).stores {
          images?.add(image, for: MemoryIdentity(key.request), withIdentifier: key.memoryIdentifier)
        }
        finish(key, number, .success(image))
      } catch {
        finish(key, number, .failure(.imageSerializationFailed(error)))
      }
      // The pins of the files go only now.
      withExtendedLifetime((source, opened)) {}
    }
  }

  private func finish(_ key: LoadKey, _ number: Int, _ outcome: LoadTable.Outcome) {
    let waiters = state.withLock { state in
      let waiters = state.table.finish(key, number)
      if waiters != nil, case .failure = outcome { state.totals.failures += 1 }
      return waiters
    }
    guard let waiters else { return }
    if case .failure(let error) = outcome {
      feed.send(.failed(key.request, identifier: key.identifier, error))
    }
    for waiter in waiters { waiter.completion(outcome) }
  }

  // MARK: Memory

  private func memoryUse(of request: ImageRequest) -> (reads: Bool, stores: Bool) {
    switch request.cacheMode ?? configuration.downloads.cacheMode {
    case .standard, .offline: (true, true)
    case .refresh: (false, true)
    case .none: (false, false)
    }
  }

  private func inMemory(_ key: LoadKey) -> VipsImage? {
    guard memoryUse(of: key.request).reads else { return nil }
    return images?.image(for: MemoryIdentity(key.request), withIdentifier: key.memoryIdentifier)
  }

  private func takeFromMemory(_ key: LoadKey) -> VipsImage? {
    guard let image = inMemory(key) else { return nil }
    state.withLock { $0.totals.memoryHits += 1 }
    feed.send(.foundInMemory(key.request, identifier: key.identifier))
    return image
  }
}

extension LoadKey {
  var memoryIdentifier: String? { identifier.isEmpty ? nil : identifier }
}

/// A request's identity in the memory cache. Unlike AlamofireImage's it has the headers in it: an image that one user's
/// credentials opened is not for others.
struct MemoryIdentity: ImageRequestIdentity {
  let absoluteURL: String

  init(_ request: ImageRequest) {
    guard !request.headers.isEmpty else {
      absoluteURL = request.absoluteURL
      return
    }
    var key = KeyBuilder("headers")
    for field in request.headers {
      key.append(field.name.lowercased())
      key.append(field.value)
    }
    absoluteURL = "\(request.absoluteURL) \(key.digest.hex)"
  }
}

extension ImageRequest {
  /// Creates a request for an http or https URL.
  ///
  /// Any other URL fails when it is loaded: a URL from the network must not be able to name a local file.
  /// - Parameter url: The URL.
  public init(_ url: URL) { self.init(.url(url.absoluteString)) }
}
