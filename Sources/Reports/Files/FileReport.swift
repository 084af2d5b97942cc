package import ImageBatch
import Synchronization
import SystemIO

/// A report in a file: `--report FILE`.
///
///     let report = try FileReport(path: "report.html", version: "1.0.0")
///     report.receive(event)  // each event of the batch
///     try report.finish()    // the file is there, whole
///
/// Outputs stand in the manifest's order, whatever order they were finished in.
package final class FileReport: BatchReporter {
  private struct State {
    var spool: ReportSpool
    var summary: BatchSummary?
    var failure: ReportError?
  }

  private let path: ReportPath
  private let document: any ReportDocument
  private let state: Mutex<State>

  /// A report of the format that the path's extension says; `-` is standard output. Missing directories are made.
  /// Throws if the extension is no report's, or if the directory can't be written: before the batch has begun. `version`
  /// is imagemill's.
  package init(path: String, version: String) throws(ReportError) {
    let format = try ReportFormat(path: path)
    self.path = ReportPath(path)
    try self.path.makeDirectories()
    document = format.document(self.path, version: version)
    state = Mutex(State(spool: ReportSpool(descriptor: try self.path.nameless())))
  }

  /// What `--emit` asks for, in the file at `path` or on standard output (`-`); pictures are named from the file's
  /// directory, which is made if it is missing. Throws if that can't be written.
  package init(path: String, markup: MarkupFormat) throws(ReportError) {
    self.path = ReportPath(path)
    try self.path.makeDirectories()
    let paths = PicturePaths(reportDirectory: self.path.directory)
    document =
      switch markup {
      case .srcset: MarkupDocument(showsEveryFormat: false, paths: paths)
      case .picture: MarkupDocument(showsEveryFormat: true, paths: paths)
      case .json: PictureData(paths: paths)
      }
    state = Mutex(State(spool: ReportSpool(descriptor: try self.path.nameless())))
  }

  /// Takes note of outputs, jobs and the totals.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .outputFinished(let result):
      append(document.entry(result), job: result.index, output: result.outputIndex)
    case .jobFinished(let job): append(document.entry(job), job: job.index, output: 0)
    case .finished(let summary): state.withLock { $0.summary = summary }
    default: break
    }
  }

  private func append(_ entry: [UInt8], job: Int, output: Int) {
    guard !entry.isEmpty else { return }
    state.withLock { state in
      guard state.failure == nil else { return }
      do throws(SystemError) {
        try state.spool.append(entry, job: job, output: output)
      } catch {
        state.failure = .notWritable(path.path, "write", errno: error.code)
      }
    }
  }

  /// Writes the file and puts it in place. Throws what went wrong, now or earlier; then no file is there, or the
  /// old one. Where the batch didn't end, there is no report.
  package func finish() throws(ReportError) {
    try state.withLock { (state) throws(ReportError) in
      if let failure = state.failure { throw failure }
      guard let summary = state.summary else { return }
      let spool = state.spool
      try path.replace { (file) throws(SystemError) in
        try FileIO.write(document.head(summary), to: file)
        try spool.read(separator: document.separator.utf8.count) { (bytes) throws(SystemError) in
          try FileIO.write(bytes, to: file)
        }
        try FileIO.write(document.tail(summary), to: file)
      }
    }
  }
}
