import ArgumentParser
import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests

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
    /// Lists and the like, to be read as the batch goes on.
    var streams: [LineJobs] = []
    var origins: [String: OriginSettings] = [:]
    /// What the run makes files for: manifests with their output directories.
    var scopes: [OutputScope] = []
    /// Completes a record's job; false where it isn't wanted.
    var prepare: @Sendable (inout Job) -> Bool = { _ in true }

    /// Has the recorder of a lock file told of every job.
    mutating func record(with recorder: LockRecorder) {
      jobs.forEach(recorder.note)
      prepare = { [prepare] job in
        guard prepare(&job) else { return false }
        recorder.note(job)
        return true
      }
    }

    /// What a batch is fed with.
    var items: JobItems {
      JobItems(
        groups: JobGroup.grouping(jobs), streams: streams, firstIndex: jobs.count + 1, prepare: prepare)
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
    for path in try ManifestArguments.paths(manifests) {
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
        for var job in manifest.jobs {
          job.index = input.jobs.count + 1
          job.outputDirectory = place
          if input.prepare(&job) { input.jobs.append(job) }
        }
        input.origins.merge(manifest.originSettings()) { $1 }
      }
    }
    return input
  }

  private func failedJobs() throws -> FailedJobs? {
    guard let failed else { return nil }
    guard let bytes = FileManager.default.contents(atPath: failed) else {
      throw Complaint(.usage, "can't read the report \(failed)")
    }
    do throws(ManifestErrors) {
      return try FailedJobs(report: Array(bytes), name: failed)
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
