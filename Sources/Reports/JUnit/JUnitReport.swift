import ImageBatch

/// JUnit's XML as GitLab and Jenkins read it: a test case for each output, its class named after the manifest.
struct JUnitReport: ReportDocument {
  let separator = ""

  func head(_ summary: BatchSummary) -> [UInt8] {
    let totals =
      "tests=\"\(summary.outputs)\" failures=\"\(summary.outputsFailed)\" errors=\"0\" "
      + "time=\"\(summary.seconds.roundedToMilliseconds)\""
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="imagemill" \(totals)>
      <testsuite name="imagemill" \(totals) skipped="0">

      """.utf8)
  }

  func entry(_ result: OutputResult) -> [UInt8] {
    var attributes = [
      ("classname", result.location.map { Self.className($0.file) } ?? "imagemill"),
      ("name", Self.name(result)),
      ("time", "\(result.seconds.roundedToMilliseconds)"),
    ]
    if let place = result.location {
      attributes.append(("file", place.file))
      attributes.append(("line", "\(place.line)"))
    }
    let text = attributes.map { "\($0)=\"\(XMLText.escaped($1))\"" }.joined(separator: " ")
    guard result.status == .failed else { return Array("<testcase \(text)/>\n".utf8) }
    let error = result.error
    let place = result.location.map { "\($0.file):\($0.line):\($0.column)\n" } ?? ""
    let details =
      "\(place)\(result.source)\n\(error?.stage.rawValue ?? ""): \(error?.message ?? "")\nfilter: \(result.filter)"
    return Array(
      """
      <testcase \(text)>
      <failure type="\(XMLText.escaped(error?.code ?? "failed"))" message="\(XMLText.escaped(error?.message ?? ""))">\
      \(XMLText.escaped(details))</failure>
      </testcase>

      """.utf8)
  }

  func tail(_ summary: BatchSummary) -> [UInt8] { Array("</testsuite>\n</testsuites>\n".utf8) }

  /// The output's path; before it has one, what it was to be made of.
  private static func name(_ result: OutputResult) -> String {
    result.output ?? (result.filter.isEmpty ? result.source : "\(result.source) (\(result.filter))")
  }

  /// The manifest's name without its extension; its dots would read as packages.
  private static func className(_ file: String) -> String {
    let name = file == "-" ? "stdin" : String(file.split(separator: "/").last ?? "imagemill")
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    return stem.isEmpty ? name : String(stem.replacing(".", with: "-"))
  }
}
