import Foundation
import FoundationXML
import ImageBatch
import TestSupport
import Testing

@testable import Reports

@Suite("Reports in files", .timeLimit(.minutes(8)))
struct FileReportTests {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("reports-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// Writes a report of `outputs`, in this order, and reads it.
  func report(_ name: String, _ outputs: [OutputResult]) throws -> Data {
    let path = directory.appendingPathComponent(name)
    let report = try FileReport(path: path.path, version: "1.2.3")
    for output in outputs { report.receive(.outputFinished(output)) }
    var summary = BatchSummary()
    summary.outputs = outputs.count
    summary.outputsFailed = outputs.count { $0.status == .failed }
    report.receive(.finished(summary))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path) == [], "absent until complete")
    try report.finish()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [name])
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    return try Data(contentsOf: path)
  }

  @Test func `the JSON report holds the summary and every output in the manifest's order`() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let outputs = (1...3000).map { OutputResult.written($0, output: "\($0).png") }
    let data = try report("r.json", outputs.shuffled(using: &random))
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["imagemill"] as? String == "1.2.3")
    let summary = try #require(object["summary"] as? [String: Any])
    #expect(summary["outputs"] as? Int == 3000)
    #expect(Set(summary.keys) == Set(Mirror(reflecting: BatchSummary()).children.compactMap(\.label)))
    let entries = try #require(object["outputs"] as? [[String: Any]])
    #expect(entries.compactMap { $0["index"] as? Int } == Array(1...3000))
    let manifest = try #require(entries.first?["location"] as? [String: Any])
    #expect(manifest["file"] as? String == "m.yaml")
    #expect(manifest["line"] as? Int == 3)
  }

  @Test(arguments: ["r.json", "r.xml", "r.ndjson"])
  func `a report of nothing is well-formed`(name: String) throws {
    let data = try report(name, [])
    switch name {
    case "r.json": #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data) }
    case "r.xml": #expect(try XMLDocument(data: data).nodes(forXPath: "//testcase").isEmpty)
    default: #expect(data.isEmpty)
    }
  }

  @Test func `the NDJSON report has an object a line`() throws {
    let data = try report("r.NDJSON", [.failing(2), .written(1)])
    let lines = data.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 2)
    let objects = try lines.map { try #require(JSONSerialization.jsonObject(with: $0) as? [String: Any]) }
    #expect(objects.map { $0["status"] as? String } == ["written", "failed"])
    #expect(objects.last?["output"] as? String == "b.png")
    #expect(data.last == UInt8(ascii: "\n"))
  }

  @Test func `JUnit has a case for each output and survives any name`() throws {
    let hostile = "]]>\u{0}\u{1B}<!--&\"'\u{FFFF}\nx"
    let data = try report(
      "r.xml", [.failing(2, message: hostile, source: hostile), .written(1, output: hostile)])
    let document = try XMLDocument(data: data)
    let cases = try document.nodes(forXPath: "/testsuites/testsuite/testcase").compactMap {
      $0 as? XMLElement
    }
    #expect(cases.count == 2)
    let safe = "]]>\u{FFFD}\u{FFFD}<!--&\"'\u{FFFD}\nx"
    #expect(cases.first?.attribute(forName: "name")?.stringValue == safe)
    #expect(cases.map { $0.attribute(forName: "classname")?.stringValue } == ["m", "m"])
    #expect(cases.first?.attribute(forName: "time")?.stringValue == "0.25")
    let failure = try #require(cases.last?.elements(forName: "failure").first)
    #expect(failure.attribute(forName: "message")?.stringValue == safe)
    #expect(failure.stringValue?.hasPrefix("m.yaml:4:5\n") == true)
    let suite = try #require(document.nodes(forXPath: "/testsuites/testsuite").first as? XMLElement)
    #expect(suite.attribute(forName: "tests")?.stringValue == "2")
    #expect(suite.attribute(forName: "failures")?.stringValue == "1")
  }

  @Test(arguments: ["report.pdf", "report", "dir.html/report", ".json/x"])
  func `an unknown extension is an error that names the known ones`(path: String) {
    let error = #expect(throws: ReportError.self) { try ReportFormat(path: path) }
    #expect(error?.code == .unknownFormat)
    #expect(error?.message.contains(".ndjson") == true)
  }

  @Test func `a directory that can't be made is found before the batch begins`() {
    let error = #expect(throws: ReportError.self) {
      try FileReport(path: "/proc/none/r.json", version: "1")
    }
    #expect(error?.code == .notWritable)
    #expect(error?.message.contains("No such file or directory") == true)
  }

  @Test func `a batch that doesn't end leaves the old report`() throws {
    let path = directory.appendingPathComponent("r.json")
    try Data("old".utf8).write(to: path)
    let report = try FileReport(path: path.path, version: "1")
    report.receive(.outputFinished(.written()))
    try report.finish()
    #expect(try Data(contentsOf: path) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["r.json"])
  }
}
