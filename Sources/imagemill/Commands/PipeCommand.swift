import ArgumentParser
import Glibc
import ImageBatch
import ImageFilters
import Manifests
import Reports

/// Converts the sources on standard input, with results on standard output.
struct PipeCommand: AsyncParsableCommand, TakesManyOperands {
  static let configuration = CommandConfiguration(
    commandName: "pipe",
    abstract: "Convert the sources on standard input, one per line; print a line for each output.",
    discussion: """
      The path of each output is printed when it is written. A line that fails is reported on standard error, or as \
      a result line with --json; the other lines are still converted.

      Outputs must be inside the output directory, and local sources on standard input inside the current directory, \
      unless --allow-outside is given. A file among the operands that is the output of another one, as after an earlier run, is \
      not converted.

      A result line has the members version, index, source, output, status, width, height, bytes, sha256, filter, \
      format, fields and, if known, location. A failed line also has error. With \
      --placeholders, a line also has placeholders. With --failures-are-results, a line has all \
      members of a report's line. See REPORTS in imagemill-pipe(1), and 'imagemill schema result'.

        imagemill pipe -f fill:100x100,circle -o 'out/{name}.png' < urls.txt
        find . -name '*.jpg' -print0 | imagemill pipe -0 -o '{name}.webp'
      """)

  @Argument(
    help: ArgumentHelp(
      "Sources to convert instead of a list on standard input: paths, URLs, directories, or patterns such as "
        + "'photos/**/*.heic'; '-' is one image on standard input.",
      valueName: "source"),
    completion: .file())
  var sources: [OperandGroup] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Output path template, with fields such as {name}, {index:05} and {ext}.", valueName: "template"))
  var output: String?

  @Option(help: ArgumentHelp("Format of standard input.", valueName: "sources|ndjson|csv|tsv"))
  var input = InputForm.sources

  @Option(
    help: ArgumentHelp(
      "Select only the lines that failed in the last 'pipe' with the same operands, -C and -o in this directory, or in this "
        + "report. An argument after --failed that ends in .ndjson is the report.",
      valueName: "report.ndjson"),
    completion: .file(extensions: ["ndjson"]))
  var failed: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Read and write records that end in NUL instead of a newline; not with --input csv or tsv.")
  var isNULSeparated = false

  @Flag(help: "Print results in the order of the input; at most 1,024 records are read ahead.")
  var ordered = false

  @Flag(help: "Print results as JSON objects, one per line.")
  var json = false

  @Flag(
    help: "For programs, with --json: exit 0 if every line could be read and has its result, failed or not.")
  var failuresAreResults = false

  @Flag(name: [.customShort("n"), .long], help: "Print the paths that would be written, and do nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var outputs: OutputOptions
  @OptionGroup(title: "Destination") var destination: DestinationOptions
  @OptionGroup(title: "Run") var batch: BatchOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions
  @OptionGroup(title: "Remote cache") var remote: RemoteCacheOptions

  func validate() throws {
    if let owner = batch.standardOutputOwners.first {
      throw ValidationError("pipe writes its results to standard output; name a file for \(owner)")
    }
    if isNULSeparated, [.csv, .tsv].contains(input) {
      throw ValidationError("-0 works with --input sources and ndjson, not csv or tsv")
    }
    if dryRun, json { throw ValidationError("--dry-run prints paths only, and can't be used with --json") }
    guard failuresAreResults else { return }
    if !json { throw ValidationError("--failures-are-results needs --json, whose results include failures") }
    // They would end the run with lines that have no result.
    if batch.failFast || batch.maxFailures != nil {
      let option = batch.failFast ? "--fail-fast" : "--max-failures"
      throw ValidationError("--failures-are-results and \(option) can't be used together")
    }
  }

  func run() async throws {
    try ObjectDestination(directory: destination.outputDirectory, template: output).check(
      downloads,
      refusing: [
        (!dryRun && cache.offline, ObjectDestination.offline),
        (!batch.emissions.isEmpty && destination.outputDirectory == nil, ObjectDestination.emit),
      ])
    let operands = sources.isEmpty ? nil : try self.operands()
    let streams = operands == nil ? [try self.jobs()] : []
    let lastRun = LastRun(
      of: "pipe", [input.rawValue] + sources.words, outputs: (destination.outputDirectory, output),
      cache: cache.settings)
    let failed = try failed.map { try FailedJobs(reading: lastRun.report($0)) }
    var items = JobItems(streams: streams, operands: operands)
    let repeated = RepeatedJobs()
    items.prepare = { job in
      guard let failed else { return true }
      guard failed.contains(job) else { return false }
      repeated.note()
      return true
    }
    if failed?.isEmpty == true, !batch.quiet {
      StandardError.say("imagemill: note: no line failed in the earlier run")
    }
    if dryRun { return try await rehearse(items) }
    if let operands, !batch.quiet { operands.noteLeftOut() }
    if operands == nil, !batch.quiet { StandardInput.announce("the sources") }
    var files = ClaimedFiles()
    if operands == nil { files.add(descriptor: STDIN_FILENO, as: "the sources on standard input") }
    try files.add(readBy: downloads, outputs)
    try SideFiles(batch.settings).check(files)
    let order = ordered ? OrderWindow() : nil
    if let order {
      items.admit = { await order.admit($0) }
      items.skip = { order.skip($0) }
    }
    let reporting = try Reporting(
      batch.settings,
      results: ResultPrinter.Form(
        json: json, order: order, isNULSeparated: isNULSeparated, isGathered: failuresAreResults),
      continuation: Continuation(
        record: lastRun.record(isSelection: failed != nil), report: batch.settings.failureReport,
        readsInput: operands == nil,
        hasFailureLimit: batch.settings.failureLimit != nil),
      repeatingCommand: "pipe")
    items.onRead = { reporting.queue($0) }
    var run = BatchRun(
      downloads: downloads, cache: cache.settings, limits: limits, batch: batch.settings,
      outputDirectory: destination.outputDirectory ?? ".", allowsOutside: destination.allowOutside,
      reporting: reporting)
    run.commandTemplate = output ?? ""
    let named = try outputs.sources().values.compactMap(\.localPath)
    // The sources may come from a file.
    if operands == nil { run.protectedFiles = named + ["/dev/stdin"] }
    if let operands {
      run.refusePlaces = {
        [
          replacing = outputs.replacing, directory = destination.outputDirectory,
          allowsOutside = destination.allowOutside
        ]
        store in
        try operands.refusePlaces(
          replacing, besides: named, outputDirectory: directory ?? ".", allowsOutside: allowsOutside,
          store: store)
      }
    }
    run.replacing = outputs.replacing
    run.remoteCache = try remote.configuration(downloads, cache.settings)
    run.durability = outputs.durability.level
    run.objectFields = try outputs.objectFields()
    let outcome = try await run.run(items)
    if failed?.isEmpty == false { try repeated.refuseNone(after: outcome.status) }
    let status =
      failuresAreResults ? outcome.statusOfReporting : items.refusal.status(ofBatch: outcome.status)
    if status != .success { throw status }
    if failuresAreResults { try refuseUnreadable(items.refusal) }
  }

  /// Throws if the input isn't in the form that was agreed on, so that results may be missing or can't be assigned.
  private func refuseUnreadable(_ refusal: InputRefusal) throws(CommandError) {
    if refusal.isRaised {
      throw CommandError(
        refusal.isAfterJobs ? .failed : .usage, "the input can't be read; its result has the reason")
    }
    if refusal.hasUnreadableRecords {
      throw CommandError(.failed, "the input has records that can't be read; their results have the reasons")
    }
  }

  /// Prints the outputs' paths as far as they are known before a source is read, and reports wrong records.
  private func rehearse(_ items: JobItems) async throws {
    var isWrong = false
    let end = isNULSeparated ? "\0" : "\n"
    for await item in items {
      switch item {
      case .group(let group):
        let paths = group.jobs.flatMap { job in
          job.outputs.map { $0.path(of: job, in: destination.outputDirectory) + end }
        }
        // The reader has closed its end.
        if try !StandardOutput.write(paths.joined()) { return }
      case .rejected(let result):
        isWrong = true
        JobItems.report(result)
      case .unselected: break
      }
    }
    if isWrong { throw items.refusal.status(.failed) }
  }

  private func operands() throws -> OperandJobs {
    if input != .sources {
      throw CommandError(.usage, "--input is for standard input; leave it out, or leave out the sources")
    }
    return try outputs.readingJobs(try options(), template: template) {
      try SourceOperands.jobs(
        sources.words, $0, allowed: limits.limits(slots: 1).allowedFormats,
        outputDirectory: destination.outputDirectory ?? ".", replacesSources: outputs.inPlace)
    }
  }

  private func options() throws -> ManifestOptions {
    var options = ManifestOptions()
    // Records may have the key 'format'.
    options.hints = input == .sources ? Remedies.hintsOfSources : Remedies.hints
    options.hints.directory = "the current directory"
    options.allowsOutside = destination.allowOutside
    outputs.setEncoding(in: &options)
    options.namedSources = try outputs.sources()
    return options
  }

  private func template() throws -> OutputTemplate? {
    if output == nil && input == .sources {
      throw CommandError(.usage, "pipe needs -o TEMPLATE, such as -o '{name}.png'")
    }
    return try OutputOptions.template(output, in: destination.outputDirectory)
  }

  private func jobs() throws -> LineJobs {
    let options = try options()
    var lines = LineOptions(input.form)
    lines.isNULSeparated = isNULSeparated
    return try outputs.readingJobs(options, template: template) { options in
      do throws(ManifestErrors) {
        return try LineJobs(descriptor: STDIN_FILENO, name: "-", lines, options)
      } catch {
        throw CommandError(options: error)
      }
    }
  }
}

/// The format of records.
enum InputForm: String, ExpressibleByArgument, CaseIterable {
  case sources, ndjson, csv, tsv

  var form: LineForm {
    switch self {
    case .sources: .sources
    case .ndjson: .ndjson
    case .csv: .csv
    case .tsv: .tsv
    }
  }
}
