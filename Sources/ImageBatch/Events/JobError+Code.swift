import ImageDownloads
import ImageRendering

extension JobError {
  /// The kind of an error. Raw values are stable, because results, reports, metrics and workers use them.
  public enum Code: String, Sendable, Codable, CaseIterable {
    // MARK: Downloads

    /// The source's text isn't a supported source.
    case badSource = "bad-source"
    /// A local file can't be read.
    case fileUnreadable = "file-unreadable"
    /// The response's status isn't 2xx.
    case httpStatus = "http-status"
    /// The server requests a wait (`Retry-After`) longer than the longest that is allowed.
    case throttled
    /// The host has no address, or the resolver failed.
    case hostNotFound = "host-not-found"
    /// The connection could not be established.
    case connectionFailed = "connection-failed"
    /// The host failed to respond many times in a row, so that no request was sent.
    case hostDown = "host-down"
    /// The connection broke, or the response is malformed.
    case transferFailed = "transfer-failed"
    /// A download or a rendering exceeded its time limit.
    case timedOut = "timed-out"
    /// A body or a file is truncated.
    case truncated
    /// TLS failed, or the certificate isn't trusted.
    case tlsFailed = "tls-failed"
    /// The address policy blocks the host or its address.
    case notAllowed = "not-allowed"
    /// Too many redirects, or a redirect loop.
    case tooManyRedirects = "too-many-redirects"
    /// A redirect to another scheme or from https to http.
    case badRedirect = "bad-redirect"
    /// A body exceeds the size limit.
    case tooLarge = "too-large"
    /// The content type or the signature isn't an image's.
    case notAnImage = "not-an-image"
    /// A response has an empty body.
    case emptyBody = "empty-body"
    /// The source differs from the pinned digest.
    case digestMismatch = "digest-mismatch"
    /// The source isn't stored, and no request may be sent.
    case notCached = "not-cached"
    /// The run was stopped before the job ended.
    case cancelled
    /// The cache directory or its index failed.
    case cacheFailed = "cache-failed"

    // MARK: Chains and filters

    /// A filter chain has a syntax error.
    case badChain = "bad-chain"
    /// No filter or named chain has the name.
    case unknownFilter = "unknown-filter"
    /// A filter's argument is invalid, missing or unexpected.
    case badArgument = "bad-argument"
    /// Named chains refer to each other in a cycle.
    case circularChain = "circular-chain"
    /// A chain has too many filters or too much text.
    case chainTooLong = "chain-too-long"
    /// A filter can't be applied to the image.
    case filterFailed = "filter-failed"

    // MARK: Reading, rendering and encoding

    /// A source's file can't be opened or read.
    case unreadable
    /// A local file has changed since it was digested.
    case sourceChanged = "source-changed"
    /// The source is an empty file.
    case empty
    /// The source is damaged: the decoder reports an error.
    case corrupt
    /// The settings or the installed libvips don't allow reading or writing the format.
    case unsupportedFormat = "unsupported-format"
    /// An SVG has an external reference.
    case externalReference = "external-reference"
    /// The source exceeds the pixel limit.
    case tooManyPixels = "too-many-pixels"
    /// The animation exceeds the frame limit.
    case tooManyFrames = "too-many-frames"
    /// Decoding would exceed the memory limit.
    case tooMuchMemory = "too-much-memory"
    /// A rendering exceeded the CPU time of a request.
    case processorTime = "processor-time"
    /// A file grew beyond the limit of file sizes. The image isn't the cause.
    case fileSize = "file-size"
    /// A worker process ran out of memory.
    case outOfMemory = "out-of-memory"
    /// A worker process crashed, twice for the same source.
    case decoderCrashed = "decoder-crashed"
    /// A worker process was killed or stopped from outside. The image isn't the cause.
    case workerKilled = "worker-killed"
    /// The sandbox ended a worker process for a system call that no decoder needs, twice for the same source.
    case systemCallRefused = "system-call-refused"
    /// A worker process couldn't be started.
    case workerNotStarted = "worker-not-started"
    /// The rendering ended before this output.
    case notRendered = "not-rendered"
    /// A source is an output of another job, which failed.
    case sourceNotMade = "source-not-made"
    /// The encoder or libvips' saver failed.
    case encodeFailed = "encode-failed"
    /// The encoding's settings are invalid.
    case badEncoding = "bad-encoding"
    /// The format can't hold the image's frames.
    case noFrames = "no-frames"
    /// The image exceeds the format's largest width or height.
    case tooLargeForFormat = "too-large-for-format"
    /// An output can't meet `max-bytes`, or a source file is too large.
    case tooManyBytes = "too-many-bytes"

    // MARK: Writing

    /// An input record isn't a valid job.
    case badRecord = "bad-record"
    /// A path or a template doesn't name a file.
    case badOutput = "bad-output"
    /// A path is outside the output directory.
    case outsideOutputDirectory = "outside-output-dir"
    /// Another output of the run has the same path.
    case outputConflict = "output-conflict"
    /// A source of the run has the same path.
    case overwritesSource = "overwrites-source"
    /// A file or a directory can't be created or written.
    case writeFailed = "write-failed"
  }
}

extension JobError.Code {
  init(_ code: DownloadError.Code) {
    self =
      switch code {
      case .badSource: .badSource
      case .unreadable: .fileUnreadable
      case .httpStatus: .httpStatus
      case .throttled: .throttled
      case .unresolved: .hostNotFound
      case .connectionFailed: .connectionFailed
      case .hostDown: .hostDown
      case .transferFailed: .transferFailed
      case .timedOut: .timedOut
      case .truncated: .truncated
      case .tls: .tlsFailed
      case .notAllowed: .notAllowed
      case .tooManyRedirects: .tooManyRedirects
      case .badRedirect: .badRedirect
      case .tooLarge: .tooLarge
      case .notAnImage: .notAnImage
      case .empty: .emptyBody
      case .digestMismatch: .digestMismatch
      case .notCached: .notCached
      case .cancelled: .cancelled
      case .cache: .cacheFailed
      }
  }

  init(_ code: RenderError.Code) {
    self =
      switch code {
      case .unreadable: .unreadable
      case .empty: .empty
      case .truncated: .truncated
      case .corrupt: .corrupt
      case .notAnImage: .notAnImage
      case .unsupportedFormat: .unsupportedFormat
      case .externalReference: .externalReference
      case .tooManyPixels: .tooManyPixels
      case .tooManyFrames: .tooManyFrames
      case .tooMuchMemory: .tooMuchMemory
      case .badChain: .badChain
      case .unknownFilter: .unknownFilter
      case .badArgument: .badArgument
      case .circularChain: .circularChain
      case .chainTooLong: .chainTooLong
      case .filterFailed: .filterFailed
      case .encodeFailed: .encodeFailed
      case .badEncoding: .badEncoding
      case .noFrames: .noFrames
      case .tooLargeForFormat: .tooLargeForFormat
      case .tooManyBytes: .tooManyBytes
      case .writeFailed: .writeFailed
      case .notRendered: .notRendered
      case .cancelled: .cancelled
      case .timedOut: .timedOut
      case .processorTime: .processorTime
      case .fileSize: .fileSize
      case .outOfMemory: .outOfMemory
      case .decoderCrashed: .decoderCrashed
      case .workerKilled: .workerKilled
      case .systemCallRefused: .systemCallRefused
      case .workerNotStarted: .workerNotStarted
      }
  }

  /// Errors of an image that end its worker process. They are recorded, unless they are temporary. Memory that runs out isn't
  /// the image's error: often an encoder needs more.
  static let decoderFailures: Set<Self> = [.decoderCrashed, .timedOut, .processorTime]

  /// Errors of a source's content, independent of limits and machine.
  static let faultsOfContent: Set<Self> = [.corrupt, .truncated, .notAnImage, .empty]
}
