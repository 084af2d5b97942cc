package import ImageBatch
import ImageDownloads
import SystemIO

/// The jobs that failed in an earlier run, from its `.ndjson` report.
///
/// A report names sources as they may be shown, without credentials. A job is one that failed if one of its outputs
/// has a failed line's source, filter and format, and its path too where that is known before the job runs.
package struct FailedJobs: Sendable, Hashable {
  private struct Line: Hashable {
    var source: String
    var filter: String
    var format: String
  }

  /// The paths of what failed; nil stands for an output that failed before it had a name.
  private var paths: [Line: Set<String?>] = [:]

  /// Whether nothing failed in that run.
  package var isEmpty: Bool { paths.isEmpty }

  /// Reads the report's lines. Throws where one is no result: not JSON, or without its members.
  /// - Parameter wanted: What is said of a file of another kind besides what is wrong with it.
  package init(
    report bytes: [UInt8], name: String, wanted: String = "give an NDJSON report"
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
        // Another kind of file has a mistake in every line.
        log.error(error.place, position == 0 ? "\(error.message); \(wanted)" : error.message)
        if position == 0 { break }
      }
    }
    try log.throwIfAny()
    if results == 0, let first = records.first {
      log.error(TextPlace(line: first.line, column: 1), "no line is a result; \(wanted)")
    }
    try log.throwIfAny()
  }

  /// Whether the line is a result.
  private mutating func take(_ node: ManifestNode) throws(JSONNodes.Failure) -> Bool {
    guard node.entries != nil else {
      throw .init(
        place: node.place,
        message: "a report's line is a JSON object")
    }
    // Other lines (a warning, the summary) have no status.
    guard let status = node["status"]?.text else { return false }
    guard status == OutputResult.Status.failed.rawValue else { return true }
    guard let source = node["source"]?.text else {
      throw .init(place: node.place, message: "this result has no 'source': is it a report of imagemill's?")
    }
    let line = Line(source: source, filter: node["filter"]?.text ?? "", format: node["format"]?.text ?? "")
    paths[line, default: []].insert(node["output"]?.text)
    return true
  }

  /// Whether the job failed in that run.
  package func contains(_ job: Job) -> Bool {
    guard let source = job.sources.first?.displayText else { return false }
    return job.outputs.contains { output in
      // A format that is chosen from several may have been chosen when the output failed.
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
