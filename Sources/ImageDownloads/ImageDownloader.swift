import Curl
public import ImageCaches
import Synchronization
import SystemIO

/// Downloads sources into a disk store: each once, however many wait for it, within limits.
///
///     let downloader = try ImageDownloader(configuration: .init(), store: store)
///     let source = try await downloader.download(ImageRequest(.url("https://example.org/a.jpg")))
///     … source.path, source.digest …
///     await downloader.shutDown()
///
/// It is the driver of ``DownloadStateMachine``: every call and every end of a piece of work is an event,
/// whose actions it performs. What AlamofireImage's type of this name promises of queueing, merging and
/// cancelling holds; what it promises of decoding and filtering is `ImageBatch`'s.
public final class ImageDownloader: Sendable {
  /// What it was made with.
  public let configuration: Configuration
  /// Where the bytes go.
  public let store: DiskStore

  let state: Mutex<DriverState>
  let work: BlockingThreadPool
  let statistics = DownloadStatistics()
  private let engine = Mutex<TransferEngine?>(nil)
  // The stages of a request.
  let lookup: CacheLookup
  let claims: RequestClaims
  let exchange: Exchange
  let classifier: ResponseClassifier
  let responses: ResponseStore
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
    work = BlockingThreadPool(label: "downloads.disk", threads: configuration.diskConcurrency)
    let validation = ResponseValidation(acceptableContentTypes: configuration.acceptableContentTypes)
    classifier = ResponseClassifier(
      validation: validation, redirectLimit: configuration.redirects,
      longestRetryWait: configuration.longestRetryWait)
    lookup = CacheLookup(
      configuration: configuration, store: store, salt: CredentialSalt(store: store), classifier: classifier,
      statistics: statistics)
    claims = RequestClaims(configuration: configuration, store: store)
    exchange = Exchange(
      configuration: configuration, store: store, validation: validation, statistics: statistics)
    responses = ResponseStore(store: store)
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

  /// As ``download(_:priority:pinnedDigest:)``, with a `completion` that is called once, on any thread.
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

  /// As ``fetch(_:followsRedirects:priority:)``, with a `completion` that is called once, on any thread.
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
    start(key, receipt, priority: priority) { outcome in
      completion(outcome.map { FetchedResponse($0, key.cacheMode) })
    }
    return receipt
  }

  private func response(
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
    _ key: RequestKey, _ receipt: RequestReceipt, priority: Int,
    progress: (@Sendable (Int, Int?) -> Void)? = nil,
    _ completion: @escaping @Sendable (DownloadStateMachine.Outcome) -> Void
  ) {
    let waiter = InFlightDownload.Waiter(receipt: receipt, completion: completion, progress: progress)
    send(.requested(key, priority: priority, waiter))
  }

  // MARK: Credentials

  /// Sets the credential of later requests, as AlamofireImage's function of this name does. Requests that
  /// were made before keep theirs, and aren't merged with later ones.
  ///
  /// It takes the place of ``Configuration/credential``: it is sent to each source's own origin, as Basic, or
  /// as Digest if the server asks for that, unless the URL, the origin's settings or a netrc file have one.
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

  /// Cancels one call: it is answered at once. If it was the only one that waited, a pending download is
  /// dropped, and an active one completes for the cache or is aborted, as the configuration says. Others go
  /// on waiting.
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

  /// Aborts everything, answers everybody, and waits for the transfer thread's end. Later calls are cancelled.
  public func shutDown() async {
    send(.shutDown)
    await work.finish()
    state.withLock(\.timer)?.cancel()
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    // No transfer begins after a shutdown, so none starts another engine.
    await engine.withLock(\.self)?.shutDown()
  }

  /// What it has done so far.
  public var totals: DownloadTotals {
    var totals = statistics.totals
    totals.merged = state.withLock(\.machine.mergedCount)
    return totals
  }

  /// Whether new transfers wait, until what has been downloaded is used up. Lookups and active ones go on.
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
  struct DriverState {
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
      let actions = state.machine.handle(event, now: SystemTime.monotonic)
      var oldTimer: Task<Void, Never>?
      // Tasks are made before the lock is given up. If they were made afterwards, a cancellation in between
      // would find none, and the transfer would run to its end; and a later time might take the place of an
      // earlier one.
      for action in actions {
        switch action {
        case .transfer(let id, let request):
          state.tasks[id] = Task { send(.resolved(id, await transfer(id, request))) }
        case .refuse(let id, let request):
          state.tasks[id] = Task {
            send(.resolved(id, await work.run { .complete(self.lookup.refuse(request)) }))
          }
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

  private func perform(_ action: DownloadStateMachine.Action) {
    switch action {
    case .lookUp(let id, let key): work.start { self.send(.lookupFinished(id, self.lookUp(key))) }
    case .transfer, .refuse, .wake: break
    case .cancelTransfer(let id): state.withLock { $0.tasks[id] }?.cancel()
    case .finished(let id):
      keep(nil, for: id)
      state.withLock { $0.tasks[id] = nil }
    case .answer(let completion, let outcome): completion(outcome)
    case .report(let event): report(event)
    }
  }

  /// The task keeps the downloader alive, which its caller may have released while downloads wait for that time.
  private func timer(until time: Double) -> Task<Void, Never> {
    let wait = max(0, time - SystemTime.monotonic)
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

  /// Keeps a claim until the download ends or gets another, and releases the one before it.
  func keep(_ claim: RequestClaim?, for id: Int) {
    let old = state.withLock { state in
      let old = state.claims[id]
      state.claims[id] = claim
      return old
    }
    old?.release()
  }

  /// The transfer engine, whose thread starts with the first transfer.
  func runningEngine() throws(CurlError) -> TransferEngine {
    let result: Result<TransferEngine, CurlError> = engine.withLock { engine in
      if let engine { return .success(engine) }
      let started = Result { () throws(CurlError) in
        try TransferEngine(connectionLimit: configuration.connectionLimit)
      }
      if case .success(let running) = started { engine = running }
      return started
    }
    return try result.get()
  }
}
