import Curl
public import ImageCaches
import Synchronization
import SystemIO

/// Downloads sources into a disk store, within limits. Equal requests share one download.
///
///     let downloader = ImageDownloader(configuration: configuration, store: store)
///     let source = try await downloader.download(ImageRequest(url))
///     print(source.file, source.digest.hex)
///     await downloader.shutDown()
///
/// Queueing, merging and cancelling follow AlamofireImage's `ImageDownloader`. Decoding is in `ImageRendering`, filtered
/// images in `ImagePipeline`. Internally this is the driver of `DownloadStateMachine`: it turns calls and finished work into events,
/// and performs the resulting actions.
public final class ImageDownloader: Sendable {
  /// The settings given to the initializer, with normalized origins.
  public let configuration: Configuration
  /// The store that receives the bytes.
  public let store: DiskStore

  let state: Mutex<DriverState>
  let work: BlockingThreadPool
  let statistics = DownloadStatistics()
  let engine = Mutex<TransferEngine?>(nil)
  // The stages of a request.
  let lookup: CacheLookup
  let claims: RequestClaims
  let exchange: Exchange
  let classifier: ResponseClassifier
  let responses: ResponseStore
  let report: @Sendable (DownloadEvent) -> Void
  /// The credential of ``addAuthentication(usingCredential:)``.
  let currentAuthentication = Mutex(Authentication())

  /// Creates a downloader. Its transfer thread starts with the first transfer.
  /// - Parameters:
  ///   - configuration: The limits, headers, credentials and policies. Default: those of the command line.
  ///   - store: The store that receives the bytes.
  ///   - report: Receives events on any thread; must not block. Default: ignores them.
  public init(
    configuration: Configuration = Configuration(), store: DiskStore,
    report: @escaping @Sendable (DownloadEvent) -> Void = { _ in }
  ) {
    var configuration = configuration
    // Normalize origins: lower case, no default port, no path.
    configuration.origins = Dictionary(
      configuration.origins.map { (WebAddress($0.key)?.origin ?? $0.key, $0.value) }, uniquingKeysWith: { $1 }
    )
    self.configuration = configuration
    self.store = store
    self.report = report
    var limits = DownloadQueue<Int>.Limits()
    limits.total = max(1, configuration.activeDownloads)
    limits.perHost = max(1, configuration.activeDownloadsPerHost)
    limits.newHosts = max(1, configuration.newHosts)
    limits.rate = configuration.rate
    limits.order = configuration.order
    limits.unreachableTimeout = configuration.hostPatience / .seconds(1)
    limits.byHost = configuration.origins.compactMapValues(\.activeDownloads)
    limits.rateByHost = configuration.origins.compactMapValues(\.rate)
    let machine = DownloadStateMachine(limits: limits, abortsOnCancel: configuration.abortsOnCancel)
    state = Mutex(DriverState(machine: machine))
    work = BlockingThreadPool(label: "downloads.disk", threads: configuration.diskConcurrency)
    let validation = ResponseValidation(acceptableContentTypes: configuration.acceptableContentTypes)
    classifier = ResponseClassifier(
      validation: validation, redirectLimit: configuration.redirects,
      longestRetryWait: configuration.longestRetryWait / .seconds(1))
    lookup = CacheLookup(
      configuration: configuration, store: store, salt: CredentialSalt(store: store), classifier: classifier,
      statistics: statistics)
    claims = RequestClaims(configuration: configuration, store: store)
    exchange = Exchange(
      configuration: configuration, store: store, validation: validation, statistics: statistics)
    responses = ResponseStore(store: store)
  }

  // MARK: Downloading

  /// Downloads a source into the store. Cancelling the calling task cancels only this call.
  ///
  /// - Parameters:
  ///   - request: The source, with its header fields and cache mode.
  ///   - priority: Pending downloads with a higher priority go first. Default: 0.
  ///   - pinnedDigest: The SHA-256 that the bytes must have; nil for any bytes. Default: nil.
  /// - Returns: The bytes, pinned in the store while the value lives.
  /// - Throws: `DownloadError`; its code is `.cancelled` if the call was cancelled.
  public func download(
    _ request: ImageRequest, priority: Int = 0, pinnedDigest: ContentDigest? = nil
  ) async throws(DownloadError) -> StoredSource {
    try await download(key(request, pinnedDigest: pinnedDigest), RequestReceipt(request), priority: priority)
  }

  func download(
    _ key: RequestKey, _ receipt: RequestReceipt, priority: Int
  ) async throws(DownloadError) -> StoredSource {
    try await response(to: key, receipt, priority: priority).source(displayText: key.displayText)
  }

  /// Downloads a source into the store, like ``download(_:priority:pinnedDigest:)``.
  ///
  /// - Parameters:
  ///   - request: The source, with its header fields and cache mode.
  ///   - priority: Pending downloads with a higher priority go first. Default: 0.
  ///   - pinnedDigest: The SHA-256 that the bytes must have; nil for any bytes. Default: nil.
  ///   - owner: A name for ``cancelRequests(of:)``. Default: nil.
  ///   - progress: Receives the bytes received and, if known, the expected number, on any thread. Default:
  ///     nil.
  ///   - completion: Receives the result, once, on any thread.
  /// - Returns: A receipt that cancels only this call.
  @discardableResult
  public func download(
    _ request: ImageRequest, priority: Int = 0, pinnedDigest: ContentDigest? = nil, owner: String? = nil,
    progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil,
    completion: @escaping @Sendable (Result<StoredSource, DownloadError>) -> Void
  ) -> RequestReceipt {
    let receipt = RequestReceipt(request, owner: owner)
    download(
      key(request, pinnedDigest: pinnedDigest), receipt, priority: priority, progress: progress,
      completion: completion)
    return receipt
  }

  func download(
    _ key: RequestKey, _ receipt: RequestReceipt, priority: Int,
    progress: (@Sendable (Int, Int?) -> Void)?,
    completion: @escaping @Sendable (Result<StoredSource, DownloadError>) -> Void
  ) {
    start(key, receipt, priority: priority, progress: progress) { outcome in
      completion(outcome.map { $0.source(displayText: key.displayText) })
    }
  }

  /// Fetches any response, regardless of its status and content, through the same queue, policy and cache.
  ///
  /// Cancelling the calling task cancels only this call.
  /// - Parameters:
  ///   - request: The source, with its header fields and cache mode.
  ///   - followsRedirects: Whether to follow redirects or to return them. Default: true.
  ///   - priority: Pending downloads with a higher priority go first. Default: 0.
  /// - Returns: The response, with any status, and its body.
  /// - Throws: `DownloadError` if no response could be received.
  public func fetch(
    _ request: ImageRequest, followsRedirects: Bool = true, priority: Int = 0
  ) async throws(DownloadError) -> FetchedResponse {
    let key = key(request, wantsImage: false, followsRedirects: followsRedirects)
    return FetchedResponse(
      try await response(to: key, RequestReceipt(request), priority: priority), key.cacheMode)
  }

  /// Fetches any response, like ``fetch(_:followsRedirects:priority:)``.
  ///
  /// - Parameters:
  ///   - request: The source, with its header fields and cache mode.
  ///   - followsRedirects: Whether to follow redirects or to return them. Default: true.
  ///   - priority: Pending downloads with a higher priority go first. Default: 0.
  ///   - completion: Receives the result, once, on any thread.
  /// - Returns: A receipt that cancels only this call.
  @discardableResult
  public func fetch(
    _ request: ImageRequest, followsRedirects: Bool = true, priority: Int = 0,
    completion: @escaping @Sendable (Result<FetchedResponse, DownloadError>) -> Void
  ) -> RequestReceipt {
    let receipt = RequestReceipt(request)
    let key = key(request, wantsImage: false, followsRedirects: followsRedirects)
    start(key, receipt, priority: priority) { outcome in
      completion(outcome.map { FetchedResponse($0, key.cacheMode) })
    }
    return receipt
  }

  func response(
    to key: RequestKey, _ receipt: RequestReceipt, priority: Int
  ) async throws(DownloadError) -> Response {
    let outcome: DownloadStateMachine.Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(key, receipt, priority: priority) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      cancel(receipt)
    }
    return try outcome.get()
  }

  func key(
    _ request: ImageRequest, pinnedDigest: ContentDigest? = nil, wantsImage: Bool = true,
    followsRedirects: Bool = true, authentication: Authentication? = nil
  ) -> RequestKey {
    RequestKey(
      source: request.source, headers: request.headers,
      cacheMode: request.cacheMode ?? configuration.cacheMode,
      pinnedDigest: pinnedDigest, wantsImage: wantsImage, followsRedirects: followsRedirects,
      credential: (authentication ?? self.authentication).credential, service: service(of: request.source))
  }

  private func start(
    _ key: RequestKey, _ receipt: RequestReceipt, priority: Int,
    progress: (@Sendable (Int, Int?) -> Void)? = nil,
    _ completion: @escaping @Sendable (DownloadStateMachine.Outcome) -> Void
  ) {
    let waiter = InFlightDownload.Waiter(receipt: receipt, completion: completion, progress: progress)
    send(.requested(key, priority: priority, waiter))
  }

  // MARK: Credentials

  /// Sets the credential of later requests, like AlamofireImage's method of this name.
  ///
  /// Earlier requests keep theirs, and aren't merged with later ones. An `ImagePipeline` on this downloader no longer
  /// finds the images in memory that were loaded before. The credential replaces
  /// ``Configuration/credential``: it is sent to each source's own origin, as Basic, or as Digest if the
  /// server asks for it, unless the URL, the origin's settings or the netrc file have a credential.
  /// - Parameters:
  ///   - user: The user name, not percent-encoded.
  ///   - password: The password, not percent-encoded.
  public func addAuthentication(user: String, password: String) {
    addAuthentication(usingCredential: OriginSettings.Credential(user: user, password: password))
  }

  /// Sets the credential of later requests, like ``addAuthentication(user:password:)``.
  /// - Parameter credential: The user name and password.
  public func addAuthentication(usingCredential credential: OriginSettings.Credential) {
    currentAuthentication.withLock { $0.change(to: credential) }
  }

  // MARK: Cancelling

  /// Cancels one call, which completes immediately with code `.cancelled`.
  ///
  /// Other calls for the same download go on. If there are none, a pending download is dropped; an active one
  /// is aborted or completes for the cache (``Configuration/abortsOnCancel``).
  /// - Parameter receipt: The receipt of the call. A finished call isn't affected.
  public func cancel(_ receipt: RequestReceipt) {
    receipt.markCancelled()
    send(.cancelled(.receipt(receipt)))
  }

  /// Cancels all calls for a source, like ``cancel(_:)``.
  /// - Parameter source: The source; calls for equal sources are cancelled, whatever their headers.
  public func cancelRequests(for source: ImageSource) { send(.cancelled(.source(source))) }

  /// Cancels all calls with an owner, like ``cancel(_:)``.
  /// - Parameter owner: The name given to ``download(_:priority:pinnedDigest:owner:progress:completion:)``.
  public func cancelRequests(of owner: String) { send(.cancelled(.owner(owner))) }

  /// Cancels every call, like ``cancel(_:)``. Later calls aren't affected.
  public func cancelAll() { send(.cancelled(.all)) }

  /// Cancels all calls whose download hasn't started its transfer.
  public func cancelPending() { send(.cancelled(.notStarted)) }

  /// Cancels every call, aborts all transfers, and waits for the transfer thread to end. Later calls are cancelled.
  public func shutDown() async {
    send(.shutDown)
    await work.finish()
    state.withLock(\.timer)?.cancel()
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    // No transfer begins after a shutdown, so none starts another engine.
    await engine.withLock(\.self)?.shutDown()
  }

  /// The totals of all calls so far, since this downloader was created.
  public var totals: DownloadTotals {
    var totals = statistics.totals
    totals.merged = state.withLock(\.machine.mergedCount)
    return totals
  }

  /// Whether to hold back new transfers, for example until earlier downloads are processed. Lookups and active
  /// transfers go on.
  public var holdsNewTransfers: Bool {
    get { state.withLock(\.machine.holdsNewTransfers) }
    set { send(.held(newValue)) }
  }

  package var queuedCount: Int { state.withLock(\.machine.queuedCount) }

  package var activeCount: Int { state.withLock(\.machine.activeCount) }
}
