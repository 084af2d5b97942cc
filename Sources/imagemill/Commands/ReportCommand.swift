import ArgumentParser
import Glibc
import ImageBatch
import Manifests
import Reports
import SystemIO

/// Works on the reports of runs.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Merge the reports of several runs.",
    discussion: """
      Each machine that runs a --shard part writes its own report; this command merges them.

        imagemill report merge 1.ndjson 2.ndjson -o all.html
      """,
    subcommands: [Merge.self])

  struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Merge .ndjson and .json reports into one.",
      usage: "imagemill report merge [<options>] --output <file> ... <report> ...",
      discussion: """
        If an output is in several reports, the last one wins: put the report of a retry after that of the original run. \
        Outputs are matched by manifest and requested path; merge reports of one output directory only. Jobs keep their index; if two jobs have the same index, all jobs are \
        renumbered in the order of the reports. Totals are counted from the outputs; totals that can't be, such as \
        downloads, are 0, also if a .json report has them. File paths are relative to the directory of the runs: run this command there.

          imagemill report merge 1.ndjson 2.ndjson -o all.html
        """)

    @Argument(
      help: ArgumentHelp("Reports to merge, .ndjson or .json.", valueName: "report"),
      completion: .file(extensions: ["ndjson", "json"]))
    var reports: [String]

    @Option(
      name: [.short, .long],
      help: ArgumentHelp(
        "Report to write: .json, .ndjson, .xml (JUnit) or .html; '-' writes NDJSON to standard output. Repeatable.",
        valueName: "file"),
      completion: .file(extensions: ["json", "ndjson", "xml", "html"]))
    var output: [String]

    @Option(
      name: .customLong("compare"),
      help: ArgumentHelp(
        "In the .html report, show what has changed since the run of this .json or .ndjson report.",
        valueName: "report"),
      completion: .file(extensions: ["json", "ndjson"]))
    var comparedReport: String?

    func validate() throws {
      if output.count(where: { $0 == "-" }) > 1 {
        throw ValidationError("only one --output can be standard output")
      }
      if comparedReport != nil, !output.contains(where: BatchSettings.isPage) {
        throw ValidationError("--compare needs --output FILE.html, which shows the comparison")
      }
    }

    func run() throws {
      var inputs = ClaimedFiles()
      for path in reports { inputs.add(path, as: "the report \(path)") }
      if let comparedReport { inputs.add(comparedReport, as: "the report \(comparedReport)") }
      try SideFiles(outputs: output).check(inputs)
      var merge = ReportMerge()
      for path in reports {
        merge.begin()
        try read(path) { merge.note($0) }
      }
      let written = try openOutputs()
      for path in reports {
        merge.begin()
        try read(path) { result in
          guard let kept = merge.kept(result) else { return }
          for report in written { report.receive(.outputFinished(kept)) }
        }
      }
      for report in written {
        report.receive(.finished(merge.summary))
        do throws(ReportError) { try report.finish() } catch { throw CommandError(.failed, error.message) }
      }
    }

    private func openOutputs() throws -> [FileReport] {
      do throws(ReportError) {
        let earlier = try comparedReport.map { (path) throws(ReportError) in try EarlierReport(path: path) }
        return try output.map { (path) throws(ReportError) in
          try FileReport(path: path, version: Version.number, earlier: earlier)
        }
      } catch {
        throw CommandError(error.code == .notWritable ? .failed : .usage, error.message)
      }
    }

    /// Reads a report, one at a time: those of all parts together may not fit into memory.
    private func read(_ path: String, _ take: (OutputResult) -> Void) throws {
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        throw CommandError(
          .usage, "can't read the report \(path): it must be a regular file, which is read twice")
      }
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try File.contents(of: path, limit: 1 << 30)
      } catch {
        throw CommandError(.usage, "can't read the report \(path): \(error.text)")
      }
      do throws(ManifestErrors) {
        try RunReport.forEachResult(of: bytes, name: path, wanted: Remedies.wantedReport, take)
      } catch {
        throw ManifestCommandError(error)
      }
    }
  }
}
