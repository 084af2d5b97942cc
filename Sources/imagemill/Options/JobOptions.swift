import ArgumentParser
import ImageBatch
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

  /// Opens every manifest, and reads documents to their ends, before anything starts.
  /// - Parameter targets: The outputs to make, with what they need; empty for all.
  /// - Throws: `ManifestCommandError` for mistakes in manifests, `CommandError` for those in options.
  func read(_ manifests: [String], targets: [String] = []) throws -> JobSelection {
    let (chain, sources) = (try output.chain(), try output.sources())
    let (failed, shard) = (try failedJobs(), try parsedShard())
    let template = try OutputOptions.template(template)
    let opened = try ManifestArguments.paths(manifests).map { path in
      var options = arguments.options(for: path)
      options.encoding = output.encoding
      options.appendedChain = chain
      options.namedSources = sources
      options.outputTemplate = template
      return JobSelection.OpenManifest(
        path: path, try ManifestArguments.open(path, options), directory: options.directory)
    }
    do {
      var selection = try JobSelection(
        of: opened, failed: failed, shard: shard, outputDirectory: outputDirectory,
        template: self.template ?? "")
      try selection.select(targets)
      try selection.order()
      return selection
    } catch let error as ManifestErrors {
      throw ManifestCommandError(error)
    } catch let error as JobSelection.UnknownTargets {
      throw CommandError(.usage, error.description)
    }
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
