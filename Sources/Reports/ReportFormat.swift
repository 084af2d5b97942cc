import struct FoundationEssentials.Date
import SystemIO

/// The report formats, by file extension.
package enum ReportFormat: String, Sendable, CaseIterable {
  /// One JSON document with the summary and all outputs.
  case json
  /// One JSON object per line for each output, which `--failed` reads.
  case ndjson
  /// JUnit XML.
  case xml
  /// An HTML contact sheet.
  case html

  /// The format of the report at `path`, by its extension, ignoring letter case; ``ndjson`` for standard output (`-`).
  /// - Throws: `ReportError` with code `unknown-report-format` if the extension isn't that of a format.
  package init(path: String) throws(ReportError) {
    if path == "-" {
      self = .ndjson
      return
    }
    let name = Paths.components(path).last ?? ""
    // Reject a path that ends in a slash now. It names a directory, which the report can't replace after the run.
    guard !path.hasSuffix("/"), let dot = name.lastIndex(of: "."),
      let format = ReportFormat(rawValue: name[name.index(after: dot)...].lowercased())
    else { throw .unknownFormat(path) }
    self = format
  }

  func document(
    _ path: ReportPath, version: String, earlier: EarlierReport?, date: Date
  ) -> any ReportDocument {
    switch self {
    case .json: JSONReport(version: version)
    case .ndjson: NDJSONReport()
    case .xml: JUnitReport()
    case .html:
      HTMLReport(
        version: version, paths: ImagePaths(reportDirectory: path.directory), earlier: earlier, date: date)
    }
  }
}
