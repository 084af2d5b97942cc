import Glibc
import Synchronization
import SystemIO

/// A thread for a call that blocks, which can be interrupted by signals.
final class OwnThread<Value: Sendable>: Sendable {
  private struct State {
    var thread: (handle: pthread_t, place: String)?
    var result: Result<Value, SystemError>?
    var waiter: CheckedContinuation<Result<Value, SystemError>, Never>?
  }

  private let state: Mutex<State>

  /// Runs `body` at once.
  init(_ body: @escaping @Sendable () throws(SystemError) -> Value) {
    state = Mutex(State())
    Interruption.prepare()
    // Holds this object until the thread has ended.
    let start = Unmanaged.passRetained(Start { self.run(body) })
    var handle = pthread_t()
    pthread_create(
      &handle, nil,
      { argument in
        if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, start.toOpaque())
    pthread_detach(handle)
  }

  private func run(_ body: () throws(SystemError) -> Value) {
    // Threads that Dispatch makes block every signal, and those made by them inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    let place = RealPath.of("/proc/thread-self") ?? ""
    state.withLock { $0.thread = (pthread_self(), place) }
    let result: Result<Value, SystemError>
    do throws(SystemError) { result = .success(try body()) } catch { result = .failure(error) }
    let waiter = state.withLock { state in
      state.result = result
      return state.waiter
    }
    waiter?.resume(returning: result)
  }

  /// Waits until the thread sleeps in a call, sends it a signal, and waits until that has been handled; so many times.
  func interrupt(times: Int) {
    for _ in 0..<times {
      while true {
        guard state.withLock({ $0.result == nil }) else { return }
        if let thread = state.withLock({ $0.thread }), Self.sleeps(thread.place) {
          let before = Interruption.count
          pthread_kill(thread.handle, SIGUSR1)
          while Interruption.count == before { sched_yield() }
          break
        }
        sched_yield()
      }
    }
  }

  /// Whether the kernel says so (proc_pid_stat(5)).
  private static func sleeps(_ place: String) -> Bool {
    guard let stat = try? File.contents(of: place + "/stat") else { return false }
    return String(decoding: stat, as: UTF8.self).split(separator: ") ").last?.first == "S"
  }

  /// Its result.
  func value() async throws(SystemError) -> Value {
    let result: Result<Value, SystemError> = await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiter = continuation }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
    return try result.get()
  }
}

/// What a thread begins with.
private final class Start: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// A handler of `SIGUSR1` that does nothing but count, without `SA_RESTART`: a call that it interrupts fails with
/// `EINTR`.
private enum Interruption {
  private static let total = Atomic<Int>(0)

  static func prepare() {
    // Made now: the handler must find it made.
    _ = count
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      Interruption.total.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
    sigaction(SIGUSR1, &action, nil)
  }

  static var count: Int { total.load(ordering: .sequentiallyConsistent) }
}
