import SystemIO

/// The kinds of report, each known by its file's extension.
package enum ReportFormat: String, Sendable, CaseIterable {
  /// One JSON document: the summary and every output.
  case json
  /// One JSON object a line, an output each; what `--failed` reads.
  case ndjson
  /// JUnit's XML.
  case xml
  /// A contact sheet.
  case html

  /// The format of the report at `path`, by its extension in any case; standard output (`-`) takes ``ndjson``. Throws
  /// where the extension is no report's.
  package init(path: String) throws(ReportError) {
    if path == "-" {
      self = .ndjson
      return
    }
    let name = Paths.components(path).last ?? ""
    // A path that ends in a slash names a directory, which no report can replace when the run has ended.
    guard !path.hasSuffix("/"), let dot = name.lastIndex(of: "."),
      let format = ReportFormat(rawValue: name[name.index(after: dot)...].lowercased())
    else { throw .unknownFormat(path) }
    self = format
  }

  func document(_ path: ReportPath, version: String) -> any ReportDocument {
    switch self {
    case .json: JSONReport(version: version)
    case .ndjson: NDJSONReport()
    case .xml: JUnitReport()
    case .html: HTMLReport(version: version, paths: PicturePaths(reportDirectory: path.directory))
    }
  }
}
