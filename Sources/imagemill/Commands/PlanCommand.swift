import ArgumentParser
import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests
import Reports
import SystemIO

/// What `run` would do.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Say what run would do, and what is cached already; change nothing.",
    discussion: """
      No request is made and no picture decoded: the plan is made from what is stored.

        imagemill plan images.yaml
        imagemill plan --json images.yaml
      """)

  @Argument(
    help: "Manifests; '-' is standard input (default: imagemill.yaml, .yml, .toml or .json here).",
    completion: .file(extensions: ManifestArguments.extensions))
  var manifests: [String] = []

  @Flag(help: "One JSON object: totals, and an entry for each output.")
  var json = false

  @Flag(help: "The graph of steps in Graphviz's language.")
  var dot = false

  @OptionGroup(title: "Jobs") var jobs: JobOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func run() async throws {
    let input = try jobs.read(manifests)
    let plan = try await Planning(
      downloads: downloads, cache: cache.settings, allowsOutside: jobs.arguments.allowOutside,
      commandTemplate: jobs.template ?? "", replacing: jobs.output.replacing, drawsGraph: dot
    )
    .plan(input)
    if json {
      try StandardOutput.write(try PlanText.json(plan) + "\n")
    } else if dot {
      try StandardOutput.write(PlanText.dot(plan))
    } else {
      try StandardOutput.write(PlanText.lines(plan))
    }
  }
}

/// Makes a plan with the command's options.
struct Planning {
  var downloads: DownloadOptions
  var cache: CacheSettings
  /// What sources may be: their `Accept` field chooses among the stored responses.
  var limits: LimitOptions?
  var allowsOutside: Bool
  var force = false
  var prunedScopes: [OutputScope] = []
  var commandTemplate = ""
  var replacing = ReplacementPolicy()
  var drawsGraph = false
  /// Whether origins are asked whether their sources have changed.
  var refreshes = false

  func plan(_ input: JobOptions.Input) async throws -> BatchPlan {
    var offline = cache
    offline.mode = refreshes ? .refresh : .offline
    let session = try Session(downloads: downloads, cache: offline, limits: limits, origins: input.origins)
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
    try input.refuseOverwrites(replacing, store: session.store)
    var groups: [JobGroup] = []
    for await case .group(let group) in input.items { groups.append(group) }
    let planner = BatchPlanner(
      configuration, downloader: session.downloader, store: session.store, drawsGraph: drawsGraph)
    let plan = await planner.plan(groups).withRemedies
    await session.end()
    return plan
  }
}
