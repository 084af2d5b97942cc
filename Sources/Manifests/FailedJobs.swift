package import ImageBatch
import ImageDownloads
import SystemIO

/// The jobs that failed in an earlier run, from its `.ndjson` report.
///
/// A job failed if one of its outputs has the path of a failed line: its source, filter or format may have been corrected
/// since. If the path isn't known before the job runs, or wasn't when it failed, the source, filter and format decide.
/// Reports have sources without credentials.
package struct FailedJobs: Sendable, Hashable {
  private struct Line: Hashable {
    var source: String
    var filter: String
    var format: String
  }

  /// The paths of failed outputs; nil for one that failed before its path was known.
  private var paths: [Line: Set<String?>] = [:]

  /// All paths of failed outputs that are known.
  private var knownPaths: Set<String> = []

  /// The places of records that were no jobs. They are jobs once they are corrected.
  private var records: Set<RecordPlace> = []

  private struct RecordPlace: Hashable {
    var file: String
    var line: Int
  }

  /// Whether nothing failed in that run.
  package var isEmpty: Bool { paths.isEmpty && records.isEmpty }

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
    if node["error"]?["code"]?.text == JobError.Code.badRecord.rawValue, let place = node["location"],
      let file = place["file"]?.text, let number = place["line"]?.scalar.flatMap(Int.init)
    {
      records.insert(RecordPlace(file: file, line: number))
      return true
    }
    let line = Line(source: source, filter: node["filter"]?.text ?? "", format: node["format"]?.text ?? "")
    let path = node["output"]?.text.map(Paths.normalized)
    paths[line, default: []].insert(path)
    if let path { knownPaths.insert(path) }
    return true
  }

  /// Whether the job failed in that run.
  package func contains(_ job: Job) -> Bool {
    if let place = job.location, records.contains(RecordPlace(file: place.file, line: place.line)) {
      return true
    }
    return job.outputs.contains { output in
      let path = OutputConflicts.path(of: output, job)
      if let path, knownPaths.contains(path) { return true }
      return lines(of: output, job).contains { line in
        // An output that failed at another path is another one.
        paths[line].map { path == nil || $0.contains(nil) } ?? false
      }
    }
  }

  /// The number of failed outputs that no job makes any more.
  package func unmatched(by jobs: [Job]) -> Int {
    var made: Set<String> = []
    var lines: Set<Line> = []
    var linesOfUnknownPaths: Set<Line> = []
    for job in jobs {
      for output in job.outputs {
        let path = OutputConflicts.path(of: output, job)
        if let path { made.insert(path) }
        for line in self.lines(of: output, job) {
          lines.insert(line)
          if path == nil { linesOfUnknownPaths.insert(line) }
        }
      }
    }
    return paths.reduce(0) { count, failed in
      count
        + failed.value.count { path in
          guard let path else { return !lines.contains(failed.key) }
          return !made.contains(path) && !linesOfUnknownPaths.contains(failed.key)
        }
    }
  }

  /// What the lines of an output's failures may say.
  private func lines(of output: JobOutput, _ job: Job) -> [Line] {
    guard let source = job.sources.first?.displayText else { return [] }
    // The report has the chosen format if the output failed after the choice.
    return Set([output.encoding.formatText] + output.encoding.choices.map(\.format.rawValue)).map {
      Line(source: source, filter: output.chain.identifier, format: $0)
    }
  }
}
