import Foundation
import ImageBatch
import Testing

@testable import Manifests

@Suite("Choosing among a manifest's jobs", .timeLimit(.minutes(8)))
struct ChoosingJobsTests {
  private func jobs(_ count: Int) throws -> [Job] {
    let lines = (1...count).map {
      "  - {source: 'https://h.example/\($0).png', output: '\($0).png', filter: circle}"
    }
    return try ManifestFixture.read("imagemill: 1\njobs:\n" + lines.joined(separator: "\n")).jobs
  }

  @Test func `shards share the jobs out, whatever their order`() throws {
    let jobs = try jobs(400)
    let shards = try (1...4).map { try Shard(parsing: "\($0)/4") }
    let parts = shards.map { shard in Set(jobs.filter(shard.contains).map { $0.sources }) }
    #expect(parts.map(\.count).reduce(0, +) == 400)
    #expect(parts.reduce(into: Set()) { $0.formUnion($1) }.count == 400)
    #expect(parts.allSatisfy { (60...140).contains($0.count) })
    let moved = jobs.reversed().enumerated().map { index, job in
      var job = job
      job.index = index + 1
      return job
    }
    #expect(Set(moved.filter(shards[0].contains).map(\.sources)) == parts[0])
    // Held fast: a shard that changes its mind between versions makes no sense in a running pipeline.
    #expect(
      jobs.prefix(12).map { job in shards.firstIndex { $0.contains(job) } } == [
        1, 1, 2, 1, 3, 3, 2, 0, 0, 3, 2, 3,
      ])
  }

  @Test(arguments: ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3"])
  func `what is no shard is refused`(_ text: String) {
    #expect(throws: Shard.Failure.self) { try Shard(parsing: text) }
  }

  @Test func `the jobs of a report that failed are chosen, and no other of the same source`() throws {
    let manifest = try ManifestFixture.read(
      """
      imagemill: 1
      jobs:
        - {source: 'https://bob:secret@h.example/a.png', output: a.png, filter: circle}
        - {source: 'https://bob:secret@h.example/a.png', output: b.png, filter: flip}
        - {source: 'https://bob:secret@h.example/a.png', output: c.png, filter: circle}
        - {source: 'https://h.example/d.png', output: '{hash}.png', filter: circle}
      """)
    let shown = manifest.jobs[0].sources[0].displayText
    let chain = manifest.jobs[0].outputs[0].chain.identifier
    #expect(!shown.contains("secret"))
    let report = """
      {"index":1,"source":"\(shown)","output":"./a.png","status":"failed","filter":"\(chain)","format":"png"}
      {"index":3,"source":"\(shown)","output":"c.png","status":"written","filter":"\(chain)","format":"png"}
      {"index":4,"source":"https://h.example/d.png","output":null,"status":"failed","filter":"\(chain)","format":"png"}
      {"summary":{"jobs":4}}

      """
    let failed = try FailedJobs(report: Array(report.utf8), name: "r.ndjson")
    #expect(manifest.jobs.filter(failed.contains).map(\.index) == [1, 4])
  }

  @Test func `a report that is none is told by line`() {
    let error = #expect(throws: ManifestErrors.self) {
      try FailedJobs(report: Array("{}\n<xml/>\n".utf8), name: "r.xml")
    }
    #expect(error?.diagnostics.map(\.line) == [2])
  }

  @Test(arguments: [
    "<testsuites>\n<testsuite>\n", "{\"imagemill\":\"1\",\"outputs\":[\n{\"index\":1},\n]}\n",
    "\n{\"a\":1}\n{\"a\":2}\n",
    "imagemill: 1\njobs:\n",
  ])
  func `another file than a report is told once, and what to give instead`(text: String) throws {
    let error = #expect(throws: ManifestErrors.self) {
      try FailedJobs(report: Array(text.utf8), name: "r", wanted: "give another")
    }
    #expect(error?.diagnostics.count == 1)
    #expect(error?.diagnostics.first?.message.hasSuffix("; give another") == true)
  }

  @Test func `a report of a run in which nothing failed, or nothing happened, chooses nothing`() throws {
    let written = #"{"index":1,"source":"a","status":"written","filter":"","format":"png"}"#
    for text in ["", "\n", written] {
      #expect(try FailedJobs(report: Array(text.utf8), name: "r.ndjson").isEmpty)
    }
  }

  @Test func `a file is opened as what its name or its first line says`() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "manifests-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    func kind(_ name: String, _ text: String) throws -> String {
      let path = directory.appendingPathComponent(name).path
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      switch try ManifestInput(path: path, firstIndex: 5, try LineJobsTests.options()) {
      case .document(let manifest): return "document \(manifest.jobs.map(\.index))"
      case .lines: return "lines"
      }
    }
    #expect(try kind("a", "imagemill: 1\njobs: [{source: a.png, output: b.png}]\n") == "document [5]")
    #expect(try kind("b", "a.png\n") == "lines")
    #expect(try kind("c.csv", "source\n") == "lines")
    let missing = #expect(throws: ManifestErrors.self) {
      try ManifestInput(path: "/nonexistent.yaml", .init())
    }
    #expect(missing?.description.contains("No such file or directory") == true)
  }
}
