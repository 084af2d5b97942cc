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
/// What AlamofireImage's type of this name promises of queueing, merging and cancelling holds; what it promises of decoding and filtering is `ImageBatch`'s.
public final class ImageDownloader: Sendable {
  /// What it was made with.
  public let configuration: Configuration
  /// Where the bytes go.
  public let store: DiskStore

  let board: Mutex<FlightBoard>
  let meter = DownloadMeter()
  let work: BlockingWork
  let transport: Transport
  private let engine = Mutex(EngineState.none)
  private let report: @Sendable (DownloadEvent) -> Void
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
    limits.patience = configuration.hostPatience
    limits.byHost = configuration.origins.compactMapValues(\.activeDownloads)
    limits.rateByHost = configuration.origins.compactMapValues(\.rate)
    board = Mutex(FlightBoard(limits: limits))
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
    let order = order(request, pinnedDigest: pinnedDigest)
    return try await answer(to: order, RequestReceipt(request), priority: priority)
      .source(displayText: order.displayText)
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
    let order = order(request, pinnedDigest: pinnedDigest)
    start(order, receipt, priority: priority, progress: progress) { outcome in
      completion(outcome.map { $0.source(displayText: order.displayText) })
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
    let order = order(request, wantsImage: false, followsRedirects: followsRedirects)
    return FetchedResponse(
      try await answer(to: order, RequestReceipt(request), priority: priority), order.cacheMode)
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
    let order = order(request, wantsImage: false, followsRedirects: followsRedirects)
    start(order, receipt, priority: priority, progress: nil) { outcome in
      completion(outcome.map { FetchedResponse($0, order.cacheMode) })
    }
    return receipt
  }

  private func answer(
    to order: FlightOrder, _ receipt: RequestReceipt, priority: Int
  ) async throws(DownloadError) -> Answer {
    let outcome: Result<Answer, DownloadError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(order, receipt, priority: priority, progress: nil) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      cancel(receipt, of: order)
    }
    return try outcome.get()
  }

  private func order(
    _ request: ImageRequest, pinnedDigest: ContentDigest? = nil, wantsImage: Bool = true,
    followsRedirects: Bool = true
  ) -> FlightOrder {
    FlightOrder(
      source: request.source, headers: request.headers,
      cacheMode: request.cacheMode ?? configuration.cacheMode,
      pinnedDigest: pinnedDigest, wantsImage: wantsImage, followsRedirects: followsRedirects,
      credential: credential.withLock(\.self))
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

  private func start(
    _ order: FlightOrder, _ receipt: RequestReceipt, priority: Int,
    progress: (@Sendable (Int, Int?) -> Void)?,
    _ completion: @escaping FlightBoard.Completion
  ) {
    let actions: [FlightBoard.Action] = board.withLock { board in
      guard !receipt.isCancelled, !board.isShutDown else {
        return [.answer(completion, .failure(.cancelled(order.displayText)))]
      }
      let (joined, actions) = board.add(order, priority: priority) { joined in
        FlightBoard.Waiter(receipt: receipt, completion: completion, progress: progress, joined: joined)
      }
      if joined { meter.count(.merged) }
      return actions + board.begin(now: Clock.monotonic)
    }
    perform(actions)
  }

  // MARK: Cancelling

  /// Cancels one call: it is answered at once. If it was the only one that waited, a pending download is dropped, and an active one
  /// completes for the cache or is aborted, as the configuration says. Others that wait are not disturbed.
  public func cancel(_ receipt: RequestReceipt) {
    receipt.markCancelled()
    cancel { $0 === receipt }
  }

  /// Cancels all calls for a source.
  public func cancelRequests(for source: ImageSource) {
    cancel { $0.request.source == source }
  }

  /// Cancels all calls of an owner.
  public func cancelRequests(of owner: String) {
    cancel { $0.owner == owner }
  }

  /// Cancels every call.
  public func cancelAll() {
    cancel { _ in true }
  }

  /// Drops every download that has not begun; those that are active end as they would.
  public func cancelPending() {
    perform(board.withLock { $0.cancelPending() + $0.begin(now: Clock.monotonic) })
  }

  private func cancel(where matches: (RequestReceipt) -> Bool) {
    perform(
      board.withLock { board in
        board.cancel(abortsActive: configuration.abortsOnCancel, where: matches)
          + board.begin(now: Clock.monotonic)
      })
  }

  private func cancel(_ receipt: RequestReceipt, of order: FlightOrder) {
    receipt.markCancelled()
    perform(
      board.withLock { board in
        board.cancel(receipt, of: order, abortsActive: configuration.abortsOnCancel)
          + board.begin(now: Clock.monotonic)
      })
  }

  /// Aborts everything, answers everybody, and waits until the transfer thread has ended. Calls after this are answered with a cancellation.
  public func shutDown() async {
    perform(board.withLock { $0.shutDown() })
    await work.finish()
    while let task = board.withLock({ $0.flights.values.lazy.compactMap(\.task).first }) { await task.value }
    let last = engine.withLock { engine in
      defer { engine = .shutDown }
      return engine
    }
    if case .running(let engine) = last { await engine.shutDown() }
  }

  /// What it has done so far.
  public var totals: DownloadTotals { meter.totals }

  /// Whether new transfers are held back, because what has been downloaded isn't used up. Cached answers and what has begun go on.
  public var holdsNewTransfers: Bool {
    get { board.withLock(\.holdsNewTransfers) }
    set {
      perform(
        board.withLock { board in
          board.holdsNewTransfers = newValue
          return board.begin(now: Clock.monotonic)
        })
    }
  }

  /// How many downloads have been looked up and wait for a slot.
  package var queuedCount: Int { board.withLock(\.queuedCount) }

  /// How many flights have not landed.
  package var activeCount: Int { board.withLock { $0.flights.count } }

  // MARK: Flights

  func perform(_ actions: [FlightBoard.Action]) {
    for action in actions {
      switch action {
      case .lookUp(let number): work.start { self.lookUp(number) }
      case .transfer(let number, let journey): launch(number) { await self.travel(number, journey) }
      case .refuse(let number, let journey): work.start { self.refuse(number, journey) }
      case .resume(let continuation, let slot): continuation.resume(returning: slot)
      case .answer(let completion, let outcome): completion(outcome)
      case .cancel(let task): task.cancel()
      case .wake(let time): wake(at: time)
      }
    }
  }

  /// Runs a flight's task, so that whoever cancels the flight finds it.
  private func launch(_ number: Int, _ body: @escaping @Sendable () async -> Void) {
    let task = Task { await body() }
    board.withLock { $0.attach(task, to: number) }
  }

  /// Looks again when a host's pause or rate allows a start.
  private func wake(at time: Double) {
    let wait = max(0, time - Clock.monotonic)
    Task { [weak self] in
      // Cancelled by nobody: it only sleeps.
      try? await Task.sleep(for: .seconds(wait))
      guard let self else { return }
      self.perform(self.board.withLock { $0.begin(now: Clock.monotonic) })
    }
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

  func send(_ event: DownloadEvent) { report(event) }
}
