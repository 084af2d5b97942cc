import ImageCaches
import ImageDownloads
import Testing

@testable import ImageBatch

@Suite("The sources of a lock file", .timeLimit(.minutes(8)))
struct FrozenSourcesTests {
  private static let digest = String(repeating: "ab", count: 32)

  private func frozen() -> FrozenSources {
    var lock = LockFile()
    var known = LockFile.Source()
    known.sha256 = Self.digest
    lock.sources = ["a.png": known, "failed.png": LockFile.Source()]
    return FrozenSources(lock, path: "images.lock")
  }

  private func job(_ sources: String...) -> Job {
    Job(index: 1, sources: sources.map { .file($0) }, outputs: [])
  }

  @Test("pin a job to what is locked of its first known source")
  func pin() {
    var known = job("other.png", "a.png")
    #expect(frozen().pin(&known))
    #expect(known.pinnedDigest?.hex == Self.digest)
  }

  @Test("don't pin a job to a source that failed when the lock was written")
  func failed() {
    var job = job("failed.png")
    #expect(frozen().pin(&job) && job.pinnedDigest == nil)
  }

  @Test("refuse a job of which no source is locked")
  func unknown() {
    var job = job("b.png")
    #expect(!frozen().pin(&job) && job.pinnedDigest == nil)
  }

  @Test("leave a pin of the manifest's own")
  func ownPin() {
    var job = job("a.png")
    let own = ContentDigest(hex: String(repeating: "cd", count: 32))
    job.pinnedDigest = own
    #expect(frozen().pin(&job) && job.pinnedDigest == own)
  }

  @Test("differ as a diff of the lock file")
  func difference() {
    #expect(
      frozen().difference(from: ["a.png": "00", "new.png": "11"]) == """
        --- images.lock
        +++ current sources
        @@ a.png @@
        -sha256 \(Self.digest)
        +sha256 00
        @@ new.png @@
        -sha256 \("")
        +sha256 11

        """)
  }
}
