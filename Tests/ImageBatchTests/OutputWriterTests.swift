import Glibc
import ImageCaches
import ImageFilters
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageRendering

@Suite("A writer of outputs", .timeLimit(.minutes(8)))
struct OutputWriterTests {
  private func writer(_ store: DiskStore) -> OutputWriter {
    OutputWriter(
      store: store, registry: OutputRegistry(store: store, template: "", remembersPaths: false),
      sources: SourceFiles(store: store, records: false), replacing: ReplacementPolicy())
  }

  @Test("finds outputs with placeholders only if they are wanted, whoever has stored them")
  func placeholders() async throws {
    let seed = SeededRandom.seed
    var values = RandomValues(seed: seed)
    let store = try DiskStore.ephemeral()
    var rows: [ContentDigest: StoredOutput] = [:]
    for number in 0..<40 {
      var file = values.file()
      file.placeholders = number % 2 == 0 ? nil : values.placeholders().withoutNUL
      file.digest = try store.insert(text: "object \(number)").digest
      rows[ContentDigest(of: "\(number)")] = StoredOutput(file, seconds: 1)
    }
    try store.record(rows)
    let writer = writer(store)
    for isWanted in [false, true] {
      let found = await writer.found(Array(rows.keys), withPlaceholders: isWanted)
      #expect(found.count == (isWanted ? 20 : 40), "seed \(seed)")
      #expect(found.values.allSatisfy { ($0.image.placeholders != nil) == isWanted }, "seed \(seed)")
    }
  }
}

@Suite("The cache of renditions", .timeLimit(.minutes(8)))
struct RenditionCacheTests {
  private let store: DiskStore
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory("renditions")
    store = try DiskStore(directory: directory["cache"], capacity: 40_000)
  }

  private func request() throws -> RenderRequest {
    let chain = try FilterChain(parsing: "fit:20x20,flip")
    return RenderRequest(
      source: .path("/none"), sourceDigest: ContentDigest(of: "source"),
      recipes: [
        RenderRecipe(id: 0, chain: chain, encoding: .png(), temporaryPath: "")
      ])
  }

  @Test("takes no rendition under a key of another source")
  func foreignKeys() throws {
    let (request, other) = (try request(), ContentDigest(of: "another source's"))
    let shape = SourceShape(
      format: .png, stored: Size(width: 200, height: 100), frames: 1, orientation: 1)
    let own = RenditionCache.keys(of: request, shape)
    #expect(!own.isEmpty)
    var response = RenderResponse(
      outputs: [], source: SourceFacts(shape, hasAlpha: false), warnings: [], counts: RenderCounts())
    response.renditions = (own + [other]).map {
      KeptRendition(key: $0, path: "", digest: ContentDigest(of: "v"), bytes: 1, seconds: 1)
    }
    #expect(RenditionCache.renditions(of: response, to: request).map(\.key) == own)
    response.source = nil
    #expect(RenditionCache.renditions(of: response, to: request) == [])
  }

  @Test("takes renditions again when a purge has made room, as often as that happens")
  func roomAfterPurge() throws {
    let cache = RenditionCache(store: store, policy: .always)
    for round in 0..<4 {
      for number in 0..<10 {
        let lease = try cache.lease(for: try request(), force: false)
        guard let path = lease.plan.files.first else { break }
        let text = String(repeating: "\(round) \(number)", count: 1000)
        try directory.write(text, to: "rendition")
        #expect(rename(directory["rendition"], path) == 0)
        let kept = KeptRendition(
          key: ContentDigest(of: "\(round) \(number)"), path: path, digest: ContentDigest(of: text),
          bytes: text.utf8.count, seconds: 1)
        try cache.keep([kept], of: lease)
      }
      #expect(try cache.lease(for: try request(), force: false).plan.files.isEmpty)
      #expect(try store.renditionBytes() >= 10_000, "round \(round)")
      // As another process's purge would.
      try DiskStore(directory: store.directory, capacity: 40_000).purge(to: 0)
    }
  }
}
