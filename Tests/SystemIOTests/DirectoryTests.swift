import Glibc
import SystemIO
import TestSupport
import Testing

@Suite("Directories", .timeLimit(.minutes(8)))
struct DirectoryTests {
  private let root: TestDirectory
  private var path: String { root.path }

  init() throws { root = try TestDirectory("system") }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private func makeFile(_ path: String) throws {
    let number = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw SystemError.last }
    close(number)
  }

  @Test("a directory is made with its parents, and has its own mode whatever slashes its path has")
  func create() throws {
    for name in ["a/b/c", "d/e/f/", "g//h", "i/./j", "k/../l", "\u{301}m/\u{301}n"] {
      try Directory.create("\(path)/\(name)", mode: 0o700, parentMode: 0o755)
      #expect(mode("\(path)/\(name)") == 0o700, "\(name)")
    }
    #expect(mode(path + "/a") == 0o755 && mode(path + "/a/b") == 0o755)
    #expect(mode(path + "/d/e") == 0o755)
  }

  @Test("a directory that is there stays as it is")
  func existing() throws {
    try Directory.create(path + "/a", mode: 0o700)
    try Directory.create(path + "/a", mode: 0o755)
    #expect(mode(path + "/a") == 0o700)
    try Directory.create("/")
    try Directory.create(".")
  }

  @Test("a file on the way is said")
  func fileOnTheWay() throws {
    try makeFile(path + "/file")
    let error = #expect(throws: SystemError.self) { try Directory.create(path + "/file/a/b") }
    #expect(error?.code == ENOTDIR)
  }

  @Test("a path without anything above it fails with the reason")
  func empty() {
    let error = #expect(throws: SystemError.self) { try Directory.create("") }
    #expect(error?.code == ENOENT)
  }

  @Test("entries have their bytes and kinds, and neither dot")
  func entries() throws {
    try Directory.create(path + "/directory")
    try makeFile(path + "/file")
    symlink("nowhere", path + "/link")
    // A name that isn't UTF-8.
    let odd =
      path.utf8.map { CChar(bitPattern: $0) } + [CChar(UInt8(ascii: "/")), CChar(bitPattern: 0xFF), 0]
    #expect(mkdir(odd, 0o700) == 0)
    let entries = try Directory.entries(of: path)
    #expect(
      Set(entries.map(\.bytes)) == [Array("directory".utf8), Array("file".utf8), Array("link".utf8), [0xFF]])
    let kinds = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.type) })
    #expect(
      kinds["directory"] == Int32(DT_DIR) && kinds["file"] == Int32(DT_REG) && kinds["link"] == Int32(DT_LNK))
  }

  @Test("a directory that isn't there has no entries, or is said")
  func missing() throws {
    #expect(try Directory.existingEntries(of: path + "/none") == [])
    #expect(throws: SystemError(code: ENOENT)) { try Directory.entries(of: path + "/none") }
    try makeFile(path + "/file")
    #expect(throws: SystemError(code: ENOTDIR)) { try Directory.existingEntries(of: path + "/file") }
  }

  @Test("a tree is removed, and what its links lead to isn't")
  func removeTree() throws {
    try Directory.create(path + "/tree/a/b")
    try Directory.create(path + "/kept/c")
    try makeFile(path + "/tree/a/file")
    try makeFile(path + "/kept/file")
    symlink(path + "/kept", path + "/tree/link")
    try Directory.removeTree(path + "/tree")
    #expect(mode(path + "/tree") == nil && mode(path + "/kept/file") != nil && mode(path + "/kept/c") != nil)
    try Directory.removeTree(path + "/tree")
  }

  @Test("links are resolved, for what is there, for a name in it, and for what is missing")
  func realPaths() throws {
    try Directory.create(path + "/a/b")
    symlink("a/b", path + "/link")
    #expect(RealPath.of(path + "/link/../b/.") == path + "/a/b")
    #expect(RealPath.of(path + "/none") == nil)
    #expect(RealPath.ofEntry(path + "/link/new") == path + "/a/b/new")
    #expect(RealPath.ofEntry(path + "/link") == path + "/link")
    #expect(RealPath.ofEntry(path + "/none/new") == nil)
    #expect(RealPath.ofEntry("/new") == "/new")
    #expect(RealPath.ofLongestPrefix(path + "/link/x/y/../z") == path + "/a/b/x/z")
    #expect(RealPath.ofLongestPrefix(path + "/link/../x") == path + "/a/x")
    #expect(
      RealPath.ofLongestPrefix(path + "/none/../../\u{301}x") == DirectoryEntry(path).directory + "/\u{301}x")
    #expect(RealPath.ofLongestPrefix("") == RealPath.of("."))
    #expect(RealPath.ofLongestPrefix("none") == RealPath.of(".").map { $0 + "/none" })
    symlink("loop", path + "/loop")
    #expect(RealPath.ofLongestPrefix(path + "/loop/x") == nil)
  }

  @Test("in a tree without links, a path by its letters is where the system says it is")
  func randomTrees() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let names = ["a", "b.c", "..d", "\u{301}e", "...", " "]
    var places = [path]
    for _ in 0..<40 {
      let place = Paths.joined(
        places.randomElement(using: &random) ?? path, names.randomElement(using: &random) ?? "a")
      try Directory.create(place)
      places.append(place)
    }
    for _ in 0..<500 {
      // A walk through what is there: the letters can't know what isn't.
      var walk = places.randomElement(using: &random) ?? path
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let below = try Directory.entries(of: walk).map(\.name).sorted().randomElement(using: &random)
        // The root's parent is other tests' too.
        let isBelowRoot = Paths.isInside(Paths.normalized(walk), path)
        switch Int.random(in: 0...3, using: &random) {
        case 0: walk += "/"
        case 1 where isBelowRoot: walk += "/.."
        case 2: walk += below.map { "/" + $0 } ?? "/."
        default: walk += "/."
        }
      }
      let real = try #require(RealPath.of(walk), "\(walk), seed \(seed)")
      #expect(Array(Paths.normalized(walk).utf8) == Array(real.utf8), "\(walk), seed \(seed)")
      #expect(RealPath.ofLongestPrefix(walk + "/none") == Paths.joined(real, "none"), "\(walk), seed \(seed)")
    }
  }
}
