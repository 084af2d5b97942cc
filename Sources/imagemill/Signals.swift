import Dispatch
import Glibc
import Reports
import Synchronization

/// SIGINT and SIGTERM: the first asks for an orderly end, the second ends the process at once.
final class Signals: Sendable {
  private let received = Mutex<Int32?>(nil)
  /// Kept, since a source that nobody holds is cancelled. Unsafe only in name: set before anyone else has this
  /// object, and never used afterwards.
  nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

  /// Calls `onFirst` when the first of them comes.
  init(onFirst: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "imagemill.signals")
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [weak self] in
        guard let self, note(number) else {
          StandardError.endDisplay()
          _exit(Signals.status(of: number))
        }
        onFirst()
      }
      source.resume()
      sources.append(source)
    }
    if let display = StandardError.display.withLock({ $0 }) { hideWhileStopped(display, queue) }
  }

  /// Ctrl-Z: the display leaves the terminal to the shell, and comes back when the job goes on. Where nobody could
  /// make it go on (no shell controls jobs), the kernel doesn't stop it.
  private func hideWhileStopped(_ display: ProgressDisplay, _ queue: DispatchQueue) {
    signal(SIGTSTP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: queue)
    source.setEventHandler {
      display.hide()
      Self.stop()
    }
    source.resume()
    sources.append(source)
  }

  /// Does what SIGTSTP does by default; returns when the process goes on.
  private static func stop() {
    var (only, before) = (sigset_t(), sigset_t())
    sigemptyset(&only)
    sigaddset(&only, SIGTSTP)
    signal(SIGTSTP, SIG_DFL)
    // Dispatch's threads take no signals; this one must, so that it has stopped when the call returns.
    pthread_sigmask(SIG_UNBLOCK, &only, &before)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    signal(SIGTSTP, SIG_IGN)
  }

  /// The exit status that the signal calls for, if one came.
  var exitStatus: ExitStatus? {
    received.withLock { $0 }.flatMap { ExitStatus(rawValue: Self.status(of: $0)) }
  }

  /// Whether it is the first.
  private func note(_ signal: Int32) -> Bool {
    received.withLock { received in
      defer { received = received ?? signal }
      return received == nil
    }
  }

  private static func status(of signal: Int32) -> Int32 { 128 + signal }
}
