import Glibc
import Synchronization

/// A programmable HTTP/1.1 server on 127.0.0.1 for tests: a thread for each connection, every request counted.
///
///     let server = try LoopbackServer(pages: ["/a.png": Page(bytes, type: "image/png")])
///     defer { server.stop() }
///     … server.url("/a.png") …
///     #expect(server.count(of: "/a.png") == 1)
public final class LoopbackServer: Sendable {
  /// Answers a request; called on the connection's thread, so it may block on a ``Gate``.
  public typealias Handler = @Sendable (Request) -> Page

  private struct State {
    var requests: [Request] = []
    var active: [String: Int] = [:]
    var activeTotal = 0
    var peak = 0
    var connections: Set<Int32> = []
    var connectionCount = 0
    var isStopped = false
  }

  /// The port that the system chose.
  public let port: UInt16
  private let listener: Int32
  private let handler: Handler
  private let state = Mutex(State())

  /// A server whose answers `handler` makes.
  public init(handler: @escaping Handler) throws {
    self.handler = handler
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = self.listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 1024) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else {
      close(listener)
      throw ServerError(message: "can't listen on 127.0.0.1: \(String(cString: strerror(errno)))")
    }
    port = UInt16(bigEndian: address.sin_port)
    let isRunning = detachThread { [weak self] in
      // Closed here and nowhere else: another socket could get the number while this thread is on its way to accept(2).
      defer { close(listener) }
      while true {
        let connection = acceptPrivately(listener)
        guard connection >= 0 else {
          if errno == EINTR || errno == ECONNABORTED { continue }
          return
        }
        guard let self, self.admit(connection) else {
          close(connection)
          return
        }
        if !detachThread({ self.serve(connection) }) { self.end(connection) }
      }
    }
    guard isRunning else {
      close(listener)
      throw ServerError(message: "can't start a thread: \(String(cString: strerror(errno)))")
    }
  }

  /// A server of fixed pages by path (without query); any other path is a 404 with an HTML body.
  public convenience init(pages: [String: Page]) throws {
    try self.init { request in pages[request.path] ?? .notFound }
  }

  deinit { stop() }

  /// Closes the listener and every connection. What is in flight breaks off.
  public func stop() {
    // The threads that own the descriptors close them; until then a shutdown makes their calls end. With the lock, since
    // the number of a closed descriptor may be another test's.
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
      shutdown(listener, Int32(SHUT_RDWR))
    }
  }

  // MARK: What a test asks

  /// `http://127.0.0.1:PORT` and the path.
  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Every request so far, in order of arrival.
  public var requests: [Request] { state.withLock(\.requests) }

  /// How many requests named this path, whatever the query.
  public func count(of path: String) -> Int {
    state.withLock { $0.requests.count { $0.path == path } }
  }

  /// The most requests that were being answered at one time.
  public var peakConcurrency: Int { state.withLock(\.peak) }

  /// How many connections were accepted.
  public var connectionCount: Int { state.withLock(\.connectionCount) }

  // MARK: Serving

  private func admit(_ connection: Int32) -> Bool {
    state.withLock { state in
      guard !state.isStopped else { return false }
      state.connections.insert(connection)
      state.connectionCount += 1
      return true
    }
  }

  private func serve(_ descriptor: Int32) {
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var connection = Connection(descriptor: descriptor)
    while let request = connection.readRequest() {
      state.withLock { state in
        state.requests.append(request)
        state.activeTotal += 1
        state.peak = max(state.peak, state.activeTotal)
      }
      let page = handler(request)
      // Counted down before the last byte is out, so that the client can't be back before the count is.
      let goesOn = connection.send(page, to: request) { self.state.withLock { $0.activeTotal -= 1 } }
      guard goesOn else { break }
    }
    end(descriptor)
  }

  private func end(_ descriptor: Int32) {
    state.withLock { state in
      state.connections.remove(descriptor)
      close(descriptor)
    }
  }
}

/// Why the server can't be started.
public struct ServerError: Error {
  /// In words.
  public let message: String
}

private typealias AcceptFunction =
  @convention(c) (Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int32) -> Int32

/// accept4(2), which Swift's Glibc module lacks. With accept(2), a child that another test starts at the same time would
/// keep the connection open.
private let accept4 = dlsym(nil, "accept4").map { unsafeBitCast($0, to: AcceptFunction.self) }

/// The next connection, which no child process inherits; negative if there is none.
private func acceptPrivately(_ listener: Int32) -> Int32 {
  if let accept4 { return accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue)) }
  errno = ENOSYS
  return -1
}

/// Runs `body` on a detached thread of its own.
/// - Returns: whether the thread was started.
private func detachThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(&attributes, 512 * 1024)
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Body(body))
  let status = pthread_create(
    &thread, &attributes,
    { context in
      guard let context else { return nil }
      Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
      return nil
    }, context.toOpaque())
  if status != 0 { context.release() }
  pthread_attr_destroy(&attributes)
  return status == 0
}
