import ArgumentParser
import ImageBatch

/// Every job of the manifests.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Make every output of the manifests.",
    discussion: """
      Every source is downloaded once, equal outputs are rendered once, and what is in place with the right bytes \
      is left alone. A job that fails costs no other.

        imagemill run
        imagemill run -C public --report report.html images.yaml
      """)

  @Argument(
    help: "Manifests; '-' is standard input (default: imagemill.yaml, .yml, .toml or .json here).",
    completion: .file(extensions: ManifestArguments.extensions))
  var manifests: [String] = []

  @Flag(help: "Do nothing; exit 3 if any output is missing or out of date.")
  var check = false

  @Flag(name: [.customShort("n"), .long], help: "Say what would be done, and do nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Write what every source was: a lock file, to be reviewed and kept.", valueName: "file"),
    completion: .file())
  var lock: String?

  @Flag(help: "Refuse sources whose bytes differ from what --lock says; exit 3.")
  var frozen = false

  @Flag(help: "Remove files of earlier runs that the manifests no longer make, when every job has succeeded.")
  var prune = false

  @OptionGroup(title: "Jobs") var jobs: JobOptions
  @OptionGroup(title: "Run") var batch: BatchOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func validate() throws {
    if frozen && lock == nil { throw ValidationError("--frozen needs --lock FILE") }
    if prune, manifests.contains("-") || jobs.shard != nil || jobs.failed != nil {
      throw ValidationError(
        "--prune compares whole manifests with what they have made; name their files, and leave out "
          + "--shard and --failed")
    }
    if check && dryRun { throw ValidationError("--check and --dry-run are two questions; ask one") }
  }

  func run() async throws {
    var input = try jobs.read(manifests)
    if check || dryRun { return try await plan(input) }
    let locked = try frozen ? lock.map { try LockFile(reading: $0) } : nil
    if let locked { try locked.pin(&input) }
    let reporting = try Reporting(batch)
    if input.streams.isEmpty { await reporting.receive(.jobsCounted(input.jobs.count)) }
    var run = BatchRun(
      downloads: downloads, cache: cache, limits: limits, batch: batch, origins: input.origins,
      outputDirectory: ".", allowsOutside: jobs.arguments.allowOutside,
      knownJobs: input.streams.isEmpty ? input.jobs.count : nil, reporting: reporting)
    run.commandTemplate = jobs.template ?? ""
    run.replacing = jobs.output.replacing
    if prune { run.prunedScopes = input.scopes }
    let replacing = jobs.output.replacing
    run.refuseOverwrites = { [input] store in try input.refuseOverwrites(replacing, store: store) }
    let sources = LockedSources()
    var status = try await run.run(input.items, sources: sources)
    if let locked, !sources.mismatches.isEmpty {
      StandardError.write(locked.difference(from: sources.mismatches))
      status = .outOfDate
    }
    if let lock, !frozen, status != .interrupted, status != .terminated {
      try LockFile(sources.all).write(to: lock)
    }
    if status != .success { throw status }
  }

  /// Says what would be done; with `--check`, only whether there is anything to do.
  private func plan(_ input: JobOptions.Input) async throws {
    let plan = try await Planning(
      downloads: downloads, cache: cache, limits: limits, allowsOutside: jobs.arguments.allowOutside,
      force: batch.force, prunedScopes: prune ? input.scopes : [], commandTemplate: jobs.template ?? "",
      replacing: jobs.output.replacing
    ).plan(input)
    if dryRun { StandardOutput.write(PlanText.lines(plan)) }
    guard check, !plan.outOfDate.isEmpty || !plan.stale.isEmpty else { return }
    for entry in plan.outOfDate where !batch.quiet {
      let place = entry.location.map { "\($0.file):\($0.line):\($0.column): " } ?? ""
      StandardError.write("\(place)out of date: \(entry.path ?? entry.source): \(entry.reason)\n")
    }
    for path in plan.stale where !batch.quiet { StandardError.write("no longer made: \(path)\n") }
    throw ExitStatus.outOfDate
  }
}
