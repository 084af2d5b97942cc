import Foundation
import ImageBatch
import TestSupport
import Testing

@testable import Manifests

/// The same records as NDJSON, CSV and TSV.
@Suite("The same records in every form", .timeLimit(.minutes(8)))
struct SameRowTests {
  private let seed = SeededRandom.seed

  private func text(_ random: inout RandomManifest) -> String {
    let parts = [
      "a", " ", "\"", ",", "\t", "\n", "\r\n", "é", "日本", "😀", "'", ";", "#", "\"\"", "{", "\\", "null", "1",
    ]
    return (0..<random.int(0...5)).map { _ in random.element(parts) }.joined()
  }

  private func row(_ cells: [String], _ separator: String, _ random: inout RandomManifest) -> String {
    cells.map { cell in
      let mustQuote = cell.contains { "\"\n\r".contains($0) || String($0) == separator || $0 == "\r\n" }
      return mustQuote || random.chance(4) ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
    }.joined(separator: separator)
  }

  private func placeless(_ element: LineJobs.Element) -> Result<Job, ManifestDiagnostic> {
    element.map { job in
      var job = job
      job.location = nil
      for index in job.outputs.indices { job.outputs[index].location = nil }
      job.fields.sort { $0.name < $1.name }
      return job
    }
  }

  @Test("give equal jobs, fields and variables")
  func records() async throws {
    var random = RandomManifest(seed: seed)
    for _ in 0..<25 {
      var columns = ["source", "output", "name of mine", "filter", "quality", "priority", "métier"]
      columns = Array(columns.prefix(random.int(2...columns.count)))
      columns.shuffle(using: &random.random)
      var (ndjson, csv, tsv) = ("", "", "")
      csv += row(columns, ",", &random) + "\n"
      tsv += row(columns, "\t", &random) + "\r\n"
      for index in 0..<random.int(1...12) {
        var values: [String: String] = [
          "source": "a\(index).png", "output": "\(index)-{source-hash}.jpg", "name of mine": text(&random),
          "filter": random.element(["flip", "fit:10x10,circle", ""]),
          "quality": random.element(["", "7", "100"]),
          "priority": "\(random.int(-9...9))", "métier": text(&random),
        ]
        values = values.filter { columns.contains($0.key) }
        let cells = columns.map { values[$0] ?? "" }
        csv += row(cells, ",", &random) + (random.chance(2) ? "\n" : "\r\n")
        tsv += row(cells, "\t", &random) + "\n"
        // A cell of one of the job's keys that is empty says nothing.
        let object = values.filter { !$0.value.isEmpty || ["name of mine", "métier"].contains($0.key) }
        ndjson += String(
          decoding: try JSONSerialization.data(withJSONObject: object, options: []), as: UTF8.self)
        ndjson += random.chance(5) ? "\n\n" : "\n"
      }
      let expected = try await LineJobsTests.read(ndjson, .ndjson).map(placeless)
      #expect(
        expected.allSatisfy { if case .success = $0 { true } else { false } }, "seed \(seed): \(expected)")
      #expect(try await LineJobsTests.read(csv, .csv).map(placeless) == expected, "seed \(seed):\n\(csv)")
      #expect(try await LineJobsTests.read(tsv, .tsv).map(placeless) == expected, "seed \(seed):\n\(tsv)")
      #expect(try await LineJobsTests.read("\u{feff}" + csv, .csv).map(placeless) == expected)
      #expect(try await LineJobsTests.read(String(csv.dropLast()), .csv).map(placeless) == expected)
    }
  }

  @Test("cells read back as they were, with the column in which each begins")
  func cells() throws {
    var random = RandomManifest(seed: seed)
    for _ in 0..<500 {
      let separator = random.element([",", "\t"])
      let cells = (0..<random.int(1...6)).map { _ in text(&random) }
      let line = row(cells, separator, &random)
      let byte = try #require(separator.utf8.first)
      let found = try DelimitedRow.cells(of: Array(line.utf8), separator: byte)
      #expect(found.map(\.text) == cells, "seed \(seed): \(line)")
      let scalars = Array(line.unicodeScalars)
      for (index, cell) in found.enumerated() where index > 0 && !cell.text.contains("\n") {
        #expect(String(scalars[cell.column - 2]) == separator, "seed \(seed): \(line)")
      }
    }
  }

  @Test(
    "a row that can't be taken apart says where",
    arguments: [
      ("a,\"b", 3), ("\"a\"b,c", 4), ("a,\"b\" ,c", 6), ("é,\"b\"x", 6), ("\"", 1), ("a\rb", 2),
      ("x,\"y\"\"", 3),
    ])
  func damaged(line: String, column: Int) {
    do throws(DelimitedRow.Failure) {
      let cells = try DelimitedRow.cells(of: Array(line.utf8), separator: UInt8(ascii: ","))
      Issue.record("\(cells)")
    } catch {
      #expect(error.column == column, "\(line): \(error.message)")
    }
  }

  @Test("a wrong record costs one job, and each of the others keeps its number and its line")
  func wrongRecords() async throws {
    for (form, text) in [
      (
        LineForm.csv,
        "source,output,n\na.png,a.jpg,1\nb.png,b.jpg\n\"c\nc.png\",c.jpg,2\nd.png,d.xyz,3\ne.png,e.jpg,4\n"
      ),
      (
        .ndjson,
        "{\"source\":\"a.png\",\"output\":\"a.jpg\"}\n{\"source\":\"b.png\"\n\n{\"source\":\"c.png\",\"output\":\"c.jpg\"}\n[]\n{\"source\":\"e.png\",\"output\":\"e.jpg\"}\n"
      ),
    ] {
      let elements = try await LineJobsTests.read(text, form)
      var found: [String] = []
      for element in elements {
        switch element {
        case .success(let job): found.append("\(job.index):\(job.location?.line ?? 0)")
        case .failure(let diagnostic): found.append("!\(diagnostic.line)")
        }
      }
      #expect(
        found == (form == .csv ? ["1:2", "!3", "3:4", "!6", "5:7"] : ["1:1", "!2", "3:4", "!5", "5:6"]),
        "\(elements)")
    }
  }

  @Test("a record's mistakes are all told at once")
  func allMistakes() async throws {
    let line =
      #"{"source": "", "output": 3, "quality": [], "filter": "crcle", "priority": "x", "sha256": "0"}"#
    let element = try #require(try await LineJobsTests.read(line + "\n", .ndjson).first)
    guard case .failure(let diagnostic) = element else {
      Issue.record("\(element)")
      return
    }
    #expect(diagnostic.line == 1)
    for key in ["'output'", "'quality'"] {
      #expect(diagnostic.wholeMessage.contains(key), "\(diagnostic.wholeMessage)")
    }
  }
}
