import GRDB
import Glibc
import Synchronization
import Testing

@testable import ImageCaches

/// How many writes each commit had.
private final class Commits: Sendable {
  let sizes = Mutex<[Int]>([])
}

@Suite("Gathered writes", .timeLimit(.minutes(8)))
struct GatheredWritesTests {
  @Test(
    "writes that come together go in far fewer transactions, and each is answered once with its own value")
  func together() async throws {
    let writes = GatheredWrites()
    let commits = Commits()
    let count = 500
    let values = await withTaskGroup(of: (Int, Int?).self) { group in
      for number in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            let write = GatheredWrites.Write(
              body: { _ in number },
              completion: { outcome in continuation.resume(returning: (number, try? outcome.get())) })
            writes.add(write) { bodies throws(CacheError) in
              commits.sizes.withLock { $0.append(bodies.count) }
              // A commit takes its time; what comes meanwhile waits for the next.
              usleep(20_000)
              return try Self.values(of: bodies)
            }
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(values == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) }))
    let sizes = commits.sizes.withLock(\.self)
    #expect(sizes.reduce(0, +) == count)
    #expect(sizes.count <= count / 4, "\(sizes)")
  }

  @Test("one that fails costs the others nothing but a second try")
  func failure() async throws {
    let directory = try Directory()
    let store = try DiskStore(directory: directory.path)
    let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
      for number in 0..<40 {
        group.addTask {
          do throws(CacheError) {
            try await store.writeGathered { database in
              if number % 10 == 3 { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT) }
              try database.execute(
                sql: "INSERT INTO objects (digest, bytes, last_used) VALUES (?, 1, 0)",
                arguments: [ContentDigest(hashing: bytes(number)).hex])
            }
            return (number, true)
          } catch {
            return (number, false)
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(outcomes.filter { !$0.value }.keys.sorted() == [3, 13, 23, 33])
    #expect(try store.usage().objects == 36)
  }

  /// What the bodies return, none of which uses its database.
  private static func values(of bodies: [GatheredWrites.Body]) throws(CacheError) -> [Int] {
    do {
      return try DatabaseQueue().write { database in try bodies.map { try $0(database) } }
    } catch {
      throw CacheError(code: .index, message: "\(error)")
    }
  }
}
