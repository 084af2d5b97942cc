import Foundation
import FoundationXML
import ImageBatch
import TestSupport
import Testing

@testable import Reports

/// Texts that break formats: each report is read back by a parser that isn't ours.
@Suite("Hostile texts in reports", .timeLimit(.minutes(8)))
struct HostileTextTests {
  static let texts = [
    "", " ", "\"", "'", "\\", "\\\"", "</failure>", "<![CDATA[x]]>", "]]>", "&amp;", "&#0;", "<!--", "-->",
    "%", "%0A", "%25",
    "::error::x", "a,b", "a:b", "a=b", "\n", "\r\n", "\r", "\t", "\0", "\u{1B}[31m", "\u{7f}", "\u{85}",
    "\u{2028}",
    "\u{202E}gpj", "\u{FFFE}", "\u{FFFF}", "é", "e\u{301}", "日本", "👩‍👩‍👧", "| a | b |", "`x`", "{}", "# x",
    "null",
    // A mark that joins what stands before it: both are one character to Swift, and two to everybody else.
    "%\u{301}", ",\u{301}", ":\u{301}", "\"\u{301}", "\\\u{301}", "<\u{338}", "&\u{301}", "\n\u{301}",
    "|\u{301}", "\u{1FEF}",
    String(repeating: "x", count: 5000),
  ]

  /// A text of several of them.
  private static func text(_ random: inout SeededRandom) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in texts.randomElement(using: &random) ?? "" }
      .joined()
  }

  private static func result(_ random: inout SeededRandom, index: Int) -> OutputResult {
    var result =
      Bool.random(using: &random) ? OutputResult.written(index) : .failing(index, message: text(&random))
    result.source = text(&random)
    result.output = Bool.random(using: &random) ? text(&random) : nil
    result.filter = text(&random)
    result.location = ManifestLocation(file: text(&random) + "m.yaml", line: 3, column: 4)
    result.error?.source = Bool.random(using: &random) ? text(&random) : nil
    result.fields = [.init(name: text(&random), json: "\"x\"")]
    return result
  }

  private let seed = SeededRandom.seed

  private func results(_ count: Int) -> [OutputResult] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { Self.result(&random, index: $0) }
  }

  @Test("come back from JSON as they were")
  func json() throws {
    for result in results(200) {
      let bytes = NDJSONReport().entry(result)
      #expect(bytes.count { $0 == 0x0A } == 1 && bytes.last == 0x0A)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
      func same(_ value: Any?, _ text: String?) -> Bool {
        (value as? String).map { Array($0.unicodeScalars) } == text.map { Array($0.unicodeScalars) }
      }
      #expect(same(object["source"], result.source) && same(object["output"], result.output), "seed \(seed)")
      #expect(same(object["filter"], result.filter), "seed \(seed)")
      let error = object["error"] as? [String: Any]
      #expect(same(error?["message"], result.error?.message) && same(error?["source"], result.error?.source))
      #expect(same((object["location"] as? [String: Any])?["file"], result.location?.file))
    }
  }

  /// What XML 1.0 can hold of a text.
  private func held(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\t", "\n", "\r": scalar
      case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
      default: scalar
      }
    }
  }

  @Test("come back from XML as far as it can hold them")
  func xml() throws {
    let report = JUnitReport()
    for result in results(150) {
      let bytes = report.head(.large) + report.entry(result) + report.tail(.large)
      let root = try #require(try XMLDocument(data: Data(bytes)).rootElement(), "seed \(seed)")
      let element = try #require(try root.nodes(forXPath: "//testcase").first as? XMLElement)
      if let output = result.output {
        let name = element.attribute(forName: "name")?.stringValue ?? ""
        #expect(Array(name.unicodeScalars) == held(output), "seed \(seed): \(output.debugDescription)")
      }
      if let error = result.error {
        let failure = try #require(element.elements(forName: "failure").first)
        let message = failure.attribute(forName: "message")?.stringValue ?? ""
        // With the source, if it isn't the output's own.
        let wanted = try #require(result.failureMessage)
        #expect(Array(message.unicodeScalars) == held(wanted), "seed \(seed)")
        let text = failure.stringValue ?? ""
        #expect(text.contains(String(String.UnicodeScalarView(held(error.message)))) || error.message.isEmpty)
      }
    }
  }

  /// A workflow command, taken apart as the runner does (actions/runner, ActionCommand.cs).
  private struct Command {
    var name: String
    var properties: [String: String] = [:]
    var message: String

    init?(_ line: [Unicode.Scalar]) {
      func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: Array(scalars))
        return String(view)
      }
      func unescaped(_ scalars: some Sequence<Unicode.Scalar>, _ codes: [(String, String)]) -> String {
        var rest = Array(scalars)[...]
        var result = String.UnicodeScalarView()
        while let first = rest.first {
          if let code = codes.first(where: { rest.starts(with: $0.0.unicodeScalars) }) {
            result.append(contentsOf: code.1.unicodeScalars)
            rest = rest.dropFirst(code.0.unicodeScalars.count)
          } else {
            result.append(first)
            rest = rest.dropFirst()
          }
        }
        return String(result)
      }
      let data = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
      guard line.starts(with: "::".unicodeScalars) else { return nil }
      let rest = line.dropFirst(2)
      guard let end = rest.indices.dropLast().first(where: { rest[$0] == ":" && rest[$0 + 1] == ":" }) else {
        return nil
      }
      let head = rest[..<end]
      message = unescaped(rest[(end + 2)...], data)
      let space = head.firstIndex(of: " ") ?? head.endIndex
      name = text(head[..<space])
      for property in head[space...].dropFirst().split(separator: ",") {
        guard let equals = property.firstIndex(of: "=") else { return nil }
        properties[text(property[..<equals])] = unescaped(
          property[(equals + 1)...], data + [("%3A", ":"), ("%2C", ",")])
      }
    }
  }

  @Test("are one workflow command each, with the properties that were meant")
  func github() throws {
    for result in results(200) where result.error != nil {
      let transcript = Transcript()
      let annotations = GitHubAnnotations(directory: "/w", workspace: nil, write: transcript.write)
      annotations.receive(.jobFinished(JobResult(result)))
      let scalars = Array(transcript.text.unicodeScalars)
      #expect(
        scalars.last == "\n" && !scalars.dropLast().contains { $0 == "\n" || $0 == "\r" }, "seed \(seed)")
      let command = try #require(
        Command(scalars.dropLast()), "seed \(seed): \(transcript.text.debugDescription)")
      #expect(command.name == "error")
      #expect(
        Set(command.properties.keys) == ["file", "line", "col", "title"],
        "seed \(seed): \(transcript.text.debugDescription)")
      #expect(command.properties["line"] == "3" && command.properties["title"] == "imagemill")
      let file = try #require(result.location?.file)
      let hasControls = file.unicodeScalars.contains {
        $0.properties.generalCategory == .control && !"\r\n".unicodeScalars.contains($0) || $0 == "\u{202E}"
      }
      if !hasControls {
        #expect(
          Array(try #require(command.properties["file"]).unicodeScalars) == Array(file.unicodeScalars),
          "seed \(seed)")
      }
    }
  }

  @Test("are one line each on a terminal, and move nothing there")
  func terminal() {
    for result in results(200) {
      for line in FailureMessage.lines(JobResult(result)) + [FailureMessage.note(result)].compactMap(\.self) {
        #expect(
          line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" },
          "seed \(seed): \(line.debugDescription)")
      }
    }
  }

  @Test("are one row each of the step summary, with four cells")
  func stepSummary() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("hostile-\(UUID()).md").path
    defer { unlink(path) }
    let failed = results(80).filter { $0.error != nil }
    let summary = StepSummary(path: path)
    for result in failed { summary.receive(.outputFinished(result)) }
    summary.receive(.finished(.large))
    try summary.finish()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = Array(text.unicodeScalars).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.starts(with: "| source".unicodeScalars) })
    for row in lines[(start + 2)...].prefix(min(50, failed.count)) {
      #expect(
        row.count { $0 == "|" } == 5,
        "seed \(seed): \(String(String.UnicodeScalarView(row)).debugDescription)")
      #expect(!row.contains { $0 == "<" || $0 == "`" })
    }
  }

  @Test("stay in their label's quotes in the metrics")
  func metrics() throws {
    for text in Self.texts {
      var exposition = Exposition()
      exposition.gauge("x", text, [(["label": text, "other": "1"], 2)])
      var lines = exposition.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.popLast()?.isEmpty == true)
      #expect(lines.count == 3, "\(text.debugDescription)")
      let sample = Array(lines[2])
      // As the text format says: a backslash takes the next character's meaning away.
      var value = String.UnicodeScalarView()
      var rest = sample.dropFirst("imagemill_x{label=\"".unicodeScalars.count)
      while let scalar = rest.popFirst(), scalar != "\"" {
        if scalar != "\\" {
          value.append(scalar)
        } else if let next = rest.popFirst() {
          value.append(next == "n" ? "\n" : next)
        }
      }
      #expect(Array(value) == Array(text.unicodeScalars), "\(text.debugDescription)")
      #expect(
        rest.elementsEqual(",other=\"1\"} 2".unicodeScalars)
          || rest.elementsEqual(",other=\"1\"} 2.0".unicodeScalars), "\(text.debugDescription)")
    }
  }
}
