import SystemIO
import TestSupport
import Testing

@testable import ImageCaches

@Suite("Requests of several processes", .timeLimit(.minutes(8)))
struct RequestLocksTests {
  private let directory: Directory
  private let key = ContentDigest(hashing: bytes(1))

  init() throws { directory = try Directory() }

  /// Each has the lock file open for itself, as another process would.
  private func makeLocks() -> RequestLocks { RequestLocks(path: directory.path + "/requests.lock") }

  @Test("who waits is told of a free key, also where another takes it at once")
  func takenAtOnce() async throws {
    let (first, second, third) = (makeLocks(), makeLocks(), makeLocks())
    try #require(try third.take(ContentDigest(hashing: bytes(2))))
    for round in 0..<200 {
      try #require(try first.take(key))
      async let isFree = third.wait(for: key, seconds: 100, patience: 100) { 0 }
      // Some waits have begun by then, and some haven't.
      try await Task.sleep(for: .microseconds(round % 20 * 25))
      first.release(key)
      try #require(try second.take(key))
      try await Task.sleep(for: .microseconds(200))
      second.release(key)
      #expect(await isFree)
    }
  }

  @Test("the progress of a wait may be looked up with the locks themselves")
  func reentrantProgress() async throws {
    let (first, third) = (makeLocks(), makeLocks())
    try #require(try first.take(key))
    try #require(try third.take(ContentDigest(hashing: bytes(2))))
    let other = ContentDigest(hashing: bytes(3))
    async let isFree = third.wait(for: key, seconds: 100, patience: 100) {
      do throws(CacheError) {
        if try third.take(other) { third.release(other) }
      } catch { Issue.record(error) }
      return 0
    }
    while third.waitCount == 0 { try await Task.sleep(for: .milliseconds(2)) }
    first.release(key)
    #expect(await isFree)
  }

  @Test("a wait ends without a free key when there is no progress, or when its time is over")
  func impatience() async throws {
    let (first, third) = (makeLocks(), makeLocks())
    try #require(try first.take(key))
    try #require(try third.take(ContentDigest(hashing: bytes(2))))
    #expect(await third.wait(for: key, seconds: 100, patience: 0.01) { 0 } == false)
    #expect(await third.wait(for: key, seconds: 0.01, patience: 100) { 0 } == false)
    first.release(key)
    #expect(await third.wait(for: key, seconds: 100, patience: 100) { 0 })
  }

  @Test("a wait ends when its time is over, not at the next look: six hundred take less than the suite may")
  func punctuality() async throws {
    let (first, third) = (makeLocks(), makeLocks())
    try #require(try first.take(key))
    try #require(try third.take(ContentDigest(hashing: bytes(2))))
    for round in 0..<600 {
      let (seconds, patience) = round % 2 == 0 ? (0.001, 100) : (100, 0.001)
      #expect(await third.wait(for: key, seconds: seconds, patience: patience) { 0 } == false)
    }
  }
}

@Suite("Keys of requests", .timeLimit(.minutes(8)))
struct RequestLockModelTests {
  private let directory: Directory

  init() throws { directory = try Directory() }

  private func makeLocks() -> RequestLocks { RequestLocks(path: directory.path + "/requests.lock") }

  @Test("taken and released at random have one process at a time, as often as that process took them")
  func model() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let processes = (0..<3).map { _ in makeLocks() }
    let keys = (0..<4).map { ContentDigest(hashing: bytes($0)) }
    var holders: [Int: (process: Int, count: Int)] = [:]
    for step in 0..<2000 {
      let place: Comment = "seed \(seed), step \(step)"
      let process = Int.random(in: 0..<3, using: &random)
      let key = Int.random(in: 0..<4, using: &random)
      if Bool.random(using: &random) {
        let isFree = holders[key].map { $0.process == process } ?? true
        #expect(try processes[process].take(keys[key]) == isFree, place)
        if isFree { holders[key] = (process, (holders[key]?.count ?? 0) + 1) }
      } else {
        // A release of what isn't held is nothing.
        processes[process].release(keys[key])
        if let holder = holders[key], holder.process == process {
          holders[key] = holder.count == 1 ? nil : (process, holder.count - 1)
        }
      }
    }
  }

  @Test("are free when the process that held them is gone")
  func gone() throws {
    let key = ContentDigest(hashing: bytes(1))
    let other = makeLocks()
    do {
      let first = makeLocks()
      #expect(try first.take(key) && !other.take(key))
    }
    #expect(try other.take(key))
  }

  @Test("a wait that is cancelled ends, before it begins or after")
  func cancelled() async throws {
    let key = ContentDigest(hashing: bytes(1))
    let (first, second) = (makeLocks(), makeLocks())
    try #require(try first.take(key))
    try #require(try second.take(ContentDigest(hashing: bytes(2))))
    for round in 0..<40 {
      let task = Task { await second.wait(for: key, seconds: 200, patience: 200) { 0 } }
      if round % 2 == 0 { await Task.yield() }
      task.cancel()
      #expect(await task.value == false)
    }
    first.release(key)
    #expect(await second.wait(for: key, seconds: 200, patience: 200) { 0 })
  }

  @Test("many that wait for one key are all told")
  func many() async throws {
    let key = ContentDigest(hashing: bytes(1))
    let (first, second) = (makeLocks(), makeLocks())
    try #require(try first.take(key))
    try #require(try second.take(ContentDigest(hashing: bytes(2))))
    let tasks = (0..<20).map { _ in
      Task { await second.wait(for: key, seconds: 200, patience: 200) { 0 } }
    }
    await Task.yield()
    first.release(key)
    for task in tasks { #expect(await task.value) }
  }

  @Test("of another process's directory are seen by those who look")
  func company() throws {
    let (first, second) = (makeLocks(), makeLocks())
    // Nothing is known of what was before the first look, or while nobody looked for more than a second.
    #expect(try first.lastCompany(now: 100) == 100)
    #expect(try first.lastCompany(now: 101) == 100)
    #expect(try first.lastCompany(now: 102.5) == 102.5)
    #expect(try first.lastCompany(now: 103) == 102.5)
    #expect(try second.take(ContentDigest(hashing: bytes(3))))
    #expect(try first.lastCompany(now: 103.5) == 103.5)
    #expect(try first.lastCompany(now: 104) == 104)
  }

  @Test("can't be had where the lock file can't be")
  func unmakeable() {
    let locks = RequestLocks(path: directory.path + "/none/requests.lock")
    #expect(throws: CacheError.self) { try locks.take(ContentDigest(hashing: [1])) }
    #expect(throws: CacheError.self) { try locks.lastCompany() }
    locks.release(ContentDigest(hashing: [1]))
  }
}
