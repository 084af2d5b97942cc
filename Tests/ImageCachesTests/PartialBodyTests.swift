import Glibc
import Testing

@testable import ImageCaches

@Suite("Bodies that broke off", .timeLimit(.minutes(8)))
struct PartialBodyTests {
  private let directory: Directory
  private let store: DiskStore
  private let key = ContentDigest(hashing: [1])

  init() throws {
    directory = try Directory()
    store = try DiskStore(directory: directory.path)
  }

  @Test("are found by those who come after, and go on where they broke off")
  func resumed() throws {
    #expect(try !store.mayHavePartials())
    #expect(try store.openPartial(key, creates: false) == nil && store.partialProgress(key) == 0)
    do {
      let file = try #require(try store.openPartial(key, creates: true))
      try bytes(1).withUnsafeBytes { try file.write($0) }
      file.keep()
    }
    #expect(try store.mayHavePartials())
    let other = try DiskStore(directory: directory.path)
    #expect(try other.mayHavePartials())
    let file = try #require(try other.openPartial(key, creates: false))
    #expect(file.byteCount == 1000 && read(file.path) == bytes(1))
    #expect(try other.openPartial(ContentDigest(hashing: [2]), creates: false) == nil)
  }

  @Test("vanish unless they are kept")
  func vanish() throws {
    do { _ = try #require(try store.openPartial(key, creates: true)) }
    #expect(access(store.partialPath(key), F_OK) != 0)
    #expect(try store.openPartial(key, creates: false) == nil)
  }

  @Test("belong to one at a time, in this process or another")
  func exclusive() throws {
    let other = try DiskStore(directory: directory.path)
    do {
      let file = try #require(try store.openPartial(key, creates: true))
      #expect(
        try other.openPartial(key, creates: true) == nil && store.openPartial(key, creates: false) == nil)
      file.keep()
    }
    #expect(try other.openPartial(key, creates: false) != nil)
  }

  @Test("make a number that changes as they grow, or are begun anew")
  func progress() throws {
    let file = try #require(try store.openPartial(key, creates: true))
    var seen = [store.partialProgress(key)]
    for _ in 0..<3 {
      try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try file.write($0) }
      seen.append(store.partialProgress(key))
    }
    #expect(Set(seen).count == 4 && !seen.contains(0))
    file.keep()
    store.removePartial(key)
    #expect(store.partialProgress(key) == 0)
  }

  @Test("are forgotten with their notes")
  func removed() throws {
    let path = store.partialPath(key)
    write([1], to: path)
    write([2], to: path + ".json")
    write([3], to: store.partialPath(ContentDigest(hashing: [2])))
    store.removePartial(key)
    #expect(directory.files(in: "partial").count == 1)
    store.removePartial(key)
  }

  @Test("go after a week, unless somebody is at them")
  func old() throws {
    let now = time(nil)
    let week = 7 * 86_400
    for (number, age) in [(1, 0), (2, week - 600), (3, week + 600), (4, 10 * week), (5, 10 * week)] {
      let path = store.partialPath(ContentDigest(hashing: [UInt8(number)]))
      write([1], to: path)
      let times = [timespec(tv_sec: now - age, tv_nsec: 0), timespec(tv_sec: now - age, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    }
    let busy = try #require(try store.openPartial(ContentDigest(hashing: [5]), creates: false))
    try store.purge()
    let left = [1, 2, 5].map { ContentDigest(hashing: [UInt8($0)]).hex }
    #expect(Set(directory.files(in: "partial")) == Set(left))
    busy.keep()
  }

  @Test("may come from another process meanwhile, if one is told to expect them")
  func expected() throws {
    #expect(try !store.mayHavePartials())
    write([1], to: store.partialPath(key))
    #expect(try !store.mayHavePartials(), "one look is enough, unless one is told")
    store.expectPartials()
    #expect(try store.mayHavePartials())
  }
}
