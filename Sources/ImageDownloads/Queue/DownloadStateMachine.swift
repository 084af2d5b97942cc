import Collections

/// The downloader's state machine: it decides which requests share a download, when each is looked up, sent and
/// retried, and which calls complete. A pure value without clock, thread or socket.
///
/// ``handle(_:now:)`` is the only mutating entry point; it also starts whatever the event permits. A method for each
/// step was worse: all thirteen callers had to start the next work themselves.
///
/// | state | event | next state | actions |
/// | --- | --- | --- | --- |
/// | – | `requested` | `pending` | |
/// | – | `requested`, after `shutDown` or with a cancelled receipt | – | `answer` |
/// | any | `requested` with an equal key | the same; `queued` moves to a higher priority | |
/// | `pending` | a lookup slot is free | `lookingUp` | `lookUp` |
/// | `lookingUp` | `lookupFinished(.transfer)` | `lookedUp` | |
/// | `lookedUp` | every earlier request is looked up | `queued` | |
/// | `queued` | a slot is free | `transferring` | `transfer` |
/// | `queued` | the host is down | `resolving` | `refuse` |
/// | `transferring` | `transferFinished` | `resolving` | `report` if the host gets a pause |
/// | `lookingUp`, `transferring`, `resolving` | `lookupFinished` or `resolved` with `.complete` | – | `finished`, `answer` |
/// | the same | the same with `.completeAndValidate` | –, and `pending` for the validation | `finished`, `answer` |
/// | `transferring`, `resolving` | `resolved(.transfer)` | `queued` | |
/// | `transferring`, `resolving` | `resolved(.retry)` | `waitingToRetry` | `report` |
/// | `transferring`, `resolving` | `resolved`, without waiters or cancelled | – | `finished` |
/// | `waitingToRetry` | `timeReached` | `queued` | |
/// | `transferring`, `resolving` | `cancelled`, the last waiter | the same; cancelled with `abortsOnCancel` | `answer`; `cancelTransfer` with `abortsOnCancel` |
/// | any other | `cancelled`, the last waiter | – | `answer`, `finished` |
/// | `transferring`, `resolving` | `shutDown` | the same, cancelled | `answer`, `cancelTransfer` |
/// | any other | `shutDown` | – | `answer`, `finished` |
///
/// Any event may also cause `lookUp`, `transfer` and `refuse` for other downloads, and `wake`. An event that matches no
/// row, such as the end of a cancelled download's lookup, only gives its slot back.
struct DownloadStateMachine: Sendable {
  typealias Outcome = Result<Response, DownloadError>
  typealias Waiter = InFlightDownload.Waiter

  enum Event: Sendable {
    /// A call requests a source.
    case requested(RequestKey, priority: Int, Waiter)
    /// A `lookUp` has ended.
    case lookupFinished(Int, NextStep)
    /// The network part of a `transfer` has ended, and its slot is free. The signal is nil if the outcome doesn't
    /// concern the host.
    case transferFinished(Int, HostSignal?)
    /// A `transfer` or `refuse` has ended.
    case resolved(Int, NextStep)
    /// The time of a `wake` has come: a retry is due, or a host's pause or rate permits a start.
    case timeReached(Double)
    /// Calls are cancelled.
    case cancelled(Scope)
    /// New transfers are held back, or no longer. Lookups and active transfers go on.
    case held(Bool)
    case shutDown
  }

  enum Scope: Sendable {
    case receipt(RequestReceipt)
    case source(ImageSource)
    case owner(String)
    case all
    /// The calls whose download hasn't started its transfer.
    case notStarted
  }

  /// An action for the driver.
  enum Action: Sendable {
    /// Look the request up in the cache, or read the local source; ends with `lookupFinished`.
    case lookUp(Int, RequestKey)
    /// Send the request; ends with `transferFinished`, then `resolved`.
    case transfer(Int, RequestState)
    /// Use a stored response or fail, because the host is down; ends with `resolved`.
    case refuse(Int, RequestState)
    /// Stop the transfer, even if it hasn't begun; it still ends with `resolved`.
    case cancelTransfer(Int)
    /// Release the download's resources. Its number is never reused.
    case finished(Int)
    case answer(@Sendable (Outcome) -> Void, Outcome)
    case report(DownloadEvent)
    /// Send `timeReached` at this time.
    case wake(at: Double)
  }

  private struct Retry: Comparable, Sendable {
    let due: Double
    let id: Int

    static func < (left: Retry, right: Retry) -> Bool { (left.due, left.id) < (right.due, right.id) }
  }

  private let lookupLimit: Int
  let abortsOnCancel: Bool
  private var queue: DownloadQueue<Int>
  var downloads: [Int: InFlightDownload] = [:]
  var ids: [RequestKey: Int] = [:]
  var receipts: [RequestReceipt: Int] = [:]
  private var nextID = 1
  private var pending: Deque<Int> = []
  private var activeLookups: Set<Int> = []
  /// The downloads of URLs from the first unfinished lookup on, in the order of their requests. Slots are requested in
  /// this order, regardless of each lookup's duration. Local sources are excluded: standard input may never end.
  private var lookupOrder: Deque<Int> = []
  private var retries = Heap<Retry>()
  private var wakeTime = Double.infinity
  var isShutDown = false
  private(set) var holdsNewTransfers = false
  /// The number of calls that joined another call's download.
  private(set) var mergedCount = 0

  /// - Parameters:
  ///   - limits: The limits of the queue.
  ///   - lookupLimit: The maximum number of concurrent lookups.
  ///   - abortsOnCancel: Whether to abort a transfer without waiters; otherwise it completes for the cache.
  init(limits: DownloadQueue<Int>.Limits, lookupLimit: Int = 8, abortsOnCancel: Bool = false) {
    queue = DownloadQueue(limits: limits)
    self.lookupLimit = lookupLimit
    self.abortsOnCancel = abortsOnCancel
  }

  var queuedCount: Int { queue.pendingCount }
  var activeCount: Int { downloads.count }
  /// Whether every table is empty: no download, receipt, lookup or retry is left.
  var isEmpty: Bool {
    downloads.isEmpty && ids.isEmpty && receipts.isEmpty && activeLookups.isEmpty && pending.isEmpty
      && lookupOrder.isEmpty && retries.isEmpty && queue.pendingCount == 0 && queue.activeCount == 0
  }

  func progressHandlers(of id: Int) -> [@Sendable (Int, Int?) -> Void] {
    downloads[id]?.waiters.compactMap(\.progress) ?? []
  }

  // MARK: Events

  /// Processes an event.
  /// - Parameter now: The time of a monotonic clock, in seconds.
  /// - Returns: The actions to perform, in order.
  mutating func handle(_ event: Event, now: Double) -> [Action] {
    var now = now
    var actions: [Action] = []
    switch event {
    case .requested(let key, let priority, let waiter):
      actions = request(key, priority: priority, waiter)
    case .lookupFinished(let id, let step):
      guard activeLookups.remove(id) != nil else { break }
      if case .transfer(let state) = step, downloads[id] != nil {
        downloads[id]?.state = .lookedUp(state)
      } else {
        actions = advance(id, step, now: now)
      }
    case .transferFinished(let id, let signal):
      guard case .transferring(let url)? = downloads[id]?.state else { break }
      downloads[id]?.state = .resolving
      // The breaker counts the host's active attempts including this one, so note the signal before the release.
      if let signal, let time = queue.note(signal, of: url.origin, now: now) {
        actions.append(.report(.hostPaused(host: url.host, for: .seconds(time - now))))
      }
      queue.release(id)
    case .resolved(let id, let step):
      switch downloads[id]?.state {
      case .transferring, .resolving: actions = advance(id, step, now: now)
      default: break
      }
    case .timeReached(let time):
      // By this clock the timer may fire early. Without this, no later event would wake the machine.
      now = max(now, time)
    case .cancelled(let scope): actions = cancel(scope)
    case .held(let holds): holdsNewTransfers = holds
    case .shutDown: actions = shutDown()
    }
    return actions + start(now: now)
  }

  private mutating func request(_ key: RequestKey, priority: Int, _ waiter: Waiter) -> [Action] {
    // A cancellation may arrive before its request.
    guard !isShutDown, !waiter.receipt.isCancelled else {
      return [.answer(waiter.completion, .failure(.cancelled(key.displayText)))]
    }
    if let id = ids[key], downloads[id] != nil {
      join(waiter, id, priority: priority)
      return []
    }
    let id = nextID
    nextID += 1
    downloads[id] = InFlightDownload(key: key, priority: priority, waiters: [waiter])
    ids[key] = id
    receipts[waiter.receipt] = id
    pending.append(id)
    return []
  }

  private mutating func join(_ waiter: Waiter, _ id: Int, priority: Int) {
    var waiter = waiter
    waiter.joined = true
    // Append in place: a copy of the download would copy its waiters for every call.
    downloads[id]?.waiters.append(waiter)
    receipts[waiter.receipt] = id
    if !waiter.isBackground { mergedCount += 1 }
    guard let current = downloads[id]?.priority, priority > current else { return }
    downloads[id]?.priority = priority
    guard case .queued(let state)? = downloads[id]?.state, queue.remove(id) else { return }
    queue.add(id, host: state.url.origin, priority: priority)
  }

  /// Takes the next step after a lookup or a transfer.
  private mutating func advance(_ id: Int, _ step: NextStep, now: Double) -> [Action] {
    guard let download = downloads[id] else { return [] }
    queue.release(id)
    // A transfer without waiters gets no further request and no retry.
    let isWanted = !download.isCancelled && !download.waiters.isEmpty
    let cancellation = Outcome.failure(.cancelled(download.key.displayText))
    switch step {
    case .complete(let outcome): return complete(id, outcome)
    case .completeAndValidate(let response, let key):
      // Without a waiter, the validation would be dropped.
      var background = Waiter(receipt: RequestReceipt(ImageRequest(key.source)), completion: { _ in })
      background.isBackground = true
      return complete(id, .success(response)) + request(key, priority: -1, background)
    case .transfer(let state):
      guard isWanted else { return complete(id, cancellation) }
      enqueue(id, state)
      return []
    case .retry(let retry):
      var actions: [Action] = []
      let url = retry.state.url
      if let pause = retry.hostPause {
        queue.pause(url.origin, until: now + pause)
        actions.append(.report(.hostPaused(host: url.host, for: .seconds(pause))))
      }
      guard isWanted else { return actions + complete(id, cancellation) }
      downloads[id]?.state = .waitingToRetry(retry.state)
      retries.insert(Retry(due: now + retry.seconds, id: id))
      let source = download.key.displayText
      let event = DownloadEvent.retrying(source: source, after: .seconds(retry.seconds), error: retry.error)
      return [.report(event)] + actions
    }
  }

  private mutating func enqueue(_ id: Int, _ state: RequestState) {
    guard let priority = downloads[id]?.priority else { return }
    downloads[id]?.state = .queued(state)
    queue.add(id, host: state.url.origin, priority: priority)
  }

  /// Ends a download and completes its waiters.
  mutating func complete(_ id: Int, _ outcome: Outcome) -> [Action] {
    guard let download = downloads.removeValue(forKey: id) else { return [] }
    queue.release(id)
    queue.remove(id)
    if ids[download.key] == id { ids[download.key] = nil }
    // `finished` comes first: a completion may request the source again, and must find its resources released.
    return [.finished(id)]
      + download.waiters.map { waiter in
        receipts[waiter.receipt] = nil
        guard waiter.joined, case .success(var response) = outcome, response.disposition == .downloaded else {
          return .answer(waiter.completion, outcome)
        }
        response.disposition = .merged
        return .answer(waiter.completion, .success(response))
      }
  }

  // MARK: Starting

  /// Starts lookups, retries and transfers that may start now.
  private mutating func start(now: Double) -> [Action] {
    if now >= wakeTime { wakeTime = .infinity }
    var actions = startLookups()
    queueLookedUp()
    queueRetries(now: now)
    guard !isShutDown else { return actions }
    actions += startTransfers(now: now)
    let times = [queue.nextWake, retries.min?.due]
    if let time = times.compactMap(\.self).min(), time < wakeTime {
      wakeTime = time
      actions.append(.wake(at: time))
    }
    return actions
  }

  private mutating func startLookups() -> [Action] {
    var actions: [Action] = []
    while activeLookups.count < lookupLimit, let id = pending.popFirst() {
      guard let key = downloads[id]?.key else { continue }
      activeLookups.insert(id)
      downloads[id]?.state = .lookingUp
      if case .url = key.source { lookupOrder.append(id) }
      actions.append(.lookUp(id, key))
    }
    return actions
  }

  private mutating func queueLookedUp() {
    while let id = lookupOrder.first {
      switch downloads[id]?.state {
      case .lookingUp: return
      case .lookedUp(let state): enqueue(id, state)
      default: break
      }
      lookupOrder.removeFirst()
    }
  }

  private mutating func queueRetries(now: Double) {
    while let retry = retries.min {
      if case .waitingToRetry(let state)? = downloads[retry.id]?.state {
        guard retry.due <= now else { return }
        enqueue(retry.id, state)
      }
      retries.removeMin()
    }
  }

  private mutating func startTransfers(now: Double) -> [Action] {
    var actions: [Action] = []
    for id in queue.takeRefused(now: now) {
      guard case .queued(let state)? = downloads[id]?.state else { continue }
      downloads[id]?.state = .resolving
      downloads[id]?.hasStarted = true
      actions.append(.refuse(id, state))
    }
    // Operations aren't held back.
    let least = holdsNewTransfers ? ObjectOperation.priority : Int.min
    for id in queue.takeReady(now: now, priority: least) {
      guard case .queued(let state)? = downloads[id]?.state else { continue }
      downloads[id]?.state = .transferring(state.url)
      downloads[id]?.hasStarted = true
      actions.append(.transfer(id, state))
    }
    return actions
  }
}
