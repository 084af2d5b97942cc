import Dispatch
import Glibc
import Synchronization
import SystemIO

/// The thread that starts worker processes. It lives as long as the process: the kernel ends a worker when the thread that
/// started it ends (`PR_SET_PDEATHSIG`), and a thread of a pool may end earlier.
final class SpawningThread: Sendable {
  /// The process's thread, which is created at the first use.
  static let shared = Result { () throws(SystemError) in try SpawningThread() }

  /// A process to start, and the result.
  private final class Start: Sendable {
    let body: @Sendable () -> Result<pid_t, SystemError>
    let result = Mutex(Result<pid_t, SystemError>.failure(SystemError(code: ECANCELED)))
    let isDone = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Result<pid_t, SystemError>) { self.body = body }
  }

  private let starts = Mutex<[Start]>([])
  private let waiting = DispatchSemaphore(value: 0)

  private init() throws(SystemError) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<SpawningThread>.fromOpaque(context).takeRetainedValue().serve()
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw SystemError(code: status)
    }
    pthread_detach(thread)
  }

  /// Starts a process on the thread, and waits until it is started.
  /// - Parameter body: Starts the process and returns its ID.
  /// - Throws: The `SystemError` of `body`.
  func start(_ body: @escaping @Sendable () -> Result<pid_t, SystemError>) throws(SystemError) -> pid_t {
    let start = Start(body)
    starts.withLock { $0.append(start) }
    waiting.signal()
    start.isDone.wait()
    return try start.result.withLock { $0 }.get()
  }

  private func serve() -> Never {
    while true {
      waiting.wait()
      let start = starts.withLock { $0.removeFirst() }
      let result = start.body()
      start.result.withLock { $0 = result }
      start.isDone.signal()
    }
  }
}
