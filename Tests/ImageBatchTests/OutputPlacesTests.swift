import Foundation
import Glibc
import ImageCaches
import Testing

@testable import ImageBatch
@testable import ImageRendering
import TestSupport

/// How a finished output gets to its place, whatever is there.
@Suite("Places of outputs", .timeLimit(.minutes(8)))
struct OutputPlacesTests {
  private let directory: TestDirectory
  private let store: DiskStore

  init() throws {
    directory = try TestDirectory("places")
    store = try .ephemeral()
  }

  private func places(
    keepsForeign: Bool = false, sources: [Job] = [], durability: Durability = .fast,
    began: Double = Date().timeIntervalSince1970
  ) -> OutputPlaces {
    var policy = ReplacementPolicy()
    policy.keepsForeignFiles = keepsForeign
    let files = SourceFiles(store: store, records: false)
    files.add(sources)
    return OutputPlaces(
      store: store, fingerprints: FileDigestCache(store: store),
      registry: OutputRegistry(store: store, template: "", remembersPaths: false, began: began),
      sources: files,
      replacing: policy, durability: durability)
  }

  private func made(_ text: String, isNew: Bool = true) throws -> EncodedOutput {
    EncodedOutput(
      image: RenderedFile(
        format: .png, width: 1, height: 1, frames: 1, bytes: text.utf8.count, digest: ContentDigest(of: text)),
      object: try store.insert(text: text), isNew: isNew)
  }

  private func put(
    _ text: String, at name: String, isNew: Bool = true, keepsForeign: Bool = false, sources: [Job] = []
  ) throws -> Result<OutputResult.Status, JobError> {
    places(keepsForeign: keepsForeign, sources: sources).put(
      try made(text, isNew: isNew), at: directory[name],
      in: OutputDirectory(root: directory.path, allowsOutside: false))
  }

  /// Writes down that an earlier run has made a file.
  private func enter(_ name: String, _ text: String, began: Double = 1) throws {
    let scope = OutputScope(manifest: "-", directory: directory.realPath, template: "")
    try store.register([
      RegistryEntry(
        path: directory.realPath + "/" + name, scope: scope, digest: ContentDigest(of: text),
        key: ContentDigest(of: "key"), recipe: "{}", began: began)
    ])
  }

  private func code(_ result: Result<OutputResult.Status, JobError>) -> String? {
    if case .failure(let error) = result { error.codeText } else { nil }
  }

  @Test("a new file is written, its directories are made, and its bytes are those of the object")
  func new() throws {
    #expect(try put("new", at: "a/b/c.png") == .success(.written))
    #expect(try put("stored", at: "a/d.png", isNew: false) == .success(.cached))
    #expect(directory.text("a/b/c.png") == "new")
    #expect(directory.names == ["a", "a/b", "a/b/c.png", "a/d.png"])
  }

  @Test(
    "an output's directory may be removed between two outputs: it is made again",
    arguments: Durability.allCases)
  func removedDirectory(durability: Durability) throws {
    let places = places(durability: durability)
    let root = OutputDirectory(root: directory.path, allowsOutside: false)
    for text in ["one", "two", "three"] {
      #expect(places.put(try made(text), at: directory["a/b/\(text)"], in: root) == .success(.written))
      #expect(directory.text("a/b/\(text)") == text)
      try FileManager.default.removeItem(atPath: directory["a"])
    }
  }

  @Test("a directory that is open for one root is checked for another")
  func otherRoot() throws {
    let places = places()
    let wide = OutputDirectory(root: directory.path, allowsOutside: false)
    let narrow = OutputDirectory(root: directory["inner"], allowsOutside: false)
    try FileManager.default.createDirectory(atPath: directory["inner"], withIntermediateDirectories: true)
    #expect(symlink(directory.path, directory["inner/link"]) == 0)
    let location = directory["inner/link/a.png"]
    #expect(places.put(try made("a"), at: location, in: wide) == .success(.written))
    #expect(code(places.put(try made("b"), at: location, in: narrow)) == "outside-output-dir")
    #expect(directory.text("a.png") == "a")
  }

  @Test("of many directories a few stay open")
  func manyDirectories() throws {
    let places = places()
    let root = OutputDirectory(root: directory.path, allowsOutside: false)
    for number in 0..<200 {
      #expect(
        places.put(try made("\(number)"), at: directory["\(number % 50)/\(number)"], in: root)
          == .success(.written))
    }
    #expect(try OpenDescriptors.count(below: directory.realPath) < 20)
    withExtendedLifetime(places) {}
  }

  @Test("a file with the right bytes isn't touched, even where it can't be written")
  func identical() throws {
    try directory.write("same", to: "a.png")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1000), .posixPermissions: 0o444],
      ofItemAtPath: directory["a.png"])
    #expect(try put("same", at: "a.png") == .success(.unchanged))
    let attributes = try FileManager.default.attributesOfItem(atPath: directory["a.png"])
    #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1000))
  }

  @Test("a file of the same size and time with other bytes is replaced")
  func sameSize() throws {
    let places = places()
    let place = OutputDirectory(root: directory.path, allowsOutside: false)
    #expect(places.put(try made("aaaa"), at: directory["x"], in: place) == .success(.written))
    // What was put there is remembered, but the file has been changed under us since.
    var times = [timespec(tv_sec: 5, tv_nsec: 0), timespec(tv_sec: 5, tv_nsec: 0)]
    try directory.write("bbbb", to: "x")
    #expect(utimensat(AT_FDCWD, directory["x"], &times, 0) == 0)
    #expect(places.put(try made("aaaa"), at: directory["x"], in: place) == .success(.written))
    #expect(directory.text("x") == "aaaa")
  }

  @Test("an empty file, a longer one and one that can't be read are replaced")
  func others() throws {
    for (number, text) in ["", "longer than what is made"].enumerated() {
      try directory.write(text, to: "\(number)")
      #expect(try put("made", at: "\(number)") == .success(.written))
      #expect(directory.text("\(number)") == "made")
    }
    try directory.write("four", to: "unreadable")
    chmod(directory["unreadable"], 0)
    #expect(try put("made", at: "unreadable") == .success(.written))
  }

  @Test("a link in the place is replaced by the file, and what it led to stays")
  func links() throws {
    try directory.write("target", to: "target")
    #expect(symlink("target", directory["link"]) == 0)
    #expect(symlink("nowhere", directory["dangling"]) == 0)
    for name in ["link", "dangling"] {
      #expect(try put("made", at: name) == .success(.written))
      var status = stat()
      #expect(lstat(directory[name], &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
      #expect(directory.text(name) == "made")
    }
    #expect(directory.text("target") == "target")
    #expect(directory.names == ["dangling", "link", "target"])
    // A link to the right bytes is not the file: it could lead anywhere tomorrow.
    #expect(symlink("target", directory["right"]) == 0)
    #expect(try put("target", at: "right") == .success(.written))
  }

  @Test("a hard link to a file elsewhere is cut, and the other name keeps its bytes")
  func hardLinks() throws {
    try directory.write("old", to: "one")
    #expect(link(directory["one"], directory["other"]) == 0)
    #expect(try put("new", at: "one") == .success(.written))
    #expect(directory.text("other") == "old")
  }

  @Test("what is no file isn't replaced, and says so")
  func noFiles() throws {
    try directory.write("", to: "directory/inside")
    #expect(mkfifo(directory["fifo"], 0o600) == 0)
    for name in ["directory", "fifo"] { #expect(code(try put("made", at: name)) == "write-failed") }
    try directory.write("", to: "file")
    #expect(code(try put("made", at: "file/below")) == "write-failed")
    #expect(code(try put("made", at: String(repeating: "n", count: 300))) == "write-failed")
    #expect(directory.names == ["directory", "directory/inside", "fifo", "file"])
  }

  @Test("a directory that has become a link out of the output directory is refused")
  func leaving() throws {
    let outside = try TestDirectory("outside")
    #expect(symlink(outside.path, directory["out"]) == 0)
    #expect(code(try put("made", at: "out/a.png")) == "outside-output-dir")
    #expect(outside.names.isEmpty)
  }

  @Test("an object that has vanished fails the output, and leaves the old file")
  func vanishedObject() throws {
    try directory.write("old", to: "a")
    let made = try made("made")
    unlink(made.object.path)
    let result = places().put(
      made, at: directory["a"], in: OutputDirectory(root: directory.path, allowsOutside: false))
    #expect(code(result) == "write-failed")
    #expect(directory.text("a") == "old" && directory.names == ["a"])
  }

  @Test("a source of the run is not replaced, not even by its link's name")
  func sources() throws {
    let path = try directory.write("source", to: "source")
    #expect(symlink("source", directory["alias"]) == 0)
    let job = Job(index: 1, sources: [.file(path)], outputs: [])
    for name in ["source", "alias"] {
      #expect(code(try put("made", at: name, sources: [job])) == "overwrites-source")
    }
    #expect(directory.text("source") == "source")
    // What is there already with these very bytes is no replacement.
    #expect(try put("source", at: "source", sources: [job]) == .success(.unchanged))
  }

  @Test("files that no run has made are kept where that is asked for, and those of runs are replaced")
  func kept() throws {
    try directory.write("foreign", to: "foreign")
    try directory.write("made", to: "ours")
    try directory.write("edited", to: "edited")
    #expect(symlink("foreign", directory["link"]) == 0)
    try enter("ours", "made")
    try enter("edited", "made")
    try enter("gone", "made")
    for name in ["foreign", "edited", "link"] {
      #expect(places(keepsForeign: true).isToBeKept(directory[name]))
      #expect(!places().isToBeKept(directory[name]))
      #expect(try put("new", at: name, keepsForeign: true) == .success(.kept))
    }
    for name in ["ours", "gone"] {
      #expect(!places(keepsForeign: true).isToBeKept(directory[name]))
      #expect(try put("new", at: name, keepsForeign: true) == .success(.written))
    }
    #expect(directory.text("foreign") == "foreign" && directory.text("edited") == "edited")
    #expect(directory.text("ours") == "new" && directory.text("gone") == "new")
  }

  @Test("a file that a later run has put there stays, and one of an earlier run doesn't")
  func laterRun() throws {
    let now = Date().timeIntervalSince1970
    let places = places(began: now - 100)
    let place = OutputDirectory(root: directory.path, allowsOutside: false)
    for (name, began, status) in [
      ("later", now - 50, OutputResult.Status.kept),
      ("earlier", now - 150, .written),
    ] {
      try directory.write("theirs", to: name)
      try enter(name, "theirs", began: began)
      #expect(places.put(try made("ours!"), at: directory[name], in: place) == .success(status))
    }
    #expect(directory.text("later") == "theirs" && directory.text("earlier") == "ours!")
  }

  @Test("a file of a run before the clock was set back is replaced, and so is one that was edited since")
  func clockSetBack() throws {
    let now = Date().timeIntervalSince1970
    let places = places(began: now - 100)
    let place = OutputDirectory(root: directory.path, allowsOutside: false)
    try directory.write("theirs", to: "future")
    try enter("future", "theirs", began: now + 86_400)
    try directory.write("edited", to: "edited")
    try enter("edited", "theirs", began: now - 50)
    for name in ["future", "edited"] {
      #expect(places.put(try made("ours!"), at: directory[name], in: place) == .success(.written), "\(name)")
      #expect(directory.text(name) == "ours!")
    }
  }

  @Test("only an ordinary file of the wanted size is looked at")
  func candidates() throws {
    try directory.write("four", to: "file")
    #expect(symlink("file", directory["link"]) == 0)
    #expect(mkfifo(directory["fifo"], 0o600) == 0)
    let places = places()
    #expect(places.file(at: directory["file"], bytes: 4) != nil)
    for (name, bytes) in [("file", 3), ("file", 5), ("link", 4), ("fifo", 0), ("none", 0), ("", 0)] {
      #expect(places.file(at: directory[name], bytes: bytes) == nil, "\(name)")
    }
  }
}
