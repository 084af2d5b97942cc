import Synchronization

/// The known capabilities of hosts: whose HTTP/2 is broken, and which require Digest.
final class HostCapabilities: Sendable {
  private struct State {
    var http2Failures: [String: Int] = [:]
    var digestOrigins: Set<String> = []
  }

  private let state = Mutex(State())

  /// Counts a broken HTTP/2 stream or connection. After the second one, the host gets HTTP/1.1.
  func noteHTTP2Failure(_ host: String) { state.withLock { $0.http2Failures[host, default: 0] += 1 } }
  func hasBrokenHTTP2(_ host: String) -> Bool { state.withLock { $0.http2Failures[host, default: 0] >= 2 } }

  func noteDigest(_ origin: String) { state.withLock { _ = $0.digestOrigins.insert(origin) } }
  func wantsDigest(_ origin: String) -> Bool { state.withLock { $0.digestOrigins.contains(origin) } }
}
