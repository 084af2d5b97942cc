import GRDB
import Glibc
import Synchronization
import Testing

@testable import ImageCaches

/// How many writes each commit had, and whose they were.
private final class Commits: Sendable {
  let sizes = Mutex<[Int]>([])
  let written = Mutex<[Int]>([])

  /// Carries out writes that need no database of ours.
  func commit(_ bodies: [GatheredWrites.Body]) throws(CacheError) -> Int {
    // A commit takes its time; what comes meanwhile waits for the next.
    usleep(20_000)
    do {
      try DatabaseQueue().write { database in
        for body in bodies { try body(database) }
      }
    } catch {
      throw CacheError(code: .index, message: "\(error)")
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
    let writes = GatheredWrites()
    let commits = Commits()
    let count = 500
    let told = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            let write = GatheredWrites.Write { _ in
              commits.written.withLock { $0.append(number) }
            } completion: {
              continuation.resume(returning: try? $0.get())
            }
            writes.add(write) { bodies throws(CacheError) in try commits.commit(bodies) }
          }
        }
      }
      return await group.reduce(into: [Int?: Int]()) { $0[$1, default: 0] += 1 }
    }
    let sizes = commits.sizes.withLock(\.self)
    #expect(commits.written.withLock(\.self).sorted() == Array(0..<count))
    #expect(sizes.count <= count / 4, "\(sizes)")
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
