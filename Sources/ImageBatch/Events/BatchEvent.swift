/// An event of a running batch. All reports are made from these.
public enum BatchEvent: Sendable {
  /// The total number of jobs is known. Not sent while a stream continues.
  case jobsCounted(Int)
  /// A transfer from a host has started.
  case downloadStarted(id: Int, source: String, host: String)
  /// Bytes received so far, and the total if it is known.
  case downloadProgressed(id: Int, received: Int, expected: Int?)
  /// A transfer has ended. `bytes` is the size of its body. `isUnchanged` tells that what is stored is still valid.
  case downloadFinished(id: Int, bytes: Int, failed: Bool, isUnchanged: Bool = false)
  /// A rendering slot has started a job.
  case renderingStarted(slot: Int, job: Int, source: String)
  /// A rendering slot is free again.
  case renderingFinished(slot: Int)
  /// A problem that doesn't fail an output.
  case warning(BatchWarning)
  /// An output is in place or has failed.
  case outputFinished(OutputResult)
  /// A file that an earlier run made, and the manifest no longer makes, has been removed.
  case outputRemoved(path: String)
  /// All of a job's outputs are in place or have failed.
  case jobFinished(JobResult)
  /// The batch has ended. This is the last event.
  case finished(BatchSummary)
}

/// A problem that doesn't fail an output.
public struct BatchWarning: Sendable, Hashable, Codable {
  /// The source's text without credentials, if the warning is about one.
  public var source: String?
  /// What happened, in one sentence without secrets.
  public var message: String
  /// The underlying error, whose message ends ``message``.
  public var error: JobError?
  /// The location in the manifest; nil if the warning is about no job.
  public var location: ManifestLocation?

  /// Creates a warning.
  /// - Parameters:
  ///   - source: The source's text without credentials. Default: nil.
  ///   - message: What happened, in one sentence.
  ///   - error: The underlying error. Default: nil.
  ///   - location: The location in the manifest. Default: nil.
  public init(
    source: String? = nil, message: String, error: JobError? = nil, location: ManifestLocation? = nil
  ) {
    self.source = source
    self.message = message
    self.error = error
    self.location = location
  }
}
