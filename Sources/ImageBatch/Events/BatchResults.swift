public import struct FoundationEssentials.URL
public import ImageRendering
import ObjectStorage

/// The result of one output, as in JSON results.
public struct OutputResult: Sendable, Hashable {
  /// The outcome. The raw values are those in JSON results.
  public enum Status: String, Sendable, Codable {
    /// The output was rendered and written.
    case written
    /// The existing file is up to date.
    case unchanged
    /// The output was copied from the store or from an equal output.
    case cached
    /// The output was skipped: the policy protects the existing file, which no run wrote.
    case kept
    /// The output couldn't be made.
    case failed
  }

  /// The job's index, from 1.
  public var index: Int
  /// The output's position in its job, from 0.
  public var outputIndex: Int
  /// The source's text without credentials; `data:` URLs are shortened.
  public var source: String
  /// The path as the user wrote it, relative to the output directory unless absolute; nil if it was never known.
  public var output: String?
  /// The path to open: ``output`` under the output directory.
  package var path: String?
  /// The file: ``output`` under the output directory; nil if its path was never known, and for an object.
  public var file: URL? { path.flatMap { ObjectAddress.isAddress($0) ? nil : URL(filePath: $0) } }
  /// Whether the output was written, found, kept or failed.
  public var status: Status
  /// The width in pixels; nil if the output failed or wasn't examined.
  public var width: Int?
  /// The height of one frame in pixels; nil like ``width``.
  public var height: Int?
  /// The number of frames, from 1; nil like ``width``.
  public var frames: Int?
  /// The file's size in bytes.
  public var bytes: Int?
  /// The quality that the `max-bytes` search found; nil if there was no search or the output was stored.
  public var quality: Int?
  /// The file's SHA-256 as 64 hexadecimal digits.
  public var sha256: String?
  /// The identifier of the filter chain; empty without filters.
  public var filter: String
  /// The filter chain as its manifest or command line has it; nil if that isn't known or has secrets.
  package var chainText: String?
  /// The path of a source that is a file, relative to the current directory; nil for other sources.
  package var sourcePath: String?
  /// The name of the output's format, or of its candidates.
  public var format: String
  /// The source's size in bytes.
  public var sourceBytes: Int?
  /// Placeholders; nil if they weren't requested.
  public var placeholders: Placeholders?
  /// The output's HTML settings for `--emit`.
  public var markup: Markup?
  /// Whether the placeholder replaced a source that failed.
  public var usedPlaceholder = false
  /// The error if the output failed.
  public var error: JobError?
  /// The fields of the input record.
  public var fields: [Job.Field] = []
  /// The location in the manifest; nil for jobs without one.
  public var location: ManifestLocation?
  /// The seconds from the job's start to the output's end.
  package var seconds: Double = 0
  /// The time from the job's start to the output's end.
  public var duration: Duration { .seconds(seconds) }

  /// Creates a result with only the fields that every result has.
  /// - Parameters:
  ///   - index: The job's index, from 1.
  ///   - outputIndex: The output's position in its job, from 0.
  ///   - source: The source's text without credentials.
  ///   - status: The outcome.
  ///   - filter: The identifier of the filter chain.
  ///   - format: The name of the format.
  public init(index: Int, outputIndex: Int, source: String, status: Status, filter: String, format: String) {
    self.index = index
    self.outputIndex = outputIndex
    self.source = source
    self.status = status
    self.filter = filter
    self.format = format
  }
}

/// The result of one job: those of all its outputs.
public struct JobResult: Sendable, Hashable {
  /// The job's index, from 1.
  public var index: Int
  /// The source's text without credentials.
  public var source: String
  /// The results of its outputs, in order.
  public var outputs: [OutputResult]
  /// The location in the manifest; nil for jobs without one.
  public var location: ManifestLocation?
  /// The local files that a record names which is no job. No output may replace them.
  package var reads: [String] = []

  /// Whether at least one output failed.
  public var failed: Bool { outputs.contains { $0.status == .failed } }

  /// Creates a result.
  /// - Parameters:
  ///   - index: The job's index, from 1.
  ///   - source: The source's text without credentials.
  ///   - outputs: The results of its outputs, in order.
  ///   - location: The location in the manifest.
  public init(index: Int, source: String, outputs: [OutputResult], location: ManifestLocation?) {
    self.index = index
    self.source = source
    self.outputs = outputs
    self.location = location
  }
}

/// The totals of a batch, as in the summary of a run.
public struct BatchSummary: Sendable, Hashable, Codable {
  /// Jobs that were read from the items.
  public var jobs = 0
  /// Jobs whose outputs are all in place.
  public var jobsDone = 0
  /// Jobs of which an output failed.
  public var jobsFailed = 0
  /// Outputs of all jobs that ended.
  public var outputs = 0
  /// Outputs that were rendered and written.
  public var outputsWritten = 0
  /// Outputs that were already up to date.
  public var outputsUnchanged = 0
  /// Outputs that were copied from the store.
  public var outputsFromCache = 0
  /// Outputs that were skipped to protect files that no run wrote (`--no-clobber`).
  public var outputsKept = 0
  /// Outputs that could not be made.
  public var outputsFailed = 0
  /// Files that the manifest no longer makes and `--prune` removed.
  public var outputsRemoved = 0
  /// Response bodies that were received from origins.
  public var downloads = 0
  /// The total size of those bodies in bytes.
  public var downloadedBytes = 0
  /// Jobs that shared another job's download.
  public var mergedDownloads = 0
  /// Stored responses that their origins revalidated.
  public var revalidatedDownloads = 0
  /// Sources whose stored responses were fresh, so that no request was sent.
  public var freshDownloads = 0
  /// The number of times sources were decoded.
  public var decodes = 0
  /// Outputs that were rendered and encoded. Equal keys count once.
  public var renderings = 0
  /// Renditions that were found in a worker's memory or in the store.
  public var renditionsReused = 0
  /// Outputs that were found in the remote cache.
  public var remoteHits = 0
  /// Outputs that were looked up in the remote cache, and not found.
  public var remoteMisses = 0
  /// The total size in bytes of the outputs that were found in the remote cache.
  public var remoteReceivedBytes = 0
  /// Outputs that were uploaded to the remote cache.
  public var remoteUploads = 0
  /// The total size in bytes of those outputs.
  public var remoteSentBytes = 0
  /// Outputs that were rendered, and could not be uploaded to the remote cache.
  public var remoteFailedUploads = 0
  /// Outputs that were made from a placeholder.
  public var placeholdersUsed = 0
  /// The duration in seconds.
  package var seconds: Double = 0
  /// The time that the batch took.
  public var duration: Duration { .seconds(seconds) }
  /// Whether every failure was temporary (exit status 75).
  public var allFailuresTemporary = false
  /// Jobs that weren't started because of `--fail-fast`, `--max-failures` or a signal.
  public var jobsNotStarted = 0
  /// Whether the batch was stopped before the end of an input whose number of jobs isn't known.
  public var isInputUnread = false
  /// Whether every job was started.
  public var isWhole: Bool { jobsNotStarted == 0 && !isInputUnread }

  /// Creates totals that are all 0.
  public init() {}
}

extension OutputResult {
  /// Removes what was known of a rendered image that isn't the file at the output's path.
  mutating func forgetImage() {
    (width, height, frames, bytes) = (nil, nil, nil, nil)
    (quality, sha256, placeholders) = (nil, nil, nil)
  }
}
