import Glibc
import Synchronization

/// Holds threads back until a test opens it: the place of a sleep.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var waiting = 0
  }

  private let state = Mutex(State())
  private let semaphore = Semaphore()

  /// A closed gate.
  public init() {}

  /// Lets everybody through, now and later.
  public func open() {
    let (waiters, blocked) = state.withLock { state in
      defer { state.waiters = [] }
      state.isOpen = true
      return (state.waiters, state.waiting)
    }
    for waiter in waiters { waiter.resume() }
    for _ in 0..<blocked { semaphore.signal() }
  }

  /// Blocks the calling thread until the gate is open, at most for four minutes.
  /// - Returns: whether it opened.
  @discardableResult
  public func wait() -> Bool {
    let mustWait = state.withLock { state in
      guard !state.isOpen else { return false }
      state.waiting += 1
      return true
    }
    return mustWait ? semaphore.wait(seconds: 240) : true
  }

  /// Suspends the calling task until the gate is open.
  public func passed() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// How many threads and tasks have come to the closed gate.
  public var arrivals: Int { state.withLock { $0.waiting + $0.waiters.count } }
}

/// A POSIX semaphore.
///
/// `@unchecked Sendable`: `sem_t` is made to be used by several threads, and its storage lives as long as this object.
private final class Semaphore: @unchecked Sendable {
  private let storage = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(storage, 0, 0) }

  deinit {
    sem_destroy(storage)
    storage.deallocate()
  }

  func signal() { sem_post(storage) }

  func wait(seconds: Int) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += seconds
    while sem_timedwait(storage, &deadline) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}
