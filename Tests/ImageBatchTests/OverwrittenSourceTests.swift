import Foundation
import ImageCaches
import ImageFilters
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageRendering

/// An output that another job reads, when the run that made it was killed before it recorded that.
@Suite("Outputs in the place of sources", .timeLimit(.minutes(8)))
struct OverwrittenSourceTests {
  private let directory: TestDirectory
  private let store: DiskStore

  init() throws {
    directory = try TestDirectory("overwritten")
    store = try .ephemeral()
  }

  /// a.png is made into mid.png, and that into end.png.
  private func jobs() throws -> [Job] {
    try [("a.png", "mid.png"), ("mid.png", "end.png")].enumerated().map { index, names in
      var job = Job(
        index: index + 1, sources: [.file(directory[names.0])],
        outputs: [
          JobOutput(
            template: try OutputTemplate(parsing: names.1), chain: try FilterChain(parsing: "flip"),
            encoding: .png())
        ])
      job.outputDirectory = directory.path
      return job
    }
  }

  private func found() throws -> [String] {
    try PlaceMistakes(in: jobs(), store: store).overwritten.map {
      String($0.path.trimmingPrefix(directory.path + "/"))
    }
  }

  private func record(_ text: String) throws {
    let image = RenderedFile(
      format: .png, width: 1, height: 1, frames: 1, bytes: text.utf8.count,
      digest: try store.insert(text: text).digest)
    try store.record([ContentDigest(of: "key of \(text)"): StoredOutput(image, seconds: 1)])
  }

  @Test("a file with the bytes of a recorded output may be made again, and any other file may not")
  func recordedBytes() throws {
    #expect(try found() == [])
    try directory.write("made", to: "mid.png")
    #expect(try found() == ["mid.png"])
    try record("something else")
    #expect(try found() == ["mid.png"])
    try record("made")
    #expect(try found() == [])
    try directory.write("edited", to: "mid.png")
    #expect(try found() == ["mid.png"])
  }

  @Test("an output that another job reads is recorded before it is in place, and its old file stays known")
  func announced() async throws {
    let jobs = try JobDependencies(jobs()).ordered()
    #expect(jobs.map(\.neededOutputs) == [[0], []])
    let place = OutputDirectory(root: directory.path, allowsOutside: false)
    var planned = PlannedOutput(jobs[0], position: 0, jobs[0].outputs[0], in: place, .init(jobs[0]))
    planned.values.sourceDigest = ContentDigest(of: "source")
    planned.path = "mid.png"
    planned.location = try place.location(of: "mid.png")
    let writer = OutputWriter(
      store: store, registry: OutputRegistry(store: store, template: "", remembersPaths: false),
      sources: SourceFiles(store: store, records: false), replacing: ReplacementPolicy())
    for text in ["first", "second"] {
      planned.key = ContentDigest(of: "key \(text)")
      try record(text)
      await writer.announce(planned, ContentDigest(of: text))
      #expect(try store.registryEntry(at: directory["mid.png"])?.digest == ContentDigest(of: text))
      // Killed here: none is there, or the one before.
      #expect(try found() == [])
      try directory.write(text, to: "mid.png")
      #expect(try found() == [])
    }
  }

  @Test("the record of a file that a later run has written stays")
  func laterRun() async throws {
    let jobs = try JobDependencies(jobs()).ordered()
    let place = OutputDirectory(root: directory.path, allowsOutside: false)
    var planned = PlannedOutput(jobs[0], position: 0, jobs[0].outputs[0], in: place, .init(jobs[0]))
    planned.key = ContentDigest(of: "key")
    planned.path = "mid.png"
    planned.location = try place.location(of: "mid.png")
    try directory.write("theirs", to: "mid.png")
    let now = Date().timeIntervalSince1970
    let entry = RegistryEntry(
      path: directory.realPath + "/mid.png",
      scope: OutputScope(manifest: "-", directory: directory.realPath, template: ""),
      digest: ContentDigest(of: "theirs"), key: ContentDigest(of: "their key"), recipe: "{}", began: now - 10)
    try store.register([entry])
    let writer = OutputWriter(
      store: store,
      registry: OutputRegistry(store: store, template: "", remembersPaths: false, began: now - 20),
      sources: SourceFiles(store: store, records: false), replacing: ReplacementPolicy())
    await writer.announce(planned, ContentDigest(of: "ours"))
    #expect(try store.registryEntry(at: directory["mid.png"]) == entry)
  }
}
