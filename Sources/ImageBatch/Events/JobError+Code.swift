import ImageDownloads
import ImageFilters

extension JobError {
  /// The kinds of failure. Their raw values are stable: results, reports, metrics and worker processes carry them.
  public enum Code: String, Sendable, Codable, CaseIterable {
    // MARK: Downloads

    /// The text names no source that is supported.
    case badSource = "bad-source"
    /// A local file that can't be read.
    case fileUnreadable = "file-unreadable"
    /// An HTTP status other than 2xx.
    case httpStatus = "http-status"
    /// The server answers 429 or 503, or asks to wait for longer than is waited.
    case throttled
    /// The host's name has no address, or the resolver failed.
    case hostNotFound = "host-not-found"
    /// No connection.
    case connectionFailed = "connection-failed"
    /// A host that has not responded many times in a row isn't asked any more, for now.
    case hostDown = "host-down"
    /// A connection that broke, or a response that makes no sense.
    case transferFailed = "transfer-failed"
    /// A download, or a rendering, that took longer than it may.
    case timedOut = "timed-out"
    /// A body or a file that ends too early.
    case truncated
    /// The TLS certificate isn't trusted, or TLS failed.
    case tlsFailed = "tls-failed"
    /// The address policy refuses the host or its address.
    case notAllowed = "not-allowed"
    /// More redirects than are followed, or a circle.
    case tooManyRedirects = "too-many-redirects"
    /// A redirect that isn't followed: to another scheme, or from https to http.
    case badRedirect = "bad-redirect"
    /// A body of more bytes than are accepted.
    case tooLarge = "too-large"
    /// The content type or the first bytes are no image's.
    case notAnImage = "not-an-image"
    /// A response whose body has no bytes.
    case emptyBody = "empty-body"
    /// Other bytes than the pinned ones.
    case digestMismatch = "digest-mismatch"
    /// Nothing is stored, and no request may be sent.
    case notCached = "not-cached"
    /// Stopped before it ended.
    case cancelled
    /// The cache directory or its index failed.
    case cacheFailed = "cache-failed"

    // MARK: Chains and filters

    /// A text that is no chain.
    case badChain = "bad-chain"
    /// No filter and no named chain has the name.
    case unknownFilter = "unknown-filter"
    /// A filter's argument is wrong, missing or one too many.
    case badArgument = "bad-argument"
    /// Named chains that use one another in a circle.
    case circularChain = "circular-chain"
    /// A chain of too many filters, or with too long a text.
    case chainTooLong = "chain-too-long"
    /// A filter could not be applied to this image.
    case filterFailed = "filter-failed"

    // MARK: Reading, rendering and encoding

    /// A source's file that can't be opened or read.
    case unreadable
    /// A local file that has changed since it was digested.
    case sourceChanged = "source-changed"
    /// A source of no bytes.
    case empty
    /// A damaged file.
    case corrupt
    /// A format that isn't read or written: by choice, or by the installed libvips.
    case unsupportedFormat = "unsupported-format"
    /// An SVG that refers to something outside of it.
    case externalReference = "external-reference"
    /// A source of more pixels than are decoded.
    case tooManyPixels = "too-many-pixels"
    /// An animation of more frames than are decoded.
    case tooManyFrames = "too-many-frames"
    /// A source whose decoding would take more memory than it may.
    case tooMuchMemory = "too-much-memory"
    /// A worker process that ran out of memory.
    case outOfMemory = "out-of-memory"
    /// A worker process that died.
    case decoderCrashed = "decoder-crashed"
    /// A worker process that could not be started.
    case workerNotStarted = "worker-not-started"
    /// An output that a rendering did not reach.
    case notRendered = "not-rendered"
    /// An encoder that failed.
    case encodeFailed = "encode-failed"
    /// An encoder's options that the installed libvips doesn't take.
    case badEncoding = "bad-encoding"
    /// An animation for a format that holds one frame, or the reverse.
    case noFrames = "no-frames"
    /// An image of longer sides than its format has room for.
    case tooLargeForFormat = "too-large-for-format"
    /// A file that can't be made as small as asked for, or a source's that is too large.
    case tooManyBytes = "too-many-bytes"

    // MARK: Writing

    /// A record of the input that is no job.
    case badRecord = "bad-record"
    /// A path or a template that names no file.
    case badOutput = "bad-output"
    /// A path that leads out of the output directory.
    case outsideOutputDirectory = "outside-output-dir"
    /// A path that another job of the run writes.
    case outputConflict = "output-conflict"
    /// A path at which a source lies.
    case overwritesSource = "overwrites-source"
    /// A file or a directory that can't be made or written.
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

  init(_ code: FilterError.Code) {
    self =
      switch code {
      case .syntax: .badChain
      case .unknownFilter: .unknownFilter
      case .badArgument: .badArgument
      case .circular: .circularChain
      case .tooLong: .chainTooLong
      case .failed: .filterFailed
      }
  }

  /// What ends a worker.
  static let deaths: Set<Self> = [.decoderCrashed, .timedOut, .outOfMemory]

  /// What is wrong with a source's bytes, whatever the limits and the machine.
  static let faultsOfContent: Set<Self> = [.corrupt, .truncated, .notAnImage, .empty]
}
