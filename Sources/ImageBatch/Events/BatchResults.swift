/// The result of one output.
public struct OutputResult: Sendable, Hashable {
  /// The outcome; the raw values are those of JSON results.
  public enum Status: String, Sendable, Codable {
    /// Rendered and put in place.
    case written
    /// Already in place with the right bytes.
    case unchanged
    /// Put in place from what was stored or made for another output.
    case cached
    /// Not made: a file that no run has written is in its place, and is to be kept.
    case kept
    /// Not in place.
    case failed
  }

  /// The job's index, from 1.
  public var index: Int
  /// The output's position in its job, from 0.
  public var outputIndex: Int
  /// The source as it may be shown: without credentials, `data:` URLs shortened.
  public var source: String
  /// The output's path as the user wrote it, relative to the output directory unless absolute; nil where it failed before it had a name.
  public var output: String?
  /// The path to open: `output` under the output directory.
  public var path: String?
  /// What became of it.
  public var status: Status
  /// In pixels.
  public var width: Int?
  /// In pixels, of one frame.
  public var height: Int?
  /// How many frames it has.
  public var frames: Int?
  /// The encoded size.
  public var bytes: Int?
  /// The quality that the search for a size has reached; nil where none was asked for, and where the output was stored.
  public var quality: Int?
  /// 64 hexadecimal digits.
  public var sha256: String?
  /// The chain's identifier.
  public var filter: String
  /// The format's name.
  public var format: String
  /// The source's size, where it was downloaded.
  public var sourceBytes: Int?
  /// What stands for the picture until it is there, on request.
  public var placeholders: Placeholders?
  /// What `--emit` says of it.
  public var markup: Markup?
  /// Whether the placeholder replaced a source that failed.
  public var usedPlaceholder = false
  /// Why it failed.
  public var error: JobError?
  /// The input record's own fields.
  public var fields: [Job.Field] = []
  /// The place in the manifest.
  public var location: ManifestLocation?
  /// From the job's start to this output's end, in seconds.
  public var seconds: Double = 0

  /// A result that holds no more than what every result has.
  public init(index: Int, outputIndex: Int, source: String, status: Status, filter: String, format: String) {
    self.index = index
    self.outputIndex = outputIndex
    self.source = source
    self.status = status
    self.filter = filter
    self.format = format
  }
}

/// What became of one job.
public struct JobResult: Sendable, Hashable {
  /// The job's index, from 1.
  public var index: Int
  /// The source as it may be shown.
  public var source: String
  /// Its outputs' results, in their order.
  public var outputs: [OutputResult]
  /// The place in the manifest.
  public var location: ManifestLocation?

  /// Whether any output failed.
  public var failed: Bool { outputs.contains { $0.status == .failed } }

  /// A job's result.
  public init(index: Int, source: String, outputs: [OutputResult], location: ManifestLocation?) {
    self.index = index
    self.source = source
    self.outputs = outputs
    self.location = location
  }
}

/// The totals of a batch: the closing summary.
public struct BatchSummary: Sendable, Hashable, Codable {
  /// Jobs that were read.
  public var jobs = 0
  /// Jobs of which every output is in place.
  public var jobsDone = 0
  /// Jobs of which an output failed.
  public var jobsFailed = 0
  /// Outputs of the jobs that ended.
  public var outputs = 0
  /// Outputs rendered and put in place.
  public var outputsWritten = 0
  /// Outputs that were in place with the right bytes.
  public var outputsUnchanged = 0
  /// Outputs put in place from what was stored.
  public var outputsFromCache = 0
  /// Outputs that were not made, because a file that no run has written is in their place (`--no-clobber`).
  public var outputsKept = 0
  /// Outputs that are not in place.
  public var outputsFailed = 0
  /// Files of earlier runs that the manifest no longer makes, removed by `--prune`.
  public var outputsRemoved = 0
  /// Bodies received.
  public var downloads = 0
  /// Bytes of those bodies.
  public var downloadedBytes = 0
  /// Jobs that used what another job had downloaded.
  public var mergedDownloads = 0
  /// Stored answers that their origins confirmed.
  public var revalidatedDownloads = 0
  /// Sources whose stored responses were fresh, so that no request was sent.
  public var freshDownloads = 0
  /// How often a source was decoded.
  public var decodes = 0
  /// How many outputs were rendered and encoded; those of equal keys count once.
  public var renderings = 0
  /// Renditions that were found in a worker's memory or in the store.
  public var renditionsReused = 0
  /// Outputs for which a placeholder stands in.
  public var placeholdersUsed = 0
  /// From the start to the end.
  public var seconds: Double = 0
  /// Whether every failure was temporary (exit status 75).
  public var allFailuresTemporary = false
  /// Jobs that were read and then not started: `--fail-fast`, `--max-failures`, a signal.
  public var jobsNotStarted = 0

  /// Totals of nothing yet.
  public init() {}
}
