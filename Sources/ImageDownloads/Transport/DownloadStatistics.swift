import Synchronization

/// The downloader's totals and its retry budget.
final class DownloadStatistics: Sendable {
  private struct State {
    var totals = DownloadTotals()
    var budget = RetryBudget()
  }

  private let state = Mutex(State())
  let metrics = DownloadMetrics()

  var totals: DownloadTotals { state.withLock(\.totals) }

  func count(_ field: WritableKeyPath<DownloadTotals, Int>) {
    metrics.count(field)
    state.withLock { $0.totals[keyPath: field] += 1 }
  }

  /// Counts sent requests and adds to the retry budget.
  func add(requests: Int) {
    metrics.count(requests: requests)
    state.withLock { state in
      state.totals.requests += requests
      state.budget.earn()
    }
  }

  func add(bytes: Int) {
    metrics.count(bytes: bytes)
    state.withLock { $0.totals.bytes += bytes }
  }

  /// Takes one retry from the budget.
  /// - Returns: Whether the budget had one.
  func spendRetry() -> Bool { state.withLock { $0.budget.spend() } }
}
