import Foundation
import ImageBatch
import ImageDownloads
import ImageFilters
import Testing
@testable import Manifests
import ImageRendering

@Suite("Outputs of rows that meet", .timeLimit(.minutes(8)))
struct RowConflictTests {
  @Test("outputs of rows that meet are found: within a row once, between rows, and with other jobs")
  func conflicts() throws {
    let fixture = try RowFixture(["t.csv": "sku,source\nA,a.jpg\nB,b.jpg\nA,c.jpg\n"])
    #expect(
      try fixture.complaints("  - {from: t.csv, output: \"{sku}.png\"}") == [
        "t.csv:4:1: two outputs have the path 'A.png' (first in line 2): rename one, or use a field that differs, "
          + "such as {index}, {width} or a variable"
      ])
    let within = try fixture.complaints(
      "  - {from: t.csv, output: \"{name}.png\", filter: \"fit:{w}x\", matrix: {w: [1, 2]}}")
    #expect(within.count == 1)
    #expect(
      within.first?.hasPrefix("m.yaml:3:5: two outputs of a row have the path 'a.png'") == true)
    let others = try fixture.complaints(
      "  - {source: x.jpg, output: b.png}\n  - {from: t.csv, output: \"{name}.png\"}")
    #expect(others.count == 1)
    #expect(
      others.first?.hasPrefix("t.csv:3:1: two outputs have the path 'b.png' (first at m.yaml:3)") == true,
      "\(others)")
  }

  @Test("more paths than are remembered are gone through in parts")
  func parts() throws {
    func conflicts(_ capacity: Int, _ part: RecordConflicts.Part) -> (
      found: Int, others: [RecordConflicts.Part]
    ) {
      var conflicts = RecordConflicts(part, capacity: capacity)
      var found = 0
      for index in 1...2000 {
        var job = Job(index: index, sources: [.file("\(index).jpg")], outputs: [])
        // 1500 and on have the paths of the first 500.
        guard let template = try? OutputTemplate(parsing: "\(index % 1500).png"),
          let encoding = try? Encoding(resolving: EncodingSettings(), pathExtension: "png")
        else { continue }
        job.outputs = [JobOutput(template: template, chain: FilterChain(), encoding: encoding)]
        if conflicts.claim(job) != nil { found += 1 }
      }
      return (found, conflicts.otherParts)
    }
    let whole = conflicts(10_000, .init())
    #expect(whole.found == 500)
    #expect(whole.others.isEmpty)
    // The first pass may find some before it leaves their part to another.
    let first = conflicts(300, .init())
    #expect(!first.others.isEmpty)
    let rest = first.others.map { conflicts(10_000, $0).found }.reduce(0, +)
    #expect(rest <= 500)
    #expect(first.found + rest >= 500)
  }
}
