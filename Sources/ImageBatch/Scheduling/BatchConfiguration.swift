public import struct FoundationEssentials.URL
package import ImageCaches
package import ImageDownloads
public import ImageRendering
public import Logging
package import WebValues

/// The configuration of a batch. The defaults are the command line's.
public struct BatchConfiguration: Sendable {
  /// The path of ``outputDirectory``.
  package var outputPath = "."
  /// The directory that output paths are relative to (default: the working directory).
  public var outputDirectory: URL {
    get { URL(filePath: outputPath) }
    set { outputPath = newValue.path(percentEncoded: false) }
  }
  /// Whether outputs may be outside ``outputDirectory``.
  public var allowsOutside = false
  /// Limits that are checked against a source's header.
  public var limits = RenderLimits()
  /// Whether a corrupt or truncated source fails.
  public var onCorrupt = CorruptPolicy.fail
  /// Whether to render and write outputs that are up to date.
  public var force = false
  /// The number of failed jobs after which no more are started; nil for no limit. Default: nil.
  public var failureLimit: Int?
  /// Whether results include `Placeholders`. Default: false.
  public var wantsPlaceholders = false
  /// The number of jobs, if known; otherwise nil. Jobs that are never read then count as not started.
  public var knownJobs: Int?
  /// The number of job groups in flight, including those that wait for a download slot.
  public var window = 1024

  /// Bytes of downloaded sources waiting for rendering above which no transfer is started.
  public var backlogBytes = 256 << 20
  /// Which renditions the store keeps for later runs.
  public var renditions = RenditionPolicy.auto

  /// If every job succeeds, files in these scopes that are no longer made are removed.
  package var prunedScopes: [OutputScope] = []
  /// The command line's output template, for jobs that name no output; empty if there is none.
  package var commandTemplate = ""
  /// The files that an output may replace. Default: any file except a source of the run.
  public var replacing = ReplacementPolicy()
  /// Files that the run reads besides its jobs' sources, such as its manifests. No output may replace them, unless
  /// ``replacing`` allows it for sources.
  package var protectedFiles: [String] = []
  /// Whether outputs are synced to disk before they are reported.
  public var durability = Durability.fast

  /// Fields of the objects that outputs are uploaded to, such as `Cache-Control`.
  package var objectFields: [HeaderField] = []

  /// A cache of outputs on another machine; nil for none.
  package var remoteCache: RemoteCacheConfiguration?

  /// The sources of a lock file, which refuse other bytes; nil for none.
  package var frozen: FrozenSources?
  /// Called with each downloaded source of jobs with several, used or not.
  package var onArrival: (@Sendable (StoredSource) -> Void)?

  /// Receives warnings, failed outputs at the level `info`, finished jobs at `debug` (default: none).
  public var logger: Logger?

  /// Creates the configuration of a command line without options.
  public init() {}
}
