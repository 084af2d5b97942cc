package import struct FoundationEssentials.Date
package import ImageBatch
import Synchronization
import SystemIO

/// A report file (`--report FILE`).
///
///     let report = try FileReport(path: "report.html", version: "1.0.0")
///     report.receive(event)  // for each event of the batch
///     try report.finish()    // writes the file
///
/// Outputs are listed in the manifest's order, regardless of the order in which they finished; those of a contact sheet
/// by section.
package final class FileReport: BatchReporter {
  private struct State {
    var spool: ReportSpool
    var summary: BatchSummary?
    var failure: ReportError?
  }

  private let path: ReportPath
  private let document: any ReportDocument
  private let state: Mutex<State>

  /// Creates a report and its missing directories before the batch starts.
  /// - Parameters:
  ///   - path: The file, whose extension determines the format; `-` is standard output.
  ///   - version: imagemill's version.
  ///   - earlier: The report that a contact sheet is compared with. Default: none.
  ///   - date: The time of the report (default: now).
  /// - Throws: `ReportError` if the extension isn't that of a format, or the directory isn't writable.
  package init(
    path: String, version: String, earlier: EarlierReport? = nil, date: Date = .now
  ) throws(ReportError) {
    let format = try ReportFormat(path: path)
    self.path = ReportPath(path)
    try self.path.makeDirectories()
    document = format.document(self.path, version: version, earlier: earlier, date: date)
    state = Mutex(State(spool: ReportSpool(descriptor: try self.path.nameless())))
  }

  /// Creates a markup file (`--emit`) and its missing directories before the batch starts.
  /// - Parameters:
  ///   - path: The file; `-` is standard output. URLs of images are relative to its directory.
  ///   - markup: The kind of markup.
  /// - Throws: `ReportError` if the directory isn't writable.
  package init(path: String, markup: MarkupFormat) throws(ReportError) {
    self.path = ReportPath(path, noun: "markup file")
    try self.path.makeDirectories()
    let paths = ImagePaths(reportDirectory: self.path.directory)
    document =
      switch markup {
      case .srcset: MarkupDocument(showsEveryFormat: false, paths: paths)
      case .picture: MarkupDocument(showsEveryFormat: true, paths: paths)
      case .json: ResponsiveImageData(paths: paths)
      }
    state = Mutex(State(spool: ReportSpool(descriptor: try self.path.nameless())))
  }

  /// Records outputs, jobs and totals.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .outputFinished(let result):
      let section = document.section(result)
      append(document.entry(result), section, job: result.index, output: result.outputIndex)
    case .jobFinished(let job): append(document.entry(job), ReportSection(), job: job.index, output: 0)
    case .finished(let summary): state.withLock { $0.summary = summary }
    default: break
    }
  }

  private func append(_ entry: [UInt8], _ section: ReportSection, job: Int, output: Int) {
    guard !entry.isEmpty else { return }
    state.withLock { state in
      guard state.failure == nil else { return }
      do throws(SystemError) {
        if !section.heading.isEmpty {
          try state.spool.append(heading: section.heading, section: section.number)
        }
        try state.spool.append(entry, section: section.number, job: job, output: output)
      } catch {
        state.failure = .notWritable(path.path, "write", errno: error.code)
      }
    }
  }

  /// Writes the file and moves it into place. If the batch didn't finish, does nothing.
  /// - Throws: `ReportError` if writing fails now or failed earlier. An existing file is then left unchanged.
  package func finish() throws(ReportError) {
    try state.withLock { (state) throws(ReportError) in
      if let failure = state.failure { throw failure }
      guard let summary = state.summary else { return }
      let spool = state.spool
      try path.replace { (file) throws(SystemError) in
        try FileIO.write(document.head(summary), to: file)
        try spool.read(document) { (bytes) throws(SystemError) in
          try FileIO.write(bytes, to: file)
        }
        try FileIO.write(document.tail(summary), to: file)
      }
    }
  }
}
