import Synchronization

/// An HTTP server that keeps what is put on it, as a remote cache does, and the faults that a test asks for.
public final class StorageServer: Sendable {
  private struct State {
    var objects: [String: [UInt8]] = [:]
    var fault: @Sendable (Request) -> Page? = { _ in nil }
  }

  /// The server behind it, which counts requests.
  public let server: LoopbackServer
  private let state: Shared

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  /// An empty store.
  public init() throws {
    let shared = Shared()
    state = shared
    server = try LoopbackServer { request in
      if let page = shared.state.withLock({ $0.fault })(request) { return page }
      return shared.state.withLock { state in
        guard request.method == "PUT" else {
          return state.objects[request.path].map { Page($0) } ?? .notFound
        }
        state.objects[request.path] = request.body
        return Page(status: 201, reason: "Created")
      }
    }
  }

  /// Answers requests with other pages from now on; nil for the usual answer.
  public func inject(_ fault: @escaping @Sendable (Request) -> Page?) {
    state.state.withLock { $0.fault = fault }
  }

  /// What is stored, by path.
  public var objects: [String: [UInt8]] {
    get { state.state.withLock(\.objects) }
    set { state.state.withLock { $0.objects = newValue } }
  }

  /// The number of requests with a method.
  public func count(_ method: String) -> Int { server.requests.count { $0.method == method } }

  /// Ends the server.
  public func stop() { server.stop() }
}
