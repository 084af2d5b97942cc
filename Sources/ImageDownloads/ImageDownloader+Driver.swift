import Curl
import Synchronization
import SystemIO

extension ImageDownloader {
  /// The state machine, and the resources of its downloads that a pure value can't hold.
  struct DriverState {
    var machine: DownloadStateMachine
    /// The tasks of transfers, by download.
    var tasks: [Int: Task<Void, Never>] = [:]
    /// Sleeps until the machine's next wake time.
    var timer: Task<Void, Never>?
    /// The claims on requests in flight, by download. Other processes wait for them.
    var claims: [Int: RequestClaim] = [:]
    /// Whoever waits for the end of all downloads, by number. Each is resumed once, by the code that removes it from here.
    var idleWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastIdleWaiter = 0
  }

  /// Sends an event to the state machine and performs its actions.
  func send(_ event: DownloadStateMachine.Event) {
    let (actions, oldTimer, depth) = state.withLock { state in
      let actions = state.machine.handle(event, now: SystemTime.monotonic)
      var oldTimer: Task<Void, Never>?
      // Create tasks while the lock is held. Otherwise a cancellation in between would find no task, and the transfer
      // would run to its end; a later timer might also replace an earlier one.
      for action in actions {
        switch action {
        case .transfer(let id, let request):
          state.tasks[id] = Task(executorPreference: work) { [self] in
            send(.resolved(id, await transfer(id, request)))
          }
        case .refuse(let id, let request):
          state.tasks[id] = Task(executorPreference: work) { [self] in
            send(.resolved(id, .complete(lookup.refuse(request))))
          }
        case .wake(let time):
          oldTimer = state.timer
          state.timer = timer(until: time)
        default: break
        }
      }
      return (actions, oldTimer, (queued: state.machine.queuedCount, active: state.machine.activeCount))
    }
    oldTimer?.cancel()
    statistics.metrics.record(queued: depth.queued, active: depth.active)
    for action in actions { perform(action) }
    guard depth.active == 0 else { return }
    let waiters = state.withLock { state in
      defer { state.idleWaiters = [:] }
      return state.idleWaiters.values
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the validations of responses that were served stale (RFC 5861 §3), when all calls have completed: without
  /// this, a process that ends soon would serve the same stale response at each run. Cancelling the task ends the wait.
  /// - Parameter patience: The longest wait.
  package func finishValidations(within patience: Duration) async {
    let id = state.withLock { state in
      state.lastIdleWaiter += 1
      return state.lastIdleWaiter
    }
    let deadline = Task {
      // Cancelled: the wait has ended.
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      endWait(id)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard state.machine.activeCount > 0, !Task.isCancelled else { return false }
          state.idleWaiters[id] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      endWait(id)
    }
    deadline.cancel()
  }

  private func endWait(_ id: Int) {
    state.withLock { $0.idleWaiters.removeValue(forKey: id) }?.resume()
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
    case .report(let event):
      configuration.logger?.log(event)
      report(event)
    }
  }

  /// The task retains the downloader: its caller may release it while downloads wait.
  private func timer(until time: Double) -> Task<Void, Never> {
    let wait = max(0, time - SystemTime.monotonic)
    return Task {
      do {
        try await Task.sleep(for: .seconds(wait))
      } catch {
        // Replaced by an earlier timer, or shut down.
        return
      }
      send(.timeReached(time))
    }
  }

  /// Holds a claim until the download ends or gets another one, and releases the previous one.
  func keep(_ claim: RequestClaim?, for id: Int) {
    let old = state.withLock { state in
      let old = state.claims[id]
      state.claims[id] = claim
      return old
    }
    old?.release()
  }

  /// The transfer engine, started at first use.
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
