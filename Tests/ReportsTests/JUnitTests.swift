import Foundation
import FoundationXML
import ImageBatch
import Testing

@testable import Reports

@Suite("The JUnit report", .timeLimit(.minutes(8)))
struct JUnitTests {
  private let report = JUnitReport()

  private func document(_ outputs: [OutputResult], _ change: (inout BatchSummary) -> Void = { _ in }) throws
    -> XMLElement
  {
    var summary = BatchSummary()
    summary.outputs = outputs.count
    summary.outputsFailed = outputs.count { $0.status == .failed }
    summary.seconds = 1234.5678
    change(&summary)
    let bytes = report.head(summary) + outputs.flatMap(report.entry) + report.tail(summary)
    return try #require(try XMLDocument(data: Data(bytes)).rootElement())
  }

  /// Attributes of a case that junit-10.xsd doesn't have. Jenkins' `junit` step ignores them, GitLab reads the file.
  private static let beyond: Set<String> = ["file", "line"]

  /// What Jenkins' xUnit plugin allows in a report (junit-10.xsd), and what is known to go beyond it.
  private static let allowed: [String: (attributes: Set<String>, children: Set<String>)] = [
    "testsuites": (["name", "time", "tests", "failures", "errors"], ["testsuite"]),
    "testsuite": (
      ["name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname"],
      ["testcase", "properties", "system-out", "system-err"]
    ),
    "testcase": (
      Set(["name", "classname", "time"]).union(beyond),
      ["failure", "error", "skipped", "system-out", "system-err"]
    ),
    "failure": (["type", "message"], []), "skipped": (["type", "message"], []), "system-out": ([], []),
  ]

  private func expectAllowed(_ element: XMLElement) throws {
    let name = element.name ?? ""
    let allowed = try #require(Self.allowed[name], "\(name)")
    let attributes = element.attributes ?? []
    #expect(allowed.attributes.isSuperset(of: attributes.compactMap(\.name)), "\(name)")
    for attribute in attributes where attribute.name == "time" {
      #expect(attribute.stringValue?.wholeMatch(of: /[0-9]+(\.[0-9]*)?/) != nil, "seconds: \(attribute)")
    }
    for child in (element.children ?? []).compactMap({ $0 as? XMLElement }) {
      #expect(allowed.children.contains(child.name ?? ""), "\(child.name ?? "") in \(name)")
      try expectAllowed(child)
    }
  }

  @Test func `cases have the manifest's file and line, but for standard input`() throws {
    for (file, wanted) in [("site/m.yaml", "site/m.yaml" as String?), ("-", nil)] {
      var output = OutputResult.failing()
      output.location = ManifestLocation(file: file, line: 7, column: 3)
      let element = try #require(try document([output]).nodes(forXPath: "//testcase").first as? XMLElement)
      #expect(element.attribute(forName: "file")?.stringValue == wanted)
      #expect(element.attribute(forName: "line")?.stringValue == wanted.map { _ in "7" })
    }
  }

  @Test func `holds to the schema that Jenkins' plugin checks it by`() throws {
    let root = try document([.written(), .failing()]) { $0.jobsNotStarted = 3 }
    try expectAllowed(root)
    let suite = try #require(root.elements(forName: "testsuite").first)
    #expect(suite.attribute(forName: "time")?.stringValue == "1234.568")
    let cases = suite.elements(forName: "testcase")
    #expect(suite.attribute(forName: "tests")?.stringValue == "\(cases.count)")
    #expect(suite.attribute(forName: "skipped")?.stringValue == "1")
    #expect(suite.attribute(forName: "failures")?.stringValue == "1")
    #expect(suite.elements(forName: "system-out").first?.stringValue?.contains("3 jobs not started") == true)
  }

  @Test func `what was never begun is a case that was skipped`() throws {
    let cases = try document([.written()]) { $0.jobsNotStarted = 1 }.nodes(forXPath: "//testcase[skipped]")
      .compactMap { $0 as? XMLElement }
    #expect(cases.compactMap { $0.attribute(forName: "name")?.stringValue } == ["1 job not started"])
    #expect(try document([.written()]).nodes(forXPath: "//skipped").isEmpty)
  }

  @Test func `no two cases have one name, though the outputs have none`() throws {
    var outputs = [OutputResult.failing(2), .failing(2, output: 1), .failing(3)]
    for index in outputs.indices { outputs[index].output = nil }
    let names = try document(outputs).nodes(forXPath: "//testcase/@name").compactMap(\.stringValue)
    #expect(Set(names).count == 3, "\(names)")
  }

  @Test(arguments: [
    ("m.yaml", "m"), ("site/v1.2/images.prod.yaml", "site.v1-2.images-prod"), ("../../m.toml", "m"),
    ("-", "stdin"), ("/abs/.yaml", "abs.-yaml"),
  ])
  func `a class is the manifest's path`(_ file: String, _ name: String) throws {
    var output = OutputResult.written()
    output.location = ManifestLocation(file: file, line: 1, column: 1)
    let names = try document([output]).nodes(forXPath: "//testcase/@classname").compactMap(\.stringValue)
    #expect(names == [name])
  }
}
