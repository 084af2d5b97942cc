import Dispatch
import Glibc
import Synchronization
import SystemIO
import TestSupport
import Testing

@Suite("The pool of blocking threads", .timeLimit(.minutes(8)))
struct BlockingThreadPoolTests {
  private final class Counter: Sendable {
    private let number = Atomic<Int>(0)
    var value: Int { number.load(ordering: .relaxed) }

    func add() { number.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Holds up the calls that pass it until it is opened; counts them.
  private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Mutex((inside: 0, most: 0))
    private let arrivals = AsyncStream.makeStream(of: Void.self)

    var inside: Int { state.withLock { $0.inside } }
    var most: Int { state.withLock { $0.most } }

    func pass() {
      state.withLock { state in
        state.inside += 1
        state.most = max(state.most, state.inside)
      }
      arrivals.continuation.yield()
      semaphore.wait()
      state.withLock { $0.inside -= 1 }
    }

    func open(for count: Int) { for _ in 0..<count { semaphore.signal() } }

    /// Returns when so many calls have arrived since the last time.
    func arrived(_ count: Int) async {
      var left = count
      guard left > 0 else { return }
      for await _ in arrivals.stream {
        left -= 1
        if left == 0 { return }
      }
    }
  }

  @Test("no more calls run at once than there are threads, and none is lost", arguments: [1, 2, 4])
  func bounded(threads: Int) async {
    let pool = BlockingThreadPool(label: "test", threads: threads)
    let gate = Gate()
    let ended = Counter()
    for _ in 0..<50 {
      pool.start {
        gate.pass()
        ended.add()
      }
    }
    await gate.arrived(threads)
    #expect(gate.inside == threads)
    gate.open(for: 50)
    await pool.finish()
    #expect(ended.value == 50 && gate.most == threads)
  }

  @Test("a pool has one thread at least")
  func oneThread() async {
    let pool = BlockingThreadPool(label: "test", threads: 0)
    #expect(pool.threads == 1)
    #expect(await pool.run { 7 } == 7)
  }

  @Test("calls begin in the order in which they are started")
  func order() async {
    let pool = BlockingThreadPool(label: "test", threads: 1)
    let order = Mutex<[Int]>([])
    for number in 0..<1000 { pool.start { order.withLock { $0.append(number) } } }
    await pool.finish()
    #expect(order.withLock { $0 } == Array(0..<1000))
  }

  @Test("one slow call holds up no other while a thread is free")
  func slowCall() async {
    let pool = BlockingThreadPool(label: "test", threads: 2)
    let gate = Gate()
    pool.start { gate.pass() }
    await gate.arrived(1)
    // In queues that take turns, every second of these would wait for the slow one.
    for number in 0..<20 { #expect(await pool.run { number } == number) }
    #expect(gate.inside == 1)
    gate.open(for: 1)
    await pool.finish()
  }

  @Test("what is cancelled before it begins never begins, and its caller needn't wait for the queue")
  func cancelledBeforeStart() async {
    let pool = BlockingThreadPool(label: "test", threads: 1)
    let gate = Gate()
    let begun = Counter()
    pool.start { gate.pass() }
    await gate.arrived(1)
    let waiting = Task {
      try await pool.runUnlessCancelled { begun.add() }
    }
    waiting.cancel()
    // It returns although the only thread is held up.
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.open(for: 1)
    await pool.finish()
    #expect(begun.value == 0)
  }

  @Test("a task that is cancelled already begins nothing")
  func cancelledAlready() async {
    let pool = BlockingThreadPool(label: "test", threads: 1)
    let begun = Counter()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await pool.runUnlessCancelled { begun.add() }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await pool.finish()
    #expect(begun.value == 0)
  }

  @Test("what has begun when it is cancelled runs to its end")
  func cancelledWhileRunning() async throws {
    let pool = BlockingThreadPool(label: "test", threads: 1)
    let gate = Gate()
    let task = Task {
      try await pool.runUnlessCancelled {
        gate.pass()
        return "whole"
      }
    }
    await gate.arrived(1)
    task.cancel()
    gate.open(for: 1)
    #expect(try await task.value == "whole")
  }

  @Test("run goes to its end in a cancelled task too")
  func runIsNotCancelled() async {
    let pool = BlockingThreadPool(label: "test", threads: 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await pool.run { 7 }
    }
    #expect(await task.value == 7)
  }

  @Test("every call is answered once, whoever is cancelled meanwhile")
  func randomCancellations() async {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let pool = BlockingThreadPool(label: "test", threads: 3)
    let begun = Counter()
    var (done, cancelled) = (0, 0)
    for _ in 0..<20 {
      var tasks: [Task<Int, any Error>] = []
      for number in 0..<50 {
        tasks.append(
          Task {
            try await pool.runUnlessCancelled {
              begun.add()
              return number
            }
          })
      }
      for task in tasks where Int.random(in: 0...2, using: &random) == 0 { task.cancel() }
      for (number, task) in tasks.enumerated() {
        switch await task.result {
        case .success(let value):
          #expect(value == number, "seed \(seed)")
          done += 1
        case .failure(let error):
          #expect(error is CancellationError, "seed \(seed)")
          cancelled += 1
        }
      }
    }
    await pool.finish()
    #expect(done + cancelled == 1000 && begun.value == done, "seed \(seed)")
  }

  @Test("a pool that is idle has finished, and one that finishes can be used again")
  func finish() async {
    let pool = BlockingThreadPool(label: "test", threads: 2)
    await pool.finish()
    #expect(await pool.run { 1 } == 1)
    await pool.finish()
    #expect(await pool.run { 2 } == 2)
  }

  @Test("what a call holds goes when it has run, though others wait")
  func releases() async {
    final class Held: Sendable {}
    let pool = BlockingThreadPool(label: "test", threads: 1)
    let gate = Gate()
    weak var seen: Held?
    do {
      let held = Held()
      seen = held
      pool.start { withExtendedLifetime(held) {} }
    }
    pool.start { gate.pass() }
    pool.start {}
    await gate.arrived(1)
    #expect(seen == nil)
    gate.open(for: 1)
    await pool.finish()
  }

  @Test("the clocks go on, and agree with the file system's")
  func clocks() throws {
    let first = SystemTime.monotonic
    #expect(SystemTime.monotonic >= first && first > 0)
    let before = SystemTime.nanoseconds
    let root = try TestDirectory("system")
    try File.write([], to: root.path + "/file")
    let changed = try FileDescriptor(opening: root.path + "/file", 0).status.st_ctim.nanoseconds
    // The kernel's clock for files moves in steps of up to 10 ms.
    #expect(changed >= before - 20_000_000 && changed <= SystemTime.nanoseconds)
    #expect(abs(SystemTime.now - Double(SystemTime.nanoseconds) / 1e9) < 60)
  }

  private func thread() -> UInt { UInt(pthread_self()) }

  @Test("a task that prefers a pool makes its calls on the thread that it is on")
  func executor() async {
    let pool = BlockingThreadPool(label: "test", threads: 2)
    let same = await Task(executorPreference: pool) {
      let before = thread()
      let inside = await pool.run { thread() }
      let cancellable = try? await pool.runUnlessCancelled { thread() }
      return before == inside && before == cancellable
    }.value
    #expect(same)
  }

  @Test(
    "tasks that prefer a pool run on no more threads than it has, and each runs to its end",
    arguments: [1, 3])
  func manyTasks(threads: Int) async {
    final class Tally: Sendable {
      let counts = Mutex((inside: 0, most: 0, ended: 0))
    }
    let pool = BlockingThreadPool(label: "test", threads: threads)
    let tally = Tally()
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<200 {
        tasks.addTask(executorPreference: pool) {
          for _ in 0..<5 {
            await pool.run {
              tally.counts.withLock {
                $0.inside += 1
                $0.most = max($0.most, $0.inside)
              }
              usleep(100)
              tally.counts.withLock { $0.inside -= 1 }
            }
            await Task.yield()
          }
          tally.counts.withLock { $0.ended += 1 }
        }
      }
    }
    await pool.finish()
    let (inside, most, ended) = tally.counts.withLock { $0 }
    #expect(inside == 0 && most <= threads && ended == 200)
  }

  @Test("a cancelled task that prefers a pool begins no call that can be cancelled")
  func cancelledTask() async {
    let pool = BlockingThreadPool(label: "test", threads: 1)
    let calls = Counter()
    let task = Task(executorPreference: pool) {
      while !Task.isCancelled { await Task.yield() }
      do {
        try await pool.runUnlessCancelled { calls.add() }
        return false
      } catch {
        return true
      }
    }
    task.cancel()
    #expect(await task.value && calls.value == 0)
  }
}
