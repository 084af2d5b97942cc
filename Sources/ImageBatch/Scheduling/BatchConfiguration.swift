public import ImageCaches

/// How a batch is run; the defaults are the command line's.
public struct BatchConfiguration: Sendable {
  /// What relative output paths start from.
  public var outputDirectory = "."
  /// Whether outputs may leave ``outputDirectory``.
  public var allowsOutside = false
  /// What a source may be, checked from its header.
  public var limits = RenderLimits()
  /// How a corrupt or truncated source is treated.
  public var onCorrupt = CorruptPolicy.fail
  /// Render and write again what is up to date.
  public var force = false
  /// Stop starting jobs after so many have failed; nil: keep going.
  public var failureLimit: Int?
  /// Whether results carry placeholder hashes.
  public var wantsPlaceholders = false
  /// How many jobs there are, where that is known: those that are never read count as not started.
  public var knownJobs: Int?
  /// How many job groups are in flight at once, those that wait for a download slot included.
  public var window = 1024

  /// How many bytes may be downloaded and not yet rendered before transfers wait.
  public var backlogBytes = 256 << 20
  /// Which renditions are kept in the store for later runs.
  public var renditions = RenditionPolicy.auto

  /// The scopes of which files that are no longer made are removed, when every job has succeeded.
  public var prunedScopes: [OutputScope] = []
  /// The template given beside the manifests, which names the outputs of jobs that name none; empty where there is none.
  public var commandTemplate = ""
  /// What an output may replace.
  public var replacing = ReplacementPolicy()

  /// The defaults.
  public init() {}
}
