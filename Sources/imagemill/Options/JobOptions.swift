import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests
import SystemIO

/// Options that select the manifests' jobs and add to them.
struct JobOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Output path template for jobs without their own, such as those of a list.", valueName: "template"))
  var template: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  @Option(
    name: [.customShort("C"), .customLong("output-dir")],
    help: ArgumentHelp("Output directory (default: the manifest's directory).", valueName: "dir"),
    completion: .directory)
  var outputDirectory: String?

  @Option(
    help: ArgumentHelp("Select only the jobs that failed in this .ndjson report.", valueName: "report"),
    completion: .file(extensions: ["ndjson"]))
  var failed: String?

  @Option(
    help: ArgumentHelp("Select only part K of N; every job is in exactly one part.", valueName: "k/n"))
  var shard: String?

  @OptionGroup(title: "Manifest") var arguments: ManifestArguments

  /// Jobs with the settings of their origins.
  struct Input: Sendable {
    /// The selected jobs of the documents, without those of rows.
    var jobs: [Job] = []
    /// The jobs of the documents' tables, one for each row.
    var rows: [RowJobs] = []
    /// Lists, CSV, TSV and NDJSON, read while the batch runs.
    var streams: [LineJobs] = []
    var origins: [String: OriginSettings] = [:]
    /// The manifests' `settings`.
    var settings: [ManifestSetting] = []
    /// Each manifest with its output directory and template; `--prune` compares within one scope.
    var scopes: [OutputScope] = []
    /// The number of jobs in the documents, selected or not.
    var documentJobs = 0
    /// Whether all jobs are selected: neither `--failed` nor `--shard` is given.
    var isWhole = true
    /// Completes a row's or a record's job; false if the job isn't selected.
    var prepare: @Sendable (inout Job) -> Bool = { _ in true }

    /// The number of selected jobs; nil if it isn't known before they are read.
    var count: Int? {
      guard streams.isEmpty else { return nil }
      if rows.isEmpty { return jobs.count }
      return isWhole ? documentJobs : nil
    }

    /// Whether markup shows placeholders.
    var showsPlaceholders: Bool {
      jobs.contains { $0.outputs.contains { $0.markup?.showsPlaceholder == true } }
        || rows.contains(where: \.showsPlaceholders)
    }

    /// Passes every job to the recorder of a lock file.
    mutating func record(with recorder: LockRecorder) {
      jobs.forEach(recorder.note)
      prepare = { [prepare] job in
        guard prepare(&job) else { return false }
        recorder.note(job)
        return true
      }
    }

    /// The files that rows come from, each once.
    var tables: [String] {
      rows.compactMap(\.tablePath).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The batch's input.
    var items: JobItems {
      JobItems(
        groups: JobGroup.grouping(jobs), rows: rows, streams: streams, firstIndex: documentJobs + 1,
        prepare: prepare)
    }
  }

  /// Opens every manifest, and reads documents to their ends, before anything starts. Indices count through all
  /// manifests.
  /// - Parameter targets: The outputs to make, with what they need; empty for all.
  /// - Throws: `ManifestCommandError` for mistakes in manifests, `CommandError` for those in options.
  func read(_ manifests: [String], targets: [String] = []) throws -> Input {
    let (chain, sources) = (try output.chain(), try output.sources())
    let (failed, shard) = (try failedJobs(), try parsedShard())
    let template = try OutputOptions.template(template)
    var input = Input()
    let directory = outputDirectory
    input.prepare = { job in
      if job.outputDirectory == nil { job.outputDirectory = directory }
      return failed?.contains(job) != false && shard?.contains(job) != false
    }
    input.isWhole = failed == nil && shard == nil
    let paths = try ManifestArguments.paths(manifests)
    var conflicts = RecordConflicts()
    var sums = DiagnosticSums()
    for path in paths {
      var options = arguments.options(for: path)
      options.encoding = output.encoding
      options.appendedChain = chain
      options.namedSources = sources
      options.outputTemplate = template
      func scope(in directory: String) -> OutputScope {
        OutputScope(manifest: path, directory: directory, template: self.template ?? "")
      }
      switch try ManifestArguments.open(path, options) {
      case .lines(let jobs):
        input.scopes.append(scope(in: directory ?? "."))
        input.streams.append(jobs)
      case .document(let manifest):
        let place = directory ?? manifest.outputDirectory ?? ManifestArguments.directory(of: path)
        input.scopes.append(scope(in: place))
        // The reader of a manifest has already found conflicts within it.
        if paths.count > 1 { conflicts.claim(manifest, in: place) { sums.note($0) } }
        let before = input.documentJobs
        for var job in manifest.jobs {
          job.index += before
          job.outputDirectory = place
          if input.prepare(&job) { input.jobs.append(job) }
        }
        for var rows in manifest.rows {
          rows.firstIndex += before
          rows.outputDirectory = place
          input.rows.append(rows)
        }
        input.documentJobs += manifest.jobs.count + manifest.rows.reduce(0) { $0 + $1.count }
        input.origins.merge(manifest.originSettings()) { $1 }
        input.settings += manifest.settings
      }
    }
    if !sums.isEmpty { throw ManifestCommandError(ManifestErrors(sums.diagnostics)) }
    try input.select(targets)
    try input.order()
    return input
  }

  private func failedJobs() throws -> FailedJobs? {
    guard let failed else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.contents(of: failed, limit: 1 << 30)
    } catch {
      throw CommandError(.usage, "can't read the report \(failed): \(error.text)")
    }
    do throws(ManifestErrors) {
      return try FailedJobs(report: bytes, name: failed, wanted: Remedies.wantedReport)
    } catch {
      throw ManifestCommandError(error)
    }
  }

  private func parsedShard() throws -> Shard? {
    do throws(Shard.Failure) {
      return try shard.map { (text) throws(Shard.Failure) in try Shard(parsing: text) }
    } catch {
      throw CommandError(.usage, error.description)
    }
  }
}
