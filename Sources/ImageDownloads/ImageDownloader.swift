import Curl
public import ImageCaches
import Synchronization

/// Downloads sources into a disk store: each once, however many wait for it, within limits.
///
///     let downloader = try ImageDownloader(configuration: .init(), store: store)
///     let source = try await downloader.download(ImageRequest(.url("https://example.org/a.jpg")))
///     … source.path, source.digest …
///     await downloader.shutDown()
///
/// It is the driver of ``DownloadStateMachine``: every call and every end of a piece of work is an event, whose actions it
/// performs. What AlamofireImage's type of this name promises of queueing, merging and cancelling holds; what it promises of decoding and filtering is `ImageBatch`'s.
public final class ImageDownloader: Sendable {
  /// What it was made with.
  public let configuration: Configuration
  /// Where the bytes go.
  public let store: DiskStore

  private let state: Mutex<DriverState>
  let meter = DownloadMeter()
  let work: BlockingWork
  let transport: Transport
  private let engine = Mutex(EngineState.none)
  let report: @Sendable (DownloadEvent) -> Void
  /// What was added for later requests.
  private let credential = Mutex<OriginSettings.Credential?>(nil)

  /// A downloader; its transfer thread starts with the first transfer.
  /// - Parameters:
  ///   - configuration: limits, headers, credentials, policy.
  ///   - store: where the bytes go.
  ///   - report: told what happens, on whatever thread it happens; it must not block.
  public init(
    configuration: Configuration = Configuration(), store: DiskStore,
    report: @escaping @Sendable (DownloadEvent) -> Void = { _ in }
  ) {
    var configuration = configuration
    // One spelling of an origin: lower case, no default port, no path.
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
    limits.unreachableTimeout = configuration.hostPatience
    limits.byHost = configuration.origins.compactMapValues(\.activeDownloads)
    limits.rateByHost = configuration.origins.compactMapValues(\.rate)
    let machine = DownloadStateMachine(limits: limits, abortsOnCancel: configuration.abortsOnCancel)
    state = Mutex(DriverState(machine: machine))
    work = BlockingWork(concurrency: max(1, configuration.diskConcurrency))
    transport = Transport(configuration: configuration, store: store, work: work, meter: meter)
  }

  // MARK: Downloading

  /// Has a source's bytes in the store, or says why not. Cancelling the calling task cancels this call alone.
  ///
  /// - Parameters:
  ///   - request: the source.
  ///   - priority: higher goes first among pending downloads.
  ///   - pinnedDigest: the SHA-256 that the bytes must have.
  public func download(
    _ request: ImageRequest, priority: Int = 0, pinnedDigest: ContentDigest? = nil
  ) async throws(DownloadError) -> StoredSource {
    let key = key(request, pinnedDigest: pinnedDigest)
    return try await response(to: key, RequestReceipt(request), priority: priority)
      .source(displayText: key.displayText)
  }

  /// As ``download(_:priority:pinnedDigest:)``, for callers without a task: `completion` is called exactly once, on a thread of the downloader's.
  ///
  /// - Parameters:
  ///   - request: the source.
  ///   - priority: higher goes first among pending downloads.
  ///   - pinnedDigest: the SHA-256 that the bytes must have.
  ///   - owner: whose request it is, for ``cancelRequests(of:)``.
  ///   - progress: told the bytes received so far and, if known, of how many.
  ///   - completion: told where the bytes are, or why there are none.
  /// - Returns: what cancels this call, and no other.
  @discardableResult
  public func download(
    _ request: ImageRequest, priority: Int = 0, pinnedDigest: ContentDigest? = nil, owner: String? = nil,
    progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil,
    completion: @escaping @Sendable (Result<StoredSource, DownloadError>) -> Void
  ) -> RequestReceipt {
    let receipt = RequestReceipt(request, owner: owner)
    let key = key(request, pinnedDigest: pinnedDigest)
    start(key, receipt, priority: priority, progress: progress) { outcome in
      completion(outcome.map { $0.source(displayText: key.displayText) })
    }
    return receipt
  }

  /// Has any answer, whatever its status and content, through the same queue, policy and cache.
  ///
  /// - Parameters:
  ///   - request: the source.
  ///   - followsRedirects: whether a redirecting answer is followed or is the answer.
  ///   - priority: higher goes first among pending downloads.
  /// - Throws: `DownloadError` where there is no answer at all.
  public func fetch(
    _ request: ImageRequest, followsRedirects: Bool = true, priority: Int = 0
  ) async throws(DownloadError) -> FetchedResponse {
    let key = key(request, wantsImage: false, followsRedirects: followsRedirects)
    return FetchedResponse(
      try await response(to: key, RequestReceipt(request), priority: priority), key.cacheMode)
  }

  /// As ``fetch(_:followsRedirects:priority:)``, for callers without a task: `completion` is called exactly once, on a thread of the downloader's.
  ///
  /// - Parameters:
  ///   - request: the source.
  ///   - followsRedirects: whether a redirecting answer is followed or is the answer.
  ///   - priority: higher goes first among pending downloads.
  ///   - completion: told the answer, or why there is none.
  /// - Returns: what cancels this call, and no other.
  @discardableResult
  public func fetch(
    _ request: ImageRequest, followsRedirects: Bool = true, priority: Int = 0,
    completion: @escaping @Sendable (Result<FetchedResponse, DownloadError>) -> Void
  ) -> RequestReceipt {
    let receipt = RequestReceipt(request)
    let key = key(request, wantsImage: false, followsRedirects: followsRedirects)
    start(key, receipt, priority: priority, progress: nil) { outcome in
      completion(outcome.map { FetchedResponse($0, key.cacheMode) })
    }
    return receipt
  }

  private func response(
    to key: RequestKey, _ receipt: RequestReceipt, priority: Int
  ) async throws(DownloadError) -> Response {
    let outcome: DownloadStateMachine.Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(key, receipt, priority: priority, progress: nil) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      cancel(receipt)
    }
    return try outcome.get()
  }

  private func key(
    _ request: ImageRequest, pinnedDigest: ContentDigest? = nil, wantsImage: Bool = true,
    followsRedirects: Bool = true
  ) -> RequestKey {
    RequestKey(
      source: request.source, headers: request.headers,
      cacheMode: request.cacheMode ?? configuration.cacheMode,
      pinnedDigest: pinnedDigest, wantsImage: wantsImage, followsRedirects: followsRedirects,
      credential: credential.withLock(\.self))
  }

  private func start(
    _ key: RequestKey, _ receipt: RequestReceipt, priority: Int, progress: (@Sendable (Int, Int?) -> Void)?,
    _ completion: @escaping @Sendable (DownloadStateMachine.Outcome) -> Void
  ) {
    let waiter = InFlightDownload.Waiter(receipt: receipt, completion: completion, progress: progress)
    send(.requested(key, priority: priority, waiter))
  }

  // MARK: Credentials

  /// Sets the credential of later requests, as AlamofireImage's function of this name does. Requests that were made
  /// before keep theirs, and aren't merged with later ones.
  ///
  /// It takes the place of ``Configuration/credential``: it is sent to each source's own origin, as Basic, or as Digest
  /// if the server asks for that, unless the URL, the origin's settings or a netrc file have one.
  /// - Parameters:
  ///   - user: the user's name.
  ///   - password: the password.
  public func addAuthentication(user: String, password: String) {
    addAuthentication(usingCredential: OriginSettings.Credential(user: user, password: password))
  }

  /// As ``addAuthentication(user:password:)``.
  public func addAuthentication(usingCredential credential: OriginSettings.Credential) {
    self.credential.withLock { $0 = credential }
  }

  // MARK: Cancelling

  /// Cancels one call: it is answered at once. If it was the only one that waited, a pending download is dropped, and an active one
  /// completes for the cache or is aborted, as the configuration says. Others that wait are not disturbed.
  public func cancel(_ receipt: RequestReceipt) {
    receipt.markCancelled()
    send(.cancelled(.receipt(receipt)))
  }

  /// Cancels all calls for a source.
  public func cancelRequests(for source: ImageSource) { send(.cancelled(.source(source))) }

  /// Cancels all calls of an owner.
  public func cancelRequests(of owner: String) { send(.cancelled(.owner(owner))) }

  /// Cancels every call.
  public func cancelAll() { send(.cancelled(.all)) }

  /// Drops every download that has not begun; those that are active end as they would.
  public func cancelPending() { send(.cancelled(.notStarted)) }

  /// Aborts everything, answers everybody, and waits until the transfer thread has ended. Calls after this are answered with a cancellation.
  public func shutDown() async {
    send(.shutDown)
    await work.finish()
    state.withLock(\.timer)?.cancel()
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    let last = engine.withLock { engine in
      defer { engine = .shutDown }
      return engine
    }
    if case .running(let engine) = last { await engine.shutDown() }
  }

  /// What it has done so far.
  public var totals: DownloadTotals {
    var totals = meter.totals
    totals.merged = state.withLock(\.machine.mergedCount)
    return totals
  }

  /// Whether new transfers are held back, because what has been downloaded isn't used up. Cached responses and what has begun go on.
  public var holdsNewTransfers: Bool {
    get { state.withLock(\.machine.holdsNewTransfers) }
    set { send(.held(newValue)) }
  }

  /// How many downloads have been looked up and wait for a slot.
  package var queuedCount: Int { state.withLock(\.machine.queuedCount) }

  /// How many downloads have not ended.
  package var activeCount: Int { state.withLock(\.machine.activeCount) }

  // MARK: The driver

  /// The machine, and what it has begun but as a value can't hold.
  private struct DriverState {
    var machine: DownloadStateMachine
    /// The tasks of transfers.
    var tasks: [Int: Task<Void, Never>] = [:]
    /// Sleeps until the machine's next time.
    var timer: Task<Void, Never>?
    /// The claims of downloads on their present request, which other processes wait for.
    var claims: [Int: RequestClaim] = [:]
  }

  /// The one way into the state machine.
  func send(_ event: DownloadStateMachine.Event) {
    let (actions, oldTimer) = state.withLock { state in
      let actions = state.machine.handle(event, now: Clock.monotonic)
      var oldTimer: Task<Void, Never>?
      // Tasks are made before the lock is given up. If they were made afterwards, a cancellation in between would find
      // none, and the transfer would run to its end; and a later time might take the place of an earlier one.
      for action in actions {
        switch action {
        case .transfer(let id, let request):
          state.tasks[id] = task(id) { await $0.transfer(id, request) }
        case .refuse(let id, let request): state.tasks[id] = task(id) { await $0.refuse(request) }
        case .wake(let time):
          oldTimer = state.timer
          state.timer = timer(until: time)
        default: break
        }
      }
      return (actions, oldTimer)
    }
    oldTimer?.cancel()
    for action in actions { perform(action) }
  }

  private func task(
    _ id: Int, _ body: @escaping @Sendable (ImageDownloader) async -> NextStep
  ) -> Task<Void, Never> {
    Task { send(.resolved(id, await body(self))) }
  }

  private func perform(_ action: DownloadStateMachine.Action) {
    switch action {
    case .lookUp(let id, let key): work.start { self.send(.lookupFinished(id, self.lookUp(key))) }
    case .transfer, .refuse, .wake: break
    case .cancelTransfer(let id): state.withLock { $0.tasks[id] }?.cancel()
    case .finished(let id):
      let claim = state.withLock { state in
        state.tasks[id] = nil
        return state.claims.removeValue(forKey: id)
      }
      claim?.release()
    case .answer(let completion, let outcome): completion(outcome)
    case .report(let event): report(event)
    }
  }

  /// Holds the downloader, which may have nobody else while its downloads wait for that time.
  private func timer(until time: Double) -> Task<Void, Never> {
    let wait = max(0, time - Clock.monotonic)
    return Task {
      do {
        try await Task.sleep(for: .seconds(wait))
      } catch {
        // An earlier time has taken its place, or the downloader was shut down.
        return
      }
      send(.timeReached(time))
    }
  }

  /// Whether a download's claim is on this URL. A claim on another, from before a redirect, is released.
  func keepsClaim(_ id: Int, of url: WebAddress) -> Bool {
    let (isKept, old) = state.withLock { state -> (Bool, RequestClaim?) in
      guard let claim = state.claims[id] else { return (false, nil) }
      return claim.url == url ? (true, nil) : (false, state.claims.removeValue(forKey: id))
    }
    old?.release()
    return isKept
  }

  /// Keeps a claim until the download ends or goes on elsewhere.
  func keep(_ claim: RequestClaim, for id: Int) { state.withLock { $0.claims[id] = claim } }

  /// The waiters of a download that want to hear of progress.
  func progressHandlers(of id: Int) -> [@Sendable (Int, Int?) -> Void] {
    state.withLock { $0.machine.progressHandlers(of: id) }
  }

  /// The transfer engine; nil after ``shutDown()``.
  func runningEngine() throws(CurlError) -> TransferEngine? {
    let result: Result<TransferEngine?, CurlError> = engine.withLock { engine in
      switch engine {
      case .running(let engine): return .success(engine)
      case .shutDown: return .success(nil)
      case .none:
        return Result { () throws(CurlError) -> TransferEngine? in
          let started = try TransferEngine(connectionLimit: configuration.connectionLimit)
          engine = .running(started)
          return started
        }
      }
    }
    return try result.get()
  }

  /// The transfer thread: started with the first transfer, and never again after its end.
  private enum EngineState {
    case none
    case running(TransferEngine)
    case shutDown
  }
}
