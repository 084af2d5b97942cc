extension DownloadStateMachine {
  mutating func cancel(_ scope: Scope) -> [Action] {
    switch scope {
    case .receipt(let receipt):
      return cancelWaiters(of: receipts[receipt].map { [$0] } ?? [], aborts: abortsOnCancel) { $0 == receipt }
    case .source(let source): return cancelWaiters(aborts: abortsOnCancel) { $0.request.source == source }
    case .owner(let owner): return cancelWaiters(aborts: abortsOnCancel) { $0.owner == owner }
    case .all: return cancelWaiters(aborts: abortsOnCancel)
    case .notStarted:
      return cancelWaiters(of: downloads.filter { !$0.value.hasStarted }.keys.sorted(), aborts: false)
    }
  }

  /// Cancels the matching waiters. A download that loses its last waiter is dropped; if its transfer has started, it is
  /// aborted or completes for the cache.
  private mutating func cancelWaiters(
    of ids: [Int]? = nil, aborts: Bool, where matches: (RequestReceipt) -> Bool = { _ in true }
  ) -> [Action] {
    var actions: [Action] = []
    for id in ids ?? downloads.keys.sorted() {
      guard let download = downloads[id] else { continue }
      let cancelled = download.waiters.filter { matches($0.receipt) }
      guard !cancelled.isEmpty else { continue }
      downloads[id]?.waiters.removeAll { matches($0.receipt) }
      for waiter in cancelled {
        receipts[waiter.receipt] = nil
        actions.append(.answer(waiter.completion, .failure(.cancelled(download.key.displayText))))
      }
      if cancelled.count == download.waiters.count { actions += abandon(id, aborts: aborts) }
    }
    return actions
  }

  private mutating func abandon(_ id: Int, aborts: Bool) -> [Action] {
    guard let download = downloads[id] else { return [] }
    switch download.state {
    case .transferring, .resolving:
      // An operation isn't worth completing for the cache.
      guard aborts || download.key.operation != nil, !download.isCancelled else { return [] }
      downloads[id]?.isCancelled = true
      ids[download.key] = nil
      return [.cancelTransfer(id)]
    case .pending, .lookingUp, .lookedUp, .queued, .waitingToRetry:
      // No transfer has started that could complete for the cache.
      return complete(id, .failure(.cancelled(download.key.displayText)))
    }
  }

  mutating func shutDown() -> [Action] {
    isShutDown = true
    let actions = cancelWaiters(aborts: true)
    // The remaining downloads have no waiters: they complete for the cache, or are cancelled already.
    return actions + downloads.keys.sorted().flatMap { abandon($0, aborts: true) }
  }
}
