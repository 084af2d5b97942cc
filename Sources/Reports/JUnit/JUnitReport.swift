import ImageBatch
import SystemIO

/// JUnit XML as GitLab and Jenkins read it: a test case for each output, with a class named after the manifest.
///
/// There is no standard. This follows the schema of Jenkins' xUnit plugin (junit-10.xsd), except for a case's
/// `file` and `line`, which GitLab and other readers show. That plugin rejects a report with unknown
/// attributes; Jenkins' own `junit` step ignores them. A failed output is a `<failure>`, because an `<error>`
/// would be a problem of the test runner. GitLab keeps only the first of several cases with the same class
/// and name, so the pair must be unique.
struct JUnitReport: ReportDocument {
  let separator = ""

  func head(_ summary: BatchSummary) -> [UInt8] {
    let skipped = summary.isWhole ? 0 : 1
    let totals =
      "tests=\"\(summary.outputs + skipped)\" failures=\"\(summary.outputsFailed)\" errors=\"0\" "
      + "time=\"\(summary.seconds.roundedToMilliseconds)\""
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="imagemill" \(totals)>
      <testsuite name="imagemill" \(totals) skipped="\(skipped)">

      """.utf8)
  }

  func entry(_ result: OutputResult) -> [UInt8] {
    var attributes = [
      ("classname", result.location.map { Self.className($0.file) } ?? "imagemill"),
      ("name", Self.name(result)),
      ("time", "\(result.seconds.roundedToMilliseconds)"),
    ]
    if let place = result.location, place.file != "-" {
      attributes += [("file", place.file), ("line", "\(place.line)")]
    }
    let text = attributes.map { "\($0)=\"\(XMLText.escaped($1))\"" }.joined(separator: " ")
    guard result.status == .failed else { return Array("<testcase \(text)/>\n".utf8) }
    let error = result.error
    return Array(
      """
      <testcase \(text)>
      <failure type="\(XMLText.escaped(error?.code.rawValue ?? "failed"))" message="\(XMLText.escaped(result.failureMessage ?? ""))">\
      \(XMLText.escaped(Self.details(result)))</failure>
      </testcase>

      """.utf8)
  }

  /// Adds one skipped case for all jobs that were not started, and the summary as the suite's output.
  func tail(_ summary: BatchSummary) -> [UInt8] {
    var text = ""
    if !summary.isWhole {
      let jobs =
        summary.isInputUnread ? "the rest of the input" : QuantityText.count(summary.jobsNotStarted, "job")
      text += """
        <testcase classname="imagemill" name="\(jobs) not started" time="0">
        <skipped message="the run stopped before \(jobs) started"/>
        </testcase>

        """
    }
    text += "<system-out>\(XMLText.escaped(Summary.text(summary)))</system-out>\n"
    return Array((text + "</testsuite>\n</testsuites>\n").utf8)
  }

  private static func details(_ result: OutputResult) -> String {
    var lines: [String] = []
    if let place = result.location { lines.append(place.text) }
    lines.append(result.source)
    if let error = result.error {
      let parts = [result.failedOtherSource, error.stage.rawValue, error.message]
      lines.append(parts.compactMap(\.self).joined(separator: ": "))
    }
    if !result.filter.isEmpty { lines.append("filter: \(result.filter)") }
    return lines.joined(separator: "\n")
  }

  /// The output's path; if it has none, its source, filter and position.
  private static func name(_ result: OutputResult) -> String {
    if let output = result.output { return output }
    let chain = result.filter.isEmpty ? "" : " (\(result.filter))"
    return "\(result.source)\(chain), output \(result.outputIndex + 1) of job \(result.index)"
  }

  /// The manifest's path as a class name: `site/images.yaml` becomes `site.images`.
  private static func className(_ file: String) -> String {
    if file == "-" { return "stdin" }
    var parts = Paths.components(file).filter { $0 != "." && $0 != ".." }
    if let last = parts.last, let dot = last.lastIndex(of: "."), dot > last.startIndex {
      parts[parts.count - 1] = last[..<dot]
    }
    let name = parts.map { $0.replacing(".", with: "-") }.joined(separator: ".")
    return name.isEmpty ? "imagemill" : name
  }
}
