import Synchronization

/// What a downloader has done, and the retries that its requests have earned.
final class DownloadStatistics: Sendable {
  private struct State {
    var totals = DownloadTotals()
    var budget = RetryBudget()
  }

  private let state = Mutex(State())

  var totals: DownloadTotals { state.withLock(\.totals) }

  func count(_ field: WritableKeyPath<DownloadTotals, Int>) {
    state.withLock { $0.totals[keyPath: field] += 1 }
  }

  /// Counts requests that were sent.
  func add(requests: Int) {
    state.withLock { state in
      state.totals.requests += requests
      state.budget.earn()
    }
  }

  func add(bytes: Int) { state.withLock { $0.totals.bytes += bytes } }

  /// Takes a retry from the budget.
  /// - Returns: whether there was one.
  func spendRetry() -> Bool { state.withLock { $0.budget.spend() } }
}
