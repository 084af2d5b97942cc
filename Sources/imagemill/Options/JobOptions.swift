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
    help: ArgumentHelp(
      "Output directory, or s3://BUCKET/PREFIX (default: the manifest's directory).", valueName: "dir"),
    completion: .directory)
  var outputDirectory: String?

  @Option(
    help: ArgumentHelp(
      "Select only the jobs that failed in the last run of these manifests with the same -C and -o in this directory, or in this report. "
        + "An argument after --failed that ends in .ndjson is the report. With an NDJSON manifest, put --failed last.",
      valueName: "report.ndjson"),
    completion: .file(extensions: ["ndjson"]))
  var failed: String?

  @Option(
    help: ArgumentHelp("Select only part k of n; every job is in exactly one part.", valueName: "k/n"))
  var shard: String?

  @OptionGroup(title: "Manifest") var arguments: ManifestArguments

  func validate() throws { try ObjectDestination.check(directory: outputDirectory) }

  /// Whether a manifest's own directory comes first: the given one is the configuration file's.
  var yieldsToManifests: Bool { Invocation.current.origin(of: "output-dir", letter: "C") == .config }

  /// Opens every manifest, and reads documents to their ends. Lists are streams.
  /// - Throws: `ManifestCommandError` for mistakes in manifests, `CommandError` for those in options.
  func read(_ manifests: [String]) throws -> JobSelection {
    var selection = try open(manifests, cache: CacheSettings())
    try complete(&selection, targets: [])
    return selection
  }

  /// Opens every manifest, and selects the part and the failures.
  func open(_ manifests: [String], cache: CacheSettings) throws -> JobSelection {
    let (base, shard) = (try manifestOptions(), try parsedShard())
    let paths = try ManifestArguments.paths(manifests)
    let failed = try failed.map { given in
      try FailedJobs(
        reading: lastRun(of: paths, cache).report(given, orOf: lastRun(of: paths, shard: nil, cache)))
    }
    let opened = try ManifestArguments.open(paths) { path in
      let options = base(path)
      return JobSelection.OpenManifest(
        path: path, try ManifestArguments.open(path, options), directory: options.directory)
    }
    do {
      return try JobSelection(
        of: opened, failed: failed, shard: shard, outputDirectory: outputDirectory,
        yieldsToManifests: yieldsToManifests,
        template: self.template ?? "", named: Array(try output.sources().values))
    } catch let error as ManifestErrors {
      throw ManifestCommandError(error)
    }
  }

  /// Selects the targets, and puts the jobs in order.
  func complete(_ selection: inout JobSelection, targets: [String]) throws {
    do {
      try selection.select(targets)
      try selection.order()
      try checkEncoding(of: selection)
    } catch let error as ManifestErrors {
      throw ManifestCommandError(error)
    } catch let error as JobSelection.UnknownTargets {
      throw CommandError(.usage, error.description)
    }
  }

  /// Refuses encoder options of the command line that no output's format has. Some outputs may lack them.
  private func checkEncoding(of selection: JobSelection) throws {
    // The formats of rows and lists aren't known yet, and a part of the jobs may have other formats than the whole.
    guard selection.streams.isEmpty, selection.rows.isEmpty, failed == nil, shard == nil else { return }
    let given = output.encoding
    guard given.quality != nil || !given.options.isEmpty else { return }
    let encodings = selection.jobs.flatMap(\.outputs).map(\.encoding)
    guard !encodings.isEmpty else { return }
    let formats = Set(encodings.map(\.formatText)).sorted().joined(separator: ", ")
    if given.quality != nil, !encodings.contains(where: \.hasQuality) {
      throw CommandError(.usage, "\(formats) has no quality" + Remedies.hints.noQuality)
    }
    for name in given.options.keys.sorted()
    where !encodings.contains(where: { $0.choices.contains { $0.option(name) != nil } }) {
      throw CommandError(.usage, "\(formats) has no option '\(name)': leave out --encode \(name)")
    }
  }

  /// The options for the manifest at a path.
  func manifestOptions() throws -> (_ path: String) -> ManifestOptions {
    var mistakes = UsageMistakes(output.typedMistakes)
    let chain = try mistakes.noting(output.chain) ?? nil
    let sources = try mistakes.noting(output.sources) ?? [:]
    let template =
      try mistakes.noting { try OutputOptions.template(self.template, in: outputDirectory) } ?? nil
    try mistakes.throwIfAny()
    return { path in
      var options = arguments.options(for: path)
      output.setEncoding(in: &options)
      options.appendedChain = chain
      options.namedSources = sources
      options.outputTemplate = template
      options.protectsSources = !output.inPlace
      options.outputDirectory = outputDirectory
      options.yieldsToManifests = yieldsToManifests
      return options
    }
  }

  /// The record of the last run of `run` with these manifests, this shard, and these places of outputs.
  func lastRun(of manifests: [String], _ cache: CacheSettings) -> LastRun {
    lastRun(of: manifests, shard: shard, cache)
  }

  private func lastRun(of manifests: [String], shard: String?, _ cache: CacheSettings) -> LastRun {
    let paths = manifests.map { path in
      path == "-" ? path : Paths.absolute(path)
    }
    return LastRun(
      of: "run", paths + [shard ?? ""], outputs: (outputDirectory, template), cache: cache)
  }

  private func parsedShard() throws -> Shard? {
    do throws(Shard.Failure) {
      return try shard.map { (text) throws(Shard.Failure) in try Shard(parsing: text) }
    } catch {
      throw CommandError(.usage, error.description)
    }
  }
}

extension FailedJobs {
  /// Reads the report at `path`.
  /// - Throws: `CommandError` if it can't be read, `ManifestCommandError` if it isn't a report.
  init(reading path: String) throws {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.contents(of: path, limit: 1 << 30)
    } catch {
      throw CommandError(.usage, "can't read the report \(path): \(error.text)")
    }
    do throws(ManifestErrors) {
      try self.init(report: bytes, name: path, wanted: Remedies.wantedReport)
    } catch {
      throw ManifestCommandError(error)
    }
  }
}
