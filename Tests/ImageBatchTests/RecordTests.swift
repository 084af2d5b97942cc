import ImageCaches
import SystemIO
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageDownloads
@testable import ImageRendering

/// The rows of the index that this module owns.
@Suite("Records of renderings", .timeLimit(.minutes(8)))
struct RecordTests {
  private let seed = SeededRandom.seed

  private func records(of store: DiskStore) -> RenderingRecords {
    RenderingRecords(store: store, threads: BlockingThreadPool(label: "test", threads: 2))
  }

  /// What a row must not become when it is damaged: something else.
  private func checkDamage<Row: StoreRow & Equatable>(_ row: Row, optional: Set<Int>) {
    let values = row.values
    #expect(Row(values) == row, "seed \(seed)")
    #expect(Row(Array(values.dropLast())) == nil, "seed \(seed): a value is missing")
    #expect(Row(values + [.null]) == nil, "seed \(seed): a value too many")
    #expect(Row([]) == nil)
    for index in values.indices where !optional.contains(index) {
      var damaged = values
      damaged[index] = .null
      #expect(Row(damaged) == nil, "seed \(seed): value \(index) is null")
      // A text for a number, and a number for a text.
      damaged[index] = values[index].text == nil ? .text("x") : .integer(1)
      #expect(Row(damaged) == nil, "seed \(seed): value \(index) is of another type")
    }
  }

  @Test("outputs read back as they were, and a damaged row is none")
  func outputs() {
    var values = RandomValues(seed: seed)
    for _ in 0..<300 {
      var file = values.file()
      // A search's quality is of its run, and isn't recorded.
      file.quality = nil
      let row = StoredOutput(file, seconds: values.real())
      checkDamage(row, optional: [7, 8, 9, 10])
      #expect(RenderedFile(row) == file, "seed \(seed)")
      #expect(row.withoutPlaceholders.placeholders == nil)
    }
  }

  @Test("an output has all of its placeholders or none")
  func partialPlaceholders() {
    var values = RandomValues(seed: seed)
    var file = values.file()
    file.placeholders = values.placeholders()
    let row = StoredOutput(file, seconds: 1)
    for index in 7...10 {
      var damaged = row.values
      damaged[index] = .null
      #expect(StoredOutput(damaged) == row.withoutPlaceholders)
    }
  }

  @Test("a row that names no digest or no format is none")
  func meanings() {
    var values = RandomValues(seed: seed)
    let row = StoredOutput(values.file(), seconds: 1)
    for (index, texts) in [(0, ["", "00", String(repeating: "g", count: 64)]), (1, ["", "JPEG", "bmp"])] {
      for text in texts {
        var damaged = row.values
        damaged[index] = .text(text)
        #expect(StoredOutput(damaged) == nil, "\(text)")
      }
    }
  }

  @Test("renditions, headers and failures read back as they were, and a damaged row is none")
  func others() {
    var values = RandomValues(seed: seed)
    for _ in 0..<300 {
      checkDamage(
        StoredRendition(digest: values.digest(), bytes: values.number(), seconds: values.real()), optional: []
      )
      checkDamage(values.facts(), optional: [6, 7, 8])
      checkDamage(
        DecoderFailure(JobError("corrupt", .decode, values.text())), optional: [])
    }
  }

  @Test("every row goes through the store's file, and keys have nothing to do with each other")
  func store() throws {
    let store = try DiskStore.ephemeral()
    var values = RandomValues(seed: seed)
    var outputs: [ContentDigest: StoredOutput] = [:]
    var facts: [ContentDigest: SourceFacts] = [:]
    for number in 0..<200 {
      let key = ContentDigest(of: "key \(number)")
      var file = values.file()
      file.quality = nil
      file.placeholders = values.chance(2) ? nil : values.placeholders().withoutNUL
      file.digest = try store.insert(text: "object \(number)").digest
      outputs[key] = StoredOutput(file, seconds: values.real())
      facts[key] = values.facts()
      // A text ends at a NUL there. No format's name and no hash has one.
      facts[key]?.format.removeAll { $0 == "\0" }
    }
    try store.record(outputs)
    try store.record(facts)
    let keys = Array(outputs.keys)
    #expect(try store.rows(of: StoredOutput.self, forKeys: keys) == outputs, "seed \(seed)")
    #expect(try store.rows(of: SourceFacts.self, forKeys: keys) == facts, "seed \(seed)")
    #expect(try store.rows(of: StoredOutput.self, forKeys: [ContentDigest(of: "none")]).isEmpty)
    #expect(try store.rows(of: DecoderFailure.self, forKeys: keys).isEmpty)
    // A later record of a key replaces the earlier one.
    let key = keys[0]
    let other = StoredOutput(values.file(), seconds: 2).withoutPlaceholders
    try store.record([key: other])
    #expect(try store.rows(of: StoredOutput.self, forKeys: [key])[key] == other)
  }

  @Test("a failure is found under the limits that it was recorded under, and says that it is an old one")
  func failures() async throws {
    let store = try DiskStore.ephemeral()
    let records = records(of: store)
    let keys = (0..<3).map { ContentDigest(of: "\($0)") }
    let error = JobError("timed-out", .decode, "it took too long")
    await records.record([keys[0]: error, keys[1]: error], limits: "timeout=1")
    let found = await records.decoderFailures(of: keys, limits: "timeout=1")
    #expect(Set(found.keys) == Set(keys[..<2]))
    #expect(
      found.values.allSatisfy { $0.code == error.code && $0.message.hasPrefix(error.message) && $0 != error })
    #expect(await records.decoderFailures(of: keys, limits: "timeout=2").isEmpty)
    #expect(await records.decoderFailures(of: keys, limits: "").isEmpty)
  }

  @Test("of a source only faults of its bytes are recorded, for runs that read it alike")
  func sourceFailures() async throws {
    let store = try DiskStore.ephemeral()
    let records = records(of: store)
    func source(_ name: String) -> StoredSource {
      StoredSource(
        digest: ContentDigest(of: name), path: "/dev/null", byteCount: 1, disposition: .local,
        displayText: name)
    }
    let strict = BatchConfiguration()
    var lenient = BatchConfiguration()
    lenient.onCorrupt = .warn
    var allowing = BatchConfiguration()
    allowing.limits.allowedFormats = ["svg", "pdf"]
    for (code, isRecorded) in [
      ("corrupt", true), ("truncated", true), ("not-an-image", true), ("empty", true),
      ("too-many-pixels", false), ("timed-out", false), ("unsupported-format", false),
      ("write-failed", false),
    ] {
      let error = JobError(code)
      await records.record(error, of: source(code), strict)
      let found = await records.failure(of: source(code), strict)
      #expect((found != nil) == isRecorded, "\(code)")
      if isRecorded { #expect(found.map { $0.codeText } == code && found?.source == code) }
      #expect(await records.failure(of: source(code), lenient) == nil)
      #expect(await records.failure(of: source(code), allowing) == nil)
      #expect(await records.failure(of: source("other " + code), strict) == nil)
    }
    // The order in which formats are allowed says nothing.
    var same = BatchConfiguration()
    same.limits.allowedFormats = ["pdf", "svg"]
    let digest = ContentDigest(of: "x")
    #expect(DecoderFailure.key(of: digest, allowing) == DecoderFailure.key(of: digest, same))
  }

  @Test("headers are recorded by content")
  func headers() async throws {
    let records = records(of: try .ephemeral())
    var values = RandomValues(seed: seed)
    let content = values.digest()
    var facts = values.facts()
    facts.format = "jpeg"
    #expect(await records.facts(of: content) == nil)
    await records.record(facts, of: content)
    #expect(await records.facts(of: content) == facts)
  }
}
