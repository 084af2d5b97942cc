import ArgumentParser
import FoundationEssentials
import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests
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

/// A plan as text.
enum PlanText {
  /// A line an output, then the totals.
  static func lines(_ plan: BatchPlan) -> String {
    var text = ""
    for entry in plan.entries {
      text +=
        "\(entry.action.rawValue.padded(to: 10))  \(entry.path ?? "?")  (\(entry.source): \(entry.reason))\n"
    }
    for path in plan.stale { text += "remove      \(path)  (the manifest no longer makes it)\n" }
    let totals = plan.totals
    let actions = BatchPlan.Action.allCases.compactMap { action in
      totals.actions[action.rawValue].map { "\($0) \(action.rawValue)" }
    }
    return text + "jobs \(totals.jobs); outputs \(totals.outputs): \(actions.joined(separator: ", ")); "
      + "sources \(totals.sources): \(totals.downloads) to download, \(totals.revalidations) to revalidate; "
      + "\(totals.isExact ? "" : "at least ")\(totals.decodes) to decode; \(totals.renderings) to render\n"
  }

  /// `{"totals": …, "outputs": […]}`.
  static func json(_ plan: BatchPlan) throws -> String {
    struct Document: Encodable {
      struct Output: Encodable {
        let index: Int
        let source: String
        let output: String?
        let action: String
        let reason: String
        let filter: String
        let format: String
        let content: String?
        let key: String?
        let location: ManifestLocation?
      }
      let totals: BatchPlan.Totals
      let outputs: [Output]
    }
    let outputs = plan.entries.map { entry in
      Document.Output(
        index: entry.index, source: entry.source, output: entry.path, action: entry.action.rawValue,
        reason: entry.reason, filter: entry.filter, format: entry.format, content: entry.content?.hex,
        key: entry.key?.hex, location: entry.location)
    }
    let document = Document(totals: plan.totals, outputs: outputs)
    return String(decoding: try JSONText.encoded(document, pretty: true), as: UTF8.self)
  }

  /// The graph of steps in Graphviz's language: what is at hand is drawn with dashes.
  static func dot(_ plan: BatchPlan) -> String {
    guard let graph = plan.graph else { return "" }
    var text = "digraph plan {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n"
    for (index, node) in graph.nodes.values.enumerated() {
      text +=
        "  n\(index) [label=\(quoted(node.label)), shape=\(shape(node.kind))"
        + "\(node.isDone ? ", style=dashed" : "")];\n"
    }
    for edge in graph.edges {
      guard let from = graph.nodes.index(forKey: edge.from), let to = graph.nodes.index(forKey: edge.to)
      else {
        continue
      }
      text += "  n\(from) -> n\(to);\n"
    }
    return text + "}\n"
  }

  private static func shape(_ kind: PlanGraph.Node.Kind) -> String {
    switch kind {
    case .source: "cylinder"
    case .decode: "ellipse"
    case .filter: "box"
    case .encode: .hexagon
    case .write: "note"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      + "\""
  }
}
