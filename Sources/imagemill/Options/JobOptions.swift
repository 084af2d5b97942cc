import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests
import SystemIO

/// What is made: the manifests' jobs, with what the command line adds to them.
struct JobOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The outputs' path for jobs that name none, such as a list's.", valueName: "template"))
  var template: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  @Option(
    name: [.customShort("C"), .customLong("output-dir")],
    help: ArgumentHelp("Outputs are inside it (default: the manifest's directory).", valueName: "dir"),
    completion: .directory)
  var outputDirectory: String?

  @Option(
    help: ArgumentHelp("Only the jobs that failed in an earlier .ndjson report.", valueName: "report"),
    completion: .file(extensions: ["ndjson"]))
  var failed: String?

  @Option(
    help: ArgumentHelp("Only the K-th of N parts of the jobs; each job is in one of them.", valueName: "k/n"))
  var shard: String?

  @OptionGroup(title: "Manifest") var arguments: ManifestArguments

  /// Jobs with the settings of their origins.
  struct Input: Sendable {
    /// Of the documents, all of them.
    var jobs: [Job] = []
    /// Of the documents, the jobs that rows of tables stand for.
    var rows: [RowJobs] = []
    /// Lists and the like, to be read as the batch goes on.
    var streams: [LineJobs] = []
    var origins: [String: OriginSettings] = [:]
    /// What the run makes files for: manifests with their output directories.
    var scopes: [OutputScope] = []
    /// How many jobs the documents have, those that aren't wanted included.
    var documentJobs = 0
    /// Whether all jobs are wanted.
    var isWhole = true
    /// Completes a row's or a record's job; false where it isn't wanted.
    var prepare: @Sendable (inout Job) -> Bool = { _ in true }

    /// How many jobs there will be; nil where that shows as they are read.
    var count: Int? {
      guard streams.isEmpty else { return nil }
      if rows.isEmpty { return jobs.count }
      return isWhole ? documentJobs : nil
    }

    /// Has the recorder of a lock file told of every job.
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

    /// What a batch is fed with.
    var items: JobItems {
      JobItems(
        groups: JobGroup.grouping(jobs), rows: rows, streams: streams, firstIndex: documentJobs + 1,
        prepare: prepare)
    }
  }

  /// Opens every manifest, and reads documents to their ends, before anything is started. Indices go through all
  /// manifests.
  func read(_ manifests: [String]) throws -> Input {
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
    var conflicts = ManifestConflicts(manifests: paths.count)
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
        conflicts.add(manifest, outputDirectory: place)
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
      }
    }
    try conflicts.throwIfAny()
    return input
  }

  private func failedJobs() throws -> FailedJobs? {
    guard let failed else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.contents(of: failed, limit: 1 << 30)
    } catch {
      throw Complaint(.usage, "can't read the report \(failed): \(error.text)")
    }
    do throws(ManifestErrors) {
      return try FailedJobs(report: bytes, name: failed, wanted: Remedies.wantedReport)
    } catch {
      throw ManifestComplaint(error)
    }
  }

  private func parsedShard() throws -> Shard? {
    do throws(Shard.Failure) {
      return try shard.map { (text) throws(Shard.Failure) in try Shard(parsing: text) }
    } catch {
      throw Complaint(.usage, error.description)
    }
  }
}
