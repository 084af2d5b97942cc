import Dispatch
import Glibc
import Synchronization
import SystemIO
import Testing

@Suite("A thread for calls in order", .timeLimit(.minutes(2)))
struct SerialThreadTests {
  /// The entry in `/proc` of the thread, which is there until the thread has ended.
  private func place(of thread: SerialThread) async -> String {
    await withCheckedContinuation { continuation in
      thread.start { continuation.resume(returning: RealPath.of("/proc/thread-self") ?? "") }
    }
  }

  private func awaitEnd(of place: String) async throws {
    while access(place, F_OK) == 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("runs all calls in the order in which they are queued, on one thread")
  func order() async throws {
    let thread = try SerialThread()
    let seen = Mutex<[Int]>([])
    let threads = Mutex<Set<UInt>>([])
    let count = 2_000
    await withCheckedContinuation { continuation in
      for number in 0..<count {
        thread.start {
          seen.withLock { $0.append(number) }
          threads.withLock { _ = $0.insert(UInt(pthread_self())) }
          if number == count - 1 { continuation.resume() }
        }
      }
    }
    #expect(seen.withLock(\.self) == Array(0..<count))
    #expect(threads.withLock(\.count) == 1)
  }

  @Test("calls that are queued before the last reference is released still run, and then the thread ends")
  func end() async throws {
    let gate = DispatchSemaphore(value: 0)
    let ran = Atomic<Int>(0)
    let place: String
    do {
      let thread = try SerialThread()
      place = await self.place(of: thread)
      thread.start { gate.wait() }
      for _ in 0..<10 { thread.start { ran.add(1, ordering: .relaxed) } }
    }
    #expect(access(place, F_OK) == 0)
    gate.signal()
    try await awaitEnd(of: place)
    #expect(ran.load(ordering: .relaxed) == 10)
  }

  @Test("the last reference may be released on the thread itself")
  func releasedByItself() async throws {
    let holder = Mutex<SerialThread?>(nil)
    let place: String
    do {
      let thread = try SerialThread()
      place = await self.place(of: thread)
      holder.withLock { $0 = thread }
    }
    await withCheckedContinuation { continuation in
      holder.withLock(\.self)?.start {
        holder.withLock { $0 = nil }
        continuation.resume()
      }
    }
    try await awaitEnd(of: place)
  }

  @Test("leaves signals to other threads")
  func signals() async throws {
    let thread = try SerialThread()
    let blocked = await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
      thread.start {
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        continuation.resume(
          returning: [SIGINT, SIGTERM, SIGHUP, SIGSEGV].map { sigismember(&mask, $0) == 1 })
      }
    }
    #expect(blocked == [true, true, true, false])
  }
}
