import Dispatch
import Glibc
import Reports
import ImageCaches
import Synchronization

/// Handles SIGHUP, SIGINT and SIGTERM: the first signal asks for an orderly end, the second ends the process at once. SIGHUP
/// and SIGINT stay ignored if they were when the process started.
///
/// While there is no value of this type, the first signal ends the process at once (``endAtOnce()``).
final class Signals: Sendable {
  private struct State {
    var received: Int32?
    var action: (@Sendable () -> Void)?
    /// The store whose temporary files are removed before the process ends.
    var store: DiskStore?
  }

  private let state = Mutex(State())
  /// Kept alive, since releasing a source cancels it. Safe: written in `init` only, and never read.
  nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

  /// Takes the signals from now on: nothing that needs an orderly end may start before.
  init() {
    let queue = DispatchQueue(label: "imagemill.signals")
    for number in Self.numbers {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [weak self] in
        guard let self else { _exit(Signals.status(of: number)) }
        if !note(number) { endNow(number) }
      }
      source.resume()
      sources.append(source)
    }
    if let display = StandardError.display.withLock({ $0 }) { hideWhileStopped(display, queue) }
    Self.current.withLock { $0 = self }
  }

  /// The last value, which replaces the one before. It is kept, because the signals stay ignored: without a source they
  /// would have no effect.
  private static let current = Mutex<Signals?>(nil)

  /// SIGTERM, and those of SIGHUP and SIGINT that the process wasn't started with ignored: nohup(1) ignores SIGHUP, so that
  /// the process outlives its terminal, and a script's shell SIGINT for a command in the background.
  private static let numbers = [SIGHUP, SIGINT].filter { !isIgnored($0) } + [SIGTERM]

  /// Ends the process at the first signal, with the status that names it.
  static func endAtOnce() {
    for number in numbers { signal(number) { _exit(Signals.status(of: $0)) } }
  }

  /// From now on, the first signal ends the process at once, and only the temporary files of `store` are removed before.
  func endAtOnce(_ store: DiskStore) {
    state.withLock { $0.store = store }
    onFirst { [weak self] in self?.end(store) }
  }

  /// Ends the process after the second signal. Nothing may delay that for long: neither a file system that doesn't answer
  /// nor a terminal that is stopped.
  private func endNow(_ number: Int32) -> Never {
    DispatchQueue(label: "imagemill.end").asyncAfter(deadline: .now() + 1) { _exit(Self.status(of: number)) }
    state.withLock(\.store)?.removeTemporaries()
    StandardError.endDisplay()
    _exit(Self.status(of: number))
  }

  private func end(_ store: DiskStore) {
    store.removeTemporaries()
    _exit(exitStatus?.rawValue ?? ExitStatus.failed.rawValue)
  }

  /// How long a command may take to end in order after the first signal. Decoders and reads of standard input can't be
  /// interrupted, and no file has a name before it is complete.
  private static let patience = DispatchTimeInterval.milliseconds(700)

  /// Calls `action` on the first signal, and soon ends the process, unless it has ended.
  func endSoon(_ store: DiskStore, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.store = store }
    onFirst { [weak self] in
      action()
      guard let self else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { self.end(store) }
    }
  }

  /// Calls `action` on the first signal; at once if it has come already.
  func onFirst(_ action: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.action = action
      return state.received != nil
    }
    if isLate { action() }
  }

  /// On Ctrl-Z, hides the display before the shell takes the terminal; it comes back when the job continues. Without a
  /// shell's job control the kernel doesn't stop the process.
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

  /// Stops the process as SIGTSTP does by default; returns when the process continues.
  private static func stop() {
    var (only, before) = (sigset_t(), sigset_t())
    sigemptyset(&only)
    sigaddset(&only, SIGTSTP)
    signal(SIGTSTP, SIG_DFL)
    // Dispatch's threads block signals. Unblock SIGTSTP on this one, so that the process stops before `raise`
    // returns.
    pthread_sigmask(SIG_UNBLOCK, &only, &before)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    signal(SIGTSTP, SIG_IGN)
  }

  /// Whether any signal has been received.
  static var isEnding: Bool { current.withLock { $0?.exitStatus } != nil }

  /// The exit status for the signal received; nil if there was none.
  var exitStatus: ExitStatus? {
    state.withLock(\.received).flatMap { ExitStatus(rawValue: Self.status(of: $0)) }
  }

  /// Records the signal and calls the action; false if another one came before.
  private func note(_ signal: Int32) -> Bool {
    let (isFirst, action) = state.withLock { state in
      defer { state.received = state.received ?? signal }
      return (state.received == nil, state.received == nil ? state.action : nil)
    }
    action?()
    return isFirst
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // The type of a C function isn't equatable in Swift; SIG_IGN is the address 1.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func status(of signal: Int32) -> Int32 { 128 + signal }
}
