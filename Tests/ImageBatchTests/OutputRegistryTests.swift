import Foundation
import Glibc
import ImageCaches
import ImageFilters
import Testing

@testable import ImageBatch
@testable import ImageRendering
import TestSupport

/// A run's record of its outputs, and the removal of those that are no longer made.
@Suite("The registry of outputs, and pruning", .timeLimit(.minutes(8)))
struct OutputLedgerTests {
  private let directory: TestDirectory
  private let store: DiskStore

  init() throws {
    directory = try TestDirectory("registry")
    store = try .ephemeral()
    try directory.write("jobs", to: "m.yaml")
  }

  private var real: String { directory.realPath }

  private func scope(_ out: String = "out", manifest: String = "m.yaml") -> OutputScope {
    OutputScope(manifest: real + "/" + manifest, directory: real + "/" + out, template: "")
  }

  private func registry() -> OutputRegistry {
    OutputRegistry(store: store, template: "", remembersPaths: true)
  }

  /// An output that is in place.
  private func planned(
    _ name: String, manifest: String = "m.yaml", out: String = "out", chain: String = "flip"
  )
    throws -> PlannedOutput
  {
    var job = Job(
      index: 1, sources: [.file("a.png")],
      outputs: [
        JobOutput(
          template: try OutputTemplate(parsing: name), chain: try FilterChain(parsing: chain),
          encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
      ])
    job.manifest = directory[manifest]
    let place = OutputDirectory(root: directory[out], allowsOutside: false)
    var planned = PlannedOutput(job, position: 0, job.outputs[0], in: place, .init(job))
    planned.values.sourceDigest = ContentDigest(of: "source")
    planned.key = ContentDigest(of: name + chain)
    planned.path = name
    planned.location = try place.location(of: name)
    return planned
  }

  /// Writes files and notes them as a run's.
  private func run(_ names: [String], text: String = "text", out: String = "out") throws -> OutputRegistry {
    let registry = registry()
    for name in names {
      try directory.write(text, to: "\(out)/\(name)")
      #expect(!registry.note(try planned(name, out: out), ContentDigest(of: text)))
    }
    registry.flush()
    return registry
  }

  private func fates(_ stale: [RegistryEntry]) throws -> [String: Pruning.Fate] {
    let pruning = Pruning(
      store: store, fingerprints: FileDigestCache(store: store),
      sources: SourceFiles(store: store, records: false))
    return Dictionary(
      uniqueKeysWithValues: try pruning.fates(of: stale).map {
        (String($0.entry.path.dropFirst(real.count + 1)), $0.fate)
      })
  }

  @Test("what a later run no longer makes is stale, and nothing else")
  func stale() throws {
    let first = try run(["a.png", "b/c.png", "d.png"])
    #expect(try first.stale(in: [scope()]).isEmpty)
    let second = try run(["a.png", "e.png"])
    #expect(try second.stale(in: [scope()]).map(\.path) == ["b/c.png", "d.png"].map { "\(real)/out/\($0)" })
    // Any path of the manifest and the directory means the scope, and a scope that is named twice counts
    // once.
    let spelled = OutputScope(
      manifest: directory["./m.yaml"], directory: directory["out/../out/"], template: "")
    #expect(try second.stale(in: [scope(), spelled]).count == 2)
    for other in [scope("none"), scope(manifest: "other.yaml")] {
      #expect(try second.stale(in: [other]).isEmpty)
    }
    #expect(
      try second.stale(in: [OutputScope(manifest: real + "/m.yaml", directory: real + "/out", template: "x")])
        .isEmpty)
  }

  @Test("the entry of a file says what made it, by whatever path it is asked for")
  func entry() throws {
    _ = try run(["a.png"])
    #expect(symlink("out", directory["link"]) == 0)
    for path in ["out/a.png", "link/a.png", "out/./a.png"] {
      let entry = try #require(try store.registryEntry(at: directory[path]))
      #expect(entry.path == real + "/out/a.png" && entry.digest == ContentDigest(of: "text"))
      let recipe = try #require(OutputRecipe(json: entry.recipe))
      #expect(recipe.filter == (try FilterChain(parsing: "flip")).identifier)
      #expect(recipe.content == ContentDigest(of: "source"))
    }
    for path in ["out/b.png", "none/a.png", "out"] {
      #expect(try store.registryEntry(at: directory[path]) == nil)
    }
  }

  @Test("an output that is made of something else has a new entry, and one that isn't keeps its own")
  func updates() throws {
    _ = try run(["a.png"])
    let before = try #require(try store.registryEntry(ofPath: real + "/out/a.png"))
    _ = try run(["a.png"])
    #expect(try store.registryEntry(ofPath: real + "/out/a.png") == before)
    let registry = registry()
    #expect(!registry.note(try planned("a.png", chain: "flop"), ContentDigest(of: "other")))
    registry.flush()
    let after = try #require(try store.registryEntry(ofPath: real + "/out/a.png"))
    #expect(after.digest == ContentDigest(of: "other") && after.key != before.key)
  }

  @Test("more outputs than are gathered at once are all known")
  func many() throws {
    let registry = registry()
    try directory.write("", to: "out/x")
    var flushes = 0
    for number in 0..<1203 where registry.note(try planned("\(number).png"), ContentDigest(of: "")) {
      registry.flush()
      flushes += 1
    }
    #expect(flushes == 2)
    registry.flush()
    #expect(try store.registry(of: scope()).count == 1203)
    #expect(try registry.stale(in: [scope()]).isEmpty)
    #expect(try self.registry().stale(in: [scope()]).count == 1203)
  }

  @Test("an output without a place or a key isn't noted")
  func incomplete() throws {
    let registry = registry()
    var output = try planned("a.png")
    output.key = nil
    #expect(!registry.note(output, ContentDigest(of: "")))
    output = try planned("a.png")
    output.location = nil
    #expect(!registry.note(output, ContentDigest(of: "")))
    #expect(!registry.note(try planned("no/directory.png"), ContentDigest(of: "")))
    registry.flush()
    #expect(try store.registry(of: scope()).isEmpty)
  }

  @Test("pruning removes what is as it was written, and empty directories up to the output directory")
  func removes() throws {
    _ = try run(["a.png", "b/c/d.png", "b/e.png", "f/g.png"])
    try directory.write("mine", to: "out/f/note.txt")
    let stale = try registry().stale(in: [scope()])
    let pruning = Pruning(
      store: store, fingerprints: FileDigestCache(store: store),
      sources: SourceFiles(store: store, records: false))
    let removed = try pruning.run(stale)
    #expect(removed.allSatisfy { $0.fate == .removed } && removed.count == 4)
    #expect(directory.names == ["m.yaml", "out", "out/f", "out/f/note.txt"])
    // They are struck from the registry: a second time there is nothing to do.
    #expect(try registry().stale(in: [scope()]).isEmpty)
  }

  @Test("pruning keeps what is edited, a source, a link, outside, or behind a link, and says why")
  func keeps() throws {
    _ = try run(["same.png", "edited.png", "gone.png", "source.png", "linked.png", "dir/behind.png"])
    try directory.write("edited", to: "out/edited.png")
    unlink(directory["out/gone.png"])
    try store.recordSources([real + "/out/source.png"])
    unlink(directory["out/linked.png"])
    try directory.write("text", to: "elsewhere.png")
    #expect(symlink("../elsewhere.png", directory["out/linked.png"]) == 0)
    #expect(rename(directory["out/dir"], directory["moved"]) == 0)
    #expect(symlink("../moved", directory["out/dir"]) == 0)
    let stale = try registry().stale(in: [scope()])
    let fates = try fates(stale)
    #expect(fates["out/same.png"] == .removed && fates["out/gone.png"] == .gone)
    for name in ["edited", "source", "linked", "dir/behind"] {
      guard case .kept(let reason)? = fates["out/\(name).png"] else {
        Issue.record("\(name): \(String(describing: fates["out/\(name).png"]))")
        continue
      }
      #expect(!reason.isEmpty)
    }
    // An entry of another scope's directory is never removed by this one.
    var outside = try #require(stale.first { $0.path.hasSuffix("same.png") })
    outside.scope.directory = real + "/other"
    guard case .kept? = try self.fates([outside])["out/same.png"] else {
      Issue.record("a file outside of the directory")
      return
    }
    let before = directory.names
    _ = try self.fates(stale)
    #expect(directory.names == before, "a forecast changes nothing")
  }

  @Test("a lookup says whether a file is in place, edited, or gone, and whether its bytes are stored")
  func lookup() throws {
    _ = try run(["a.png"])
    let lookup = RegistryLookup(store: store)
    let entry = try #require(try store.registryEntry(at: directory["out/a.png"]))
    #expect(try lookup.state(of: entry) == .inPlace)
    try directory.write("edited", to: "out/a.png")
    #expect(try lookup.state(of: entry) == .edited)
    unlink(directory["out/a.png"])
    #expect(try lookup.state(of: entry) == .missing)
    _ = try store.insert(text: "text")
    #expect(try lookup.state(of: entry) == .missingButStored)
  }
}
