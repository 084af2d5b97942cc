package import ImageBatch
import ImageDownloads
import SystemIO

/// The jobs that failed in an earlier run, from its `.ndjson` report.
///
/// A job failed if one of its outputs has the source, filter and format of a failed line, and its path if that is known
/// before the job runs. Reports have sources without credentials.
package struct FailedJobs: Sendable, Hashable {
  private struct Line: Hashable {
    var source: String
    var filter: String
    var format: String
  }

  /// The paths of failed outputs; nil for one that failed before its path was known.
  private var paths: [Line: Set<String?>] = [:]

  /// Whether nothing failed in that run.
  package var isEmpty: Bool { paths.isEmpty }

  /// Reads a report.
  /// - Parameter wanted: Advice for a file that isn't a report.
  /// - Throws: `ManifestErrors` if a line isn't JSON or lacks a member, or no line is a result.
  package init(
    report bytes: [UInt8], name: String, wanted: String = "use an NDJSON report"
  ) throws(ManifestErrors) {
    let text = try ManifestText(name: name, bytes: bytes)
    var log = DiagnosticLog(text)
    var splitter = RecordSplitter()
    splitter.append(bytes)
    var records: [Record] = []
    while let record = splitter.next() { records.append(record) }
    if let last = splitter.last() { records.append(last) }
    records.removeAll { record in !record.bytes.contains { $0 > 0x20 } }
    var results = 0
    for (position, record) in records.enumerated() {
      do {
        if try take(try JSONNodes.read(bytes: record.bytes, line: record.line)) { results += 1 }
      } catch {
        // Stop at the first line: in a file of another kind, every line would be reported.
        log.error(error.place, position == 0 ? "\(error.message); \(wanted)" : error.message)
        if position == 0 { break }
      }
    }
    try log.throwIfAny()
    if results == 0, let first = records.first {
      log.error(TextPlace(line: first.line, column: 1), "no line has a result; \(wanted)")
    }
    try log.throwIfAny()
  }

  /// Whether the line is a result.
  private mutating func take(_ node: ManifestNode) throws(JSONNodes.Failure) -> Bool {
    guard node.entries != nil else {
      throw .init(
        place: node.place,
        message: "a line of a report must be a JSON object")
    }
    // Warnings and the summary have no status.
    guard let status = node["status"]?.text else { return false }
    guard status == OutputResult.Status.failed.rawValue else { return true }
    guard let source = node["source"]?.text else {
      throw .init(place: node.place, message: "this result has no 'source': is this a report of imagemill?")
    }
    let line = Line(source: source, filter: node["filter"]?.text ?? "", format: node["format"]?.text ?? "")
    paths[line, default: []].insert(node["output"]?.text)
    return true
  }

  /// Whether the job failed in that run.
  package func contains(_ job: Job) -> Bool {
    guard let source = job.sources.first?.displayText else { return false }
    return job.outputs.contains { output in
      // The report has the chosen format if the output failed after the choice.
      let formats = Set([output.encoding.formatText] + output.encoding.choices.map(\.format.rawValue))
      let failed = formats.reduce(into: Set<String?>()) { failed, format in
        failed.formUnion(
          paths[Line(source: source, filter: output.chain.identifier, format: format)] ?? [])
      }
      guard !failed.isEmpty else { return false }
      guard let path = OutputConflicts.path(of: output, job) else { return true }
      return failed.contains(nil) || failed.contains { $0.map(Paths.normalized) == path }
    }
  }
}
