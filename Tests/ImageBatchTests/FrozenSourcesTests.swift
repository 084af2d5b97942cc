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

  private func names(_ job: Job) -> [String] { frozen().missing(for: job) }

  @Test("are all known by name, and one of a job's has a digest")
  func missing() throws {
    #expect(names(job("a.png")).isEmpty && names(job("failed.png", "a.png")).isEmpty)
    #expect(names(job("failed.png")) == ["failed.png"])
    #expect(names(job("a.png", "b.png", "c.png")) == ["b.png", "c.png"])
    var other = job("failed.png")
    other.placeholder = .file("a.png")
    #expect(names(other).isEmpty)
    other = job("failed.png")
    other.pinnedDigest = ContentDigest(hex: Self.digest)
    #expect(names(other).isEmpty, "the manifest has a digest itself")
  }

  @Test("refuse other bytes than each source's own, and those of a source without a digest")
  func refusal() throws {
    let (locked, other) = (try #require(ContentDigest(hex: Self.digest)), ContentDigest(of: "other"))
    #expect(frozen().refusal(of: .file("a.png"), with: locked) == nil)
    let changed = try #require(frozen().refusal(of: .file("a.png"), with: other))
    #expect(changed.reason == .lockFile && changed.foundDigest == other && changed.source == "a.png")
    for name in ["failed.png", "b.png"] {
      let unknown = frozen().refusal(of: .file(name), with: locked)
      #expect(unknown?.message.contains("isn't in the lock file") == true)
      #expect(frozen().refusal(of: .file(name), with: locked, isRequired: false) == nil)
    }
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
        +sha256 11

        """)
  }
}
