import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests
import Reports
import SystemIO

/// Shows what `run` would do.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what run would do and what is cached; change nothing.",
    discussion: """
      The plan is made from the cache: no source is requested and no image decoded. Outputs in object storage are looked \
      up there.

      The first word of a line is what 'run' would do: keep the output, because it is up to date or because of \
      --no-clobber; copy it from the cache; render it from a local or cached source; revalidate or download its \
      source; or refuse it, for the reason given. 'imagemill run --dry-run' prints the same lines, and also takes \
      targets and the options --force and --prune; with --prune, the first word may also be remove.

        imagemill plan images.yaml
        imagemill plan --json images.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "Manifests; '-' is standard input (default: imagemill.yaml, .yml, .toml or .json in this directory).",
      valueName: "manifest"),
    completion: .file(extensions: ManifestArguments.extensions))
  var manifests: [String] = []

  @Flag(help: "Print one JSON object: totals, and an entry for each output.")
  var json = false

  @Flag(help: "Print the graph of steps in Graphviz's DOT language.")
  var dot = false

  @Option(
    help: ArgumentHelp(
      "Time limit for rendering one job. A longer estimate causes a warning.", valueName: "dur"))
  var jobTimeout = DurationArgument(BatchSettings().jobTimeout)

  @OptionGroup(title: "Jobs") var jobs: JobOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func validate() throws {
    if json && dot { throw ValidationError("--json and --dot can't be used together") }
  }

  func run() async throws {
    let operands = RunOperands(manifests)
    if !operands.targets.isEmpty, !operands.manifests.isEmpty || ManifestArguments.hasDefault {
      let words = manifests.map(ShellWord.quoted).joined(separator: " ")
      throw CommandError(.usage, "plan takes no targets; use 'imagemill run --dry-run \(words)'")
    }
    let input = try await jobs.readWithLists(manifests, cache: cache.settings)
    try await settled(by: input.settings).plan(input)
  }

  private func plan(_ input: JobSelection) async throws {
    try ObjectDestination(
      directory: jobs.yieldsToManifests ? nil : jobs.outputDirectory, template: jobs.template,
      jobs: input.jobs
    )
    .check(downloads, refusing: [(cache.offline, ObjectDestination.offline)])
    let (plan, status) = try await Planning(
      downloads: downloads, cache: cache.settings, allowsOutside: jobs.arguments.allowOutside,
      commandTemplate: jobs.template ?? "", replacing: jobs.output.replacing, drawsGraph: dot,
      timeLimit: jobTimeout.duration
    )
    .plan(input)
    if json {
      try StandardOutput.write(try PlanText.json(plan) + "\n")
    } else if dot {
      try StandardOutput.write(PlanText.dot(plan))
    } else {
      try StandardOutput.write(PlanText.lines(plan, timeRemedy: Remedies.ofLongRendering))
    }
    if status != .success { throw status }
  }
}

/// Makes a plan from the command's options.
struct Planning {
  var downloads: DownloadOptions
  var cache: CacheSettings
  /// The formats to accept. They make the `Accept` field, which selects among stored responses.
  var limits: LimitOptions?
  var allowsOutside: Bool
  var force = false
  var prunedScopes: [OutputScope] = []
  var commandTemplate = ""
  var replacing = ReplacementPolicy()
  var drawsGraph = false
  /// The time limit of a rendering, in comparison with its estimate; nil for none.
  var timeLimit: Duration?
  /// Whether stored sources are revalidated.
  var refreshes = false
  /// Whether the plan is compared with what is there, so that a changed file is a difference and no error.
  var isCheck = false
  /// The sources of a lock file, which refuse other bytes; nil for none.
  var frozen: FrozenSources?
  /// The path of the run's lock file, whose outputs may be replaced; nil for none.
  var lock: String?
  /// Whether the run would show placeholders, for which it renders outputs again.
  var wantsPlaceholders = false

  /// - Returns: The plan, and the input's status: not a success if a record is wrong.
  func plan(_ input: JobSelection) async throws -> (plan: BatchPlan, status: ExitStatus) {
    var offline = cache
    offline.mode = refreshes ? .refresh : .offline
    offline.createsDirectory = false
    offline.plansRequests = cache.mode != .offline
    return try await CommandServices.with(
      downloads: downloads, cache: offline, limits: limits, origins: input.origins, requestsOnce: refreshes
    ) { services in
      try input.refusePlaces(
        replacing, allowsOutside: allowsOutside, store: services.store, isCheck: isCheck, lock: lock)
      let (groups, status) = await input.items.readAll()
      let planner = BatchPlanner(
        configuration, downloader: services.downloader, store: services.store, drawsGraph: drawsGraph,
        timeLimit: timeLimit, sendsRequests: cache.mode != .offline)
      return (await planner.plan(groups).withRemedies, status)
    }
  }

  private var configuration: BatchConfiguration {
    var configuration = BatchConfiguration()
    configuration.allowsOutside = allowsOutside
    configuration.force = force
    if let limits {
      configuration.limits = limits.limits(slots: 1)
      configuration.onCorrupt = limits.corruptPolicy
    }
    configuration.prunedScopes = prunedScopes
    configuration.commandTemplate = commandTemplate
    configuration.replacing = replacing
    configuration.wantsPlaceholders = wantsPlaceholders
    configuration.frozen = frozen
    return configuration
  }
}
