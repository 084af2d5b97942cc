/// What happens in a batch, as it happens. Whoever reports listens to these and to nothing else.
public enum BatchEvent: Sendable {
  /// The whole number of jobs is known (never, for a stream that goes on).
  case jobsCounted(Int)
  /// A transfer from a host has begun.
  case downloadStarted(id: Int, source: String, host: String)
  /// Bytes received so far of the announced total.
  case downloadProgressed(id: Int, received: Int, expected: Int?)
  /// A transfer has ended.
  case downloadFinished(id: Int, bytes: Int, failed: Bool)
  /// A rendering slot has taken a job.
  case renderingStarted(slot: Int, job: Int, source: String)
  /// A rendering slot is free again.
  case renderingFinished(slot: Int)
  /// Something that the user should know and that fails nothing.
  case warning(BatchWarning)
  /// One output is in place, or has failed.
  case outputFinished(OutputResult)
  /// A file of an earlier run, which the manifest no longer makes, has been removed.
  case outputRemoved(path: String)
  /// All of a job's outputs are in place or have failed.
  case jobFinished(JobResult)
  /// The batch has ended; nothing follows.
  case finished(BatchSummary)
}

/// Something that the user should know and that fails nothing.
public struct BatchWarning: Sendable, Hashable, Codable {
  /// The source as it may be shown.
  public var source: String?
  /// One sentence.
  public var message: String
  /// The failure that it tells of, whose message ``message`` ends with.
  public var error: JobError?
  /// The place in the manifest.
  public var location: ManifestLocation?

  /// A warning.
  public init(
    source: String? = nil, message: String, error: JobError? = nil, location: ManifestLocation? = nil
  ) {
    self.source = source
    self.message = message
    self.error = error
    self.location = location
  }
}
