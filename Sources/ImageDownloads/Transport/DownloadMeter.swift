import Synchronization

/// What a downloader counts, and what it has learnt of hosts.
final class DownloadMeter: Sendable {
  private struct State {
    var totals = DownloadTotals()
    var budget = RetryBudget()
    var http2Failures: [String: Int] = [:]
    var digestOrigins: Set<String> = []
  }

  private let state = Mutex(State())

  var totals: DownloadTotals { state.withLock(\.totals) }

  func count(_ field: DownloadTotals.Counter) {
    state.withLock { $0.totals[field] += 1 }
  }

  /// Requests were sent.
  func add(requests: Int) {
    state.withLock { state in
      state.totals.requests += requests
      state.budget.earn()
    }
  }

  func add(bytes: Int) { state.withLock { $0.totals.bytes += bytes } }

  /// Takes a retry from the budget.
  func spendRetry() -> Bool { state.withLock { $0.budget.spend() } }

  /// A stream or connection of HTTP/2 broke; after the second time the host gets HTTP/1.1.
  func noteHTTP2Failure(_ host: String) { state.withLock { $0.http2Failures[host, default: 0] += 1 } }
  func hasBrokenHTTP2(_ host: String) -> Bool { state.withLock { $0.http2Failures[host, default: 0] >= 2 } }

  /// An origin asked for Digest.
  func noteDigest(_ origin: String) { state.withLock { _ = $0.digestOrigins.insert(origin) } }
  func wantsDigest(_ origin: String) -> Bool { state.withLock { $0.digestOrigins.contains(origin) } }
}
