import Dispatch
import Glibc
import Synchronization
import SystemIO

/// The thread that starts worker processes. It lives as long as the process: the kernel ends a worker when the thread that
/// started it ends (`PR_SET_PDEATHSIG`), and a thread of a pool may end earlier.
final class SpawningThread: Sendable {
  /// The process's thread, which is created at the first use.
  static let shared = Result { () throws(SystemError) in SpawningThread(try SerialThread()) }

  private let thread: SerialThread

  private init(_ thread: SerialThread) { self.thread = thread }

  /// Starts a process on the thread, and waits until it is started.
  /// - Parameter body: Starts the process and returns its ID.
  /// - Throws: The `SystemError` of `body`.
  func start(_ body: @escaping @Sendable () -> Result<pid_t, SystemError>) throws(SystemError) -> pid_t {
    let start = Start()
    thread.start {
      let result = body()
      start.result.withLock { $0 = result }
      start.isDone.signal()
    }
    start.isDone.wait()
    return try start.result.withLock { $0 }.get()
  }

  /// The result of a call.
  private final class Start: Sendable {
    let result = Mutex(Result<pid_t, SystemError>.failure(SystemError(code: ECANCELED)))
    let isDone = DispatchSemaphore(value: 0)
  }
}
