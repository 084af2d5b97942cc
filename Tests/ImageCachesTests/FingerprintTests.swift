import Glibc
import Testing

@testable import ImageCaches

@Suite("Fingerprints of files", .timeLimit(.minutes(8)))
struct StampTests {
  private let directory: Directory
  private let store: DiskStore

  init() throws {
    directory = try Directory()
    store = try DiskStore(directory: directory.path)
  }

  private let fingerprint = FileFingerprint(
    path: "/a/é", bytes: 10, modifiedNanoseconds: 1_700_000_000_123_456_789, changedNanoseconds: 20, inode: 30
  )

  @Test("are known only as they were, whichever part has changed")
  func parts() throws {
    let digest = ContentDigest(hashing: [1])
    try store.recordDigests([fingerprint: digest])
    #expect(try store.digests(forFiles: [fingerprint]) == [fingerprint: digest])
    let changes: [(inout FileFingerprint) -> Void] = [
      { $0.path += "x" }, { $0.bytes += 1 }, { $0.modifiedNanoseconds += 1 }, { $0.changedNanoseconds -= 1 },
      { $0.inode += 1 }, { $0.path = "" }, { $0.bytes = 0 },
    ]
    for change in changes {
      var other = fingerprint
      change(&other)
      #expect(other != fingerprint)
      #expect(try store.digests(forFiles: [other]).isEmpty, "\(other)")
      #expect(try store.digests(forFiles: [other, fingerprint]).keys.map { $0 } == [fingerprint])
    }
  }

  @Test("of one path replace each other")
  func replaced() throws {
    var later = fingerprint
    later.modifiedNanoseconds += 5
    try store.recordDigests([fingerprint: ContentDigest(hashing: [1])])
    try store.recordDigests([later: ContentDigest(hashing: [2])])
    #expect(try store.digests(forFiles: [fingerprint, later]) == [later: ContentDigest(hashing: [2])])
    try store.recordDigests([:])
    #expect(try store.digests(forFiles: []).isEmpty)
    #expect(try store.inventory().files == 1)
  }

  @Test("whose row was changed are unknown", arguments: ["digest", "checksum"])
  func seals(column: String) throws {
    try store.recordDigests([fingerprint: ContentDigest(hashing: [1])])
    let other = ContentDigest(hashing: [9]).hex
    try store.index.write { try $0.execute(sql: "UPDATE fingerprints SET \(column) = ?", arguments: [other]) }
    #expect(try store.digests(forFiles: [fingerprint]).isEmpty)
  }

  @Test("of a file that has just changed aren't remembered, and of an older one are")
  func recent() throws {
    let path = directory.path + "/file"
    write(bytes(1), to: path)
    #expect(try store.digest(ofFile: path) == ContentDigest(hashing: bytes(1)))
    // However long that took, the rule itself has no clock of its own.
    for (age, isRecent) in [
      (0, true), (19_999_999, true), (20_000_000, false), (10_000_000_000, false), (-5, true),
    ] {
      #expect(fingerprint.isRecent(at: fingerprint.changedNanoseconds + age) == isRecent, "\(age)")
    }
  }

  @Test("of a file that was rewritten in place with the same size and time of modification are others")
  func setBack() throws {
    let path = directory.path + "/file"
    write(bytes(1), to: path)
    var status = stat()
    #expect(stat(path, &status) == 0)
    let before = FileFingerprint(path: path, status: status)
    try store.recordDigests([before: ContentDigest(hashing: bytes(1))])
    // The clock of file times moves on.
    var next = status
    while next.st_ctim.tv_sec == status.st_ctim.tv_sec && next.st_ctim.tv_nsec == status.st_ctim.tv_nsec {
      write(bytes(2), to: path)
      let times = [status.st_atim, status.st_mtim]
      #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
      #expect(stat(path, &next) == 0)
    }
    #expect(next.st_mtim.tv_nsec == status.st_mtim.tv_nsec && next.st_size == status.st_size)
    #expect(try store.digest(ofFile: path) == ContentDigest(hashing: bytes(2)))
  }

  @Test("are of ordinary files: a directory, a device and nothing have no digest")
  func ordinary() throws {
    for path in [directory.path, "/dev/null", directory.path + "/none", directory.path + "/none/deeper"] {
      #expect(try store.digest(ofFile: path) == nil, "\(path)")
    }
    write([], to: directory.path + "/empty")
    #expect(try store.digest(ofFile: directory.path + "/empty") == ContentDigest(hashing: [UInt8]()))
  }

  @Test("of relative paths are those from the root")
  func absolute() {
    #expect(FileFingerprint.absolute("/a/b") == "/a/b" && FileFingerprint.absolute("/") == "/")
    let relative = FileFingerprint.absolute("a/b")
    #expect(relative.hasPrefix("/") && relative.hasSuffix("/a/b"))
  }

  @Test("name one file by all of its paths")
  func identity() throws {
    let (path, link, symbolic) = (directory.path + "/a", directory.path + "/b", directory.path + "/c")
    write([1], to: path)
    write([1], to: directory.path + "/other")
    #expect(Glibc.link(path, link) == 0 && symlink("a", symbolic) == 0)
    let identity = try #require(FileIdentity(path: path))
    #expect(FileIdentity(path: link) == identity && FileIdentity(path: symbolic) == identity)
    #expect(FileIdentity(path: directory.path + "/./a") == identity)
    #expect(FileIdentity(path: directory.path + "/other") != identity)
    #expect(FileIdentity(path: directory.path + "/none") == nil)
    unlink(path)
    unlink(link)
    #expect(FileIdentity(path: symbolic) == nil, "a link to nothing leads to no file")
  }
}
