import ImageBatch
import Reports

/// How a batch goes on, and who is told of it.
struct BatchSettings {
  /// How many jobs are rendered at once.
  var slots = max(1, Machine.availableProcessors)
  /// For rendering one job.
  var jobTimeout = Duration.seconds(60)
  /// After so many failures no job is started.
  var failureLimit: Int?
  /// Whether what is up to date is made and written again.
  var force = false
  /// Which filtered images are kept for later runs.
  var renditions = RenditionPolicy.auto
  /// What progress looks like.
  var progress = ProgressArgument.auto
  /// Which messages are written.
  var extent = Messages.Extent.usual
  /// Files for reports.
  var reports: [String] = []
  /// Files for markup.
  var emissions: [EmissionArgument] = []
  /// The file for metrics.
  var metrics: String?
  /// Whether results carry placeholders.
  var placeholders = false
  /// The file for events.
  var events: String?
  /// The options that write to standard output.
  var standardOutputOwners: [String] = []
}
