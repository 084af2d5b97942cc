import ImageBatch
import ImageCaches
import TestSupport
import Testing

@testable import Manifests

/// The jobs that a command works on are made of its manifests without a process.
@Suite("Jobs of several manifests", .timeLimit(.minutes(8)))
struct JobSelectionTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory("selection")
    try directory.write(
      """
      imagemill: 1
      jobs:
        - {source: 'https://h.example/1.png', output: '1.png'}
        - {from: names.csv, source: 'https://h.example/{id}.png', output: 'row-{id}.png'}
        - {source: 'https://h.example/2.png', output: '2.png'}
      """, to: "a.yaml")
    try directory.write("id\nx\ny\nz\n", to: "names.csv")
    try directory.write(
      "imagemill: 1\njobs:\n  - {source: 'https://h.example/3.png', output: '3.png'}\n", to: "b.yaml")
    try directory.write(
      "source,output\nhttps://h.example/4.png,4.png\nhttps://h.example/5.png,5.png\n", to: "c.csv")
  }

  private func select(
    _ names: [String], failed: FailedJobs? = nil, shard: Shard? = nil
  ) throws -> JobSelection {
    try JobSelection(
      of: try names.map { name in
        var options = ManifestOptions()
        options.directory = directory.path
        return JobSelection.OpenManifest(
          path: directory[name], try ManifestInput(path: directory[name], options), directory: directory.path)
      }, failed: failed, shard: shard, outputDirectory: directory["out"])
  }

  /// Each job's index and its sources, as a batch gets them.
  private func jobs(_ selection: JobSelection) async -> [Int: String] {
    var result: [Int: String] = [:]
    let groups = await selection.items.groupsAtEnd { Issue.record("\($0)") }
    for job in groups.flatMap(\.jobs) {
      #expect(result.updateValue(job.sources[0].displayText, forKey: job.index) == nil)
    }
    return result.mapValues { String($0.dropFirst("https://h.example/".count)) }
  }

  @Test func `indices count through documents, their rows and the records of streams`() async throws {
    let selection = try select(["a.yaml", "b.yaml", "c.csv"])
    #expect(selection.count == nil)
    #expect(selection.tables == [directory["names.csv"]])
    #expect(
      await jobs(selection) == [
        1: "1.png", 2: "x.png", 3: "y.png", 4: "z.png", 5: "2.png", 6: "3.png", 7: "4.png", 8: "5.png",
      ])
    #expect(try select(["a.yaml", "b.yaml"]).count == 6)
  }

  @Test func `shards share documents, rows and records out, and keep their indices`() async throws {
    let names = ["a.yaml", "c.csv", "b.yaml"]
    let all = await jobs(try select(names))
    for count in 1...4 {
      var parts: [Int: String] = [:]
      for number in 1...count {
        let selection = try select(names, shard: try Shard(parsing: "\(number)/\(count)"))
        parts.merge(await jobs(selection)) { first, _ in
          Issue.record("\(first) is in two parts of \(count)")
          return first
        }
      }
      #expect(parts == all)
    }
    #expect(try select(["a.yaml"], shard: try Shard(parsing: "1/2")).count == nil)
  }

  @Test func `targets select outputs of documents and rows, and a misspelled one is told with the nearest`()
    async throws
  {
    for (target, index) in [("1.png", 1), ("row-y.png", 3), ("2.png", 5)] {
      var selection = try select(["a.yaml"])
      try selection.select([directory["out/" + target]])
      #expect(await jobs(selection).map(\.key) == [index])
    }
    var selection = try select(["a.yaml"])
    let unknown = #expect(throws: JobSelection.UnknownTargets.self) {
      try selection.select([directory["out/1.png"], directory["out/row-w.png"]])
    }
    #expect(unknown?.targets == [directory["out/row-w.png"]])
    #expect(unknown?.description.contains("no manifest makes '\(directory["out/row-w.png"])'") == true)
    // What streams make isn't known yet.
    var streamed = try select(["c.csv"])
    try streamed.select([directory["out/5.png"]])
    #expect(await jobs(streamed) == [2: "5.png"])
  }

  @Test func `outputs of two manifests at one path are an error, and within the same content none`() throws {
    try directory.write(
      "imagemill: 1\njobs:\n  - {source: 'https://h.example/4.png', output: '3.png'}\n", to: "d.yaml")
    let found = #expect(throws: ManifestErrors.self) { try select(["b.yaml", "d.yaml"]) }
    #expect(found?.diagnostics.map(\.file) == [directory["d.yaml"]])
    #expect(try select(["b.yaml", "b.yaml"]).count == 2)
  }

  @Test func `jobs that need each other are an error, and others come behind what they need`() throws {
    func source(_ name: String) -> String { directory["out/" + name] }
    try directory.write(
      """
      imagemill: 1
      jobs:
        - {source: '\(source("b.png"))', output: 'a.png'}
        - {source: 'https://h.example/1.png', output: 'b.png'}
      """, to: "chain.yaml")
    try directory.write(
      "imagemill: 1\njobs:\n  - {source: '\(source("a.png"))', output: 'b.png'}\n", to: "circle.yaml")
    func open(_ names: [String]) throws -> JobSelection {
      try JobSelection(
        of: try names.map { name in
          var options = ManifestOptions()
          options.directory = directory.path
          options.allowsOutside = true
          return JobSelection.OpenManifest(
            path: directory[name], try ManifestInput(path: directory[name], options),
            directory: directory.path)
        }, outputDirectory: directory["out"])
    }
    var chain = try open(["chain.yaml"])
    try chain.order()
    #expect(chain.jobs.map(\.level) == [1, 0])
    try directory.write(
      "imagemill: 1\njobs:\n  - {source: '\(source("b.png"))', output: 'a.png'}\n", to: "half.yaml")
    var circle = try open(["half.yaml", "circle.yaml"])
    let found = #expect(throws: ManifestErrors.self) { try circle.order() }
    #expect(found?.description.contains("these jobs need each other's outputs") == true)
  }

  @Test func `a wrong record is handed on with its index, and a wrong header refuses the input`() async throws
  {
    try directory.write("source,output\n,x.png\nhttps://h.example/6.png,6.png\n", to: "wrong.csv")
    let items = try select(["b.yaml", "wrong.csv"]).items
    var rejected: [Int] = []
    let groups = await items.groupsAtEnd { rejected.append($0.index) }
    #expect(rejected == [2])
    #expect(groups.flatMap(\.jobs).map(\.index) == [1, 3])
    #expect(!items.refusal.isRaised)
    try directory.write("nothing,known\n1,2\n", to: "headless.csv")
    let refused = try select(["headless.csv"]).items
    _ = await refused.groupsAtEnd { _ in }
    #expect(refused.refusal.isRaised)
  }

  @Test func `records are admitted one after the other, by index`() async throws {
    let admitted = Shared<[Int]>([])
    var items = try select(["a.yaml", "c.csv"]).items
    items.admit = { index in admitted.change { $0.append(index) } }
    let read = Shared(0)
    items.onRead = { count in read.change { $0 += count } }
    _ = await items.groupsAtEnd { Issue.record("\($0)") }
    #expect(admitted.value == [6, 7])
    #expect(read.value == 7)
  }

  @Test func `sources without a locked digest are named`() throws {
    let selection = try select(["a.yaml"])
    var lock = LockFile()
    for name in ["1", "y"] {
      var source = LockFile.Source()
      source.sha256 = String(repeating: "ab", count: 32)
      lock.sources["https://h.example/\(name).png"] = source
    }
    let missing = selection.missing(from: FrozenSources(lock, path: "l")).map(\.source)
    #expect(missing == ["2", "x", "z"].map { "https://h.example/\($0).png" })
  }
}
