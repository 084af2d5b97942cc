import Dispatch
import Glibc
import Synchronization

/// A thread that runs calls one after the other, in the order in which they are queued.
///
/// A serial queue of Dispatch runs each call on any idle thread, and creates one if there is none at that moment: a process
/// that queues hundreds of thousands of calls collects threads.
///
/// The thread ends after the queued calls when the last reference to it is released.
package final class SerialThread: Sendable {
  /// The queued calls; nil ends the thread.
  private final class Calls: Sendable {
    private let waiting = Mutex<[(@Sendable () -> Void)?]>([])
    private let count = DispatchSemaphore(value: 0)

    func append(_ body: (@Sendable () -> Void)?) {
      waiting.withLock { $0.append(body) }
      count.signal()
    }

    /// Runs calls until the end.
    func run() {
      while let body = next() { body() }
    }

    private func next() -> (@Sendable () -> Void)? {
      count.wait()
      return waiting.withLock { $0.removeFirst() }
    }
  }

  private let calls = Calls()

  /// Starts the thread.
  /// - Throws: The `SystemError` of pthread_create(3), `EAGAIN` at a limit of threads.
  package init() throws(SystemError) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(calls)
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        SerialThread.blockSignals()
        Unmanaged<Calls>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw SystemError(code: status)
    }
    pthread_detach(thread)
  }

  /// Leaves signals to the threads that wait for them, as Dispatch's threads do. Those of a fault are the thread's own.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for own in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS] { sigdelset(&signals, own) }
    pthread_sigmask(SIG_SETMASK, &signals, nil)
  }

  deinit { calls.append(nil) }

  /// Queues `body` and returns.
  package func start(_ body: @escaping @Sendable () -> Void) { calls.append(body) }
}
