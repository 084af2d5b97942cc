import ImageCaches
import Testing

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
}
