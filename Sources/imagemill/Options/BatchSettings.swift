import ImageBatch
import Reports
import SystemIO
import ImageRendering

/// The settings of a batch and of its reports.
struct BatchSettings {
  /// The number of jobs rendered concurrently.
  var slots = max(1, Machine.availableProcessors)
  var jobTimeout = Duration.seconds(60)
  /// The restrictions of worker processes.
  var sandbox = WorkerSandbox.auto
  /// The number of failures after which no job is started; nil for no limit.
  var failureLimit: Int?
  /// Whether outputs are rendered and written even if they are up to date.
  var force = false
  /// Which filtered images are kept for later runs.
  var renditions = RenditionPolicy.auto
  var progress = ProgressArgument.auto
  var extent = Messages.Verbosity.usual
  var reports: [String] = []
  /// The earlier report that an HTML report is compared with.
  var comparedReport: String?
  /// Markup to write: formats and paths.
  var emissions: [EmissionArgument] = []
  var metrics: String?
  var placeholders = false
  /// The path of the event log; `-` is standard output.
  var events: String?
  /// The options that write to standard output.
  var standardOutputOwners: [String] = []

  /// The last report that `--failed` can read.
  var failureReport: String? { reports.last { $0.lowercased().hasSuffix(".ndjson") } }

  /// Whether a report shows placeholders.
  var showsPlaceholders: Bool { placeholders || reports.contains(where: Self.isPage) }

  /// Whether a report with this path is an HTML page.
  static func isPage(_ path: String) -> Bool { path.lowercased().hasSuffix(".html") }
}
