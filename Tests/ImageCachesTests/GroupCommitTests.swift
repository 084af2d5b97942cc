import GRDB
import Glibc
import Synchronization
import Testing

@testable import ImageCaches

/// How many writes each commit had, and whose they were.
private final class Commits: Sendable {
  let sizes = Mutex<[Int]>([])
  let written = Mutex<[Int]>([])
  /// How many writes were added.
  let added = Atomic<Int>(0)
  private let count: Int

  init(expecting count: Int) { self.count = count }

  /// Carries out writes that need no database of ours. The first commit takes until all writes were added.
  func commit(_ bodies: [GroupCommit.Body]) throws(CacheError) -> Int {
    while added.load(ordering: .acquiring) < count { usleep(200) }
    do {
      try DatabaseQueue().write { database in
        for body in bodies { try body(database) }
      }
    } catch {
      throw CacheError(code: .index, .index, message: "\(error)")
    }
    return sizes.withLock { sizes in
      sizes.append(bodies.count)
      return sizes.count
    }
  }
}

@Suite("Gathered writes", .timeLimit(.minutes(8)))
struct GatheredWritesTests {
  @Test("writes that come together go in far fewer transactions, each once, and each is told of its own")
  func together() async throws {
    let writes = GroupCommit()
    let count = 500
    let commits = Commits(expecting: count)
    let told = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            let write = GroupCommit.Write { _ in
              commits.written.withLock { $0.append(number) }
            } completion: {
              continuation.resume(returning: try? $0.get())
            }
            writes.add(write) { bodies throws(CacheError) in try commits.commit(bodies) }
            commits.added.add(1, ordering: .acquiringAndReleasing)
          }
        }
      }
      return await group.reduce(into: [Int?: Int]()) { $0[$1, default: 0] += 1 }
    }
    let sizes = commits.sizes.withLock(\.self)
    #expect(commits.written.withLock(\.self).sorted() == Array(0..<count))
    #expect(sizes.count <= 2, "\(sizes)")
    #expect(told == Dictionary(uniqueKeysWithValues: zip(1..., sizes)))
  }

  @Test("one that fails costs the others nothing but a second try")
  func failure() async throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
      for number in 0..<40 {
        group.addTask {
          await withCheckedContinuation { continuation in
            store.writeGathered { database in
              if number % 10 == 3 { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT) }
              try database.execute(
                sql: "INSERT INTO objects (digest, bytes, last_used) VALUES (?, 1, 0)",
                arguments: [ContentDigest(hashing: bytes(number)).hex])
            } completion: { outcome in
              continuation.resume(returning: (number, (try? outcome.get()) != nil))
            }
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(outcomes.filter { !$0.value }.keys.sorted() == [3, 13, 23, 33])
    #expect(try store.usage().objects == 36)
  }
}

@Suite("Gathered inserts", .timeLimit(.minutes(8)))
struct GatheredInsertTests {
  /// Inserts one object with a row beside it.
  private static func insert(
    _ seed: Int, into store: DiskStore, failing: Bool = false
  ) async -> Result<StoredObject, any Error> {
    do {
      let temporary = try store.makeTemporaryFile()
      let content = bytes(seed)
      try content.withUnsafeBytes { try temporary.write($0) }
      let digest = ContentDigest(hashing: content)
      return await withCheckedContinuation { continuation in
        store.insertGathered(temporary, digest: digest) { database in
          if failing { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT) }
          try database.execute(
            sql: "INSERT OR IGNORE INTO sources (path) VALUES (?)", arguments: ["/\(seed)"])
        } completion: { result in
          continuation.resume(returning: result.mapError { $0 })
        }
      }
    } catch {
      return .failure(error)
    }
  }

  @Test("put each object and its row in place together, and neither where the row can't be written")
  func together() async throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let results = await withTaskGroup(of: (Int, Result<StoredObject, any Error>).self) { group in
      for seed in 0..<60 {
        group.addTask { (seed, await Self.insert(seed, into: store, failing: seed % 7 == 3)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for (seed, result) in results {
      let digest = ContentDigest(hashing: bytes(seed))
      if seed % 7 == 3 {
        #expect(throws: CacheError.self) { try result.get() }
        #expect(try store.object(digest) == nil)
      } else {
        #expect(read(try result.get().path) == bytes(seed))
        #expect(try store.object(digest)?.byteCount == 1000)
      }
    }
    let kept = (0..<60).filter { $0 % 7 != 3 }
    #expect(try store.usage().objects == kept.count)
    #expect(try store.sources(among: (0..<60).map { "/\($0)" }) == Set(kept.map { "/\($0)" }))
  }

  @Test("purge like any other, and never what was just inserted")
  func purging() async throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path, capacity: 5000, preferredUsageAfterPurge: 2000)
    for seed in 0..<20 {
      let object = try await Self.insert(seed, into: store).get()
      #expect(read(object.path) == bytes(seed))
      #expect(try store.usage().bytes <= 5000)
    }
  }
}
