import ImageFilters

/// Why an image or one of its outputs can't be rendered.
public struct RenderError: Error, Sendable, Hashable, Codable {
  /// The steps of a rendering, in their order.
  public enum Stage: String, Sendable, Codable {
    /// Reading the source, decoding it, filtering, encoding, and writing the file.
    case read, decode, filter, encode, write
  }

  /// The kind of error, which is stable across versions.
  public var code: Code
  /// The step of the rendering that failed.
  public var stage: Stage
  /// The value and limit behind the error, if ``code`` doesn't tell which setting to change; otherwise nil.
  public var reason: Reason?
  /// What happened, in one sentence without secrets or names of a program's settings.
  public var message: String
  /// Whether the same request may succeed later.
  public var isTemporary: Bool
  /// The name of the auxiliary image that failed; nil if it was the request's source.
  public var source: String?

  /// Creates an error.
  /// - Parameters:
  ///   - code: The kind of error.
  ///   - stage: The step that failed.
  ///   - reason: The value and limit behind the error. Default: nil.
  ///   - message: What happened, in one sentence without secrets.
  ///   - isTemporary: Whether the same request may succeed later. Default: false.
  public init(
    code: Code, stage: Stage, _ reason: Reason? = nil, message: String, isTemporary: Bool = false
  ) {
    self.code = code
    self.stage = stage
    self.reason = reason
    self.message = message
    self.isTemporary = isTemporary
  }

  /// The facts behind an error, from which a program can suggest a remedy.
  public enum Reason: Hashable, Sendable, Codable {
    /// The source's pixels in all of its `frames`, and the limit.
    case sourcePixels(Int, frames: Int, limit: Int)
    /// The pixels that a filter would make, and the limit.
    case filterPixels(Int, limit: Int)
    /// The animation's frames, and the limit.
    case frames(Int, limit: Int)
    /// The bytes of memory that decoding would take, and the limit.
    case memory(Int, limit: Int)
    /// The time limit of a rendering, in seconds.
    case time(limit: Duration)
    /// The name of a format that isn't read by default.
    case unreadFormat(String)
    /// The directory of temporary files, whose disk, quota or limit of file sizes is exhausted.
    case noSpace(directory: String)
    /// Damage is accepted (`CorruptPolicy.warn`), but no part of the image can be decoded.
    case nothingDecoded
  }

  /// The kind of an error. Raw values are stable: they cross to worker processes.
  public enum Code: String, Sendable, Codable, CaseIterable {
    // MARK: Reading

    /// A source's file can't be opened or read.
    case unreadable
    /// The source is an empty file.
    case empty
    /// The source ends before its last pixel.
    case truncated
    /// The source is damaged: the decoder reports an error.
    case corrupt
    /// The signature isn't an image's.
    case notAnImage = "not-an-image"
    /// The settings or the installed libvips don't allow reading or writing the format.
    case unsupportedFormat = "unsupported-format"
    /// An SVG has an external reference.
    case externalReference = "external-reference"

    // MARK: Limits

    /// The source exceeds the pixel limit.
    case tooManyPixels = "too-many-pixels"
    /// The animation exceeds the frame limit.
    case tooManyFrames = "too-many-frames"
    /// Decoding would exceed the memory limit.
    case tooMuchMemory = "too-much-memory"

    // MARK: Filters

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

    // MARK: Encoding

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
    /// A file can't be created or written.
    case writeFailed = "write-failed"

    // MARK: Services

    /// The rendering ended before this output.
    case notRendered = "not-rendered"
    /// Rendering was stopped before the output was made.
    case cancelled
    /// A rendering exceeded its time limit.
    case timedOut = "timed-out"
    /// A rendering exceeded the CPU time of a request.
    case processorTime = "processor-time"
    /// A file grew beyond the limit of file sizes. The image isn't the cause.
    case fileSize = "file-size"
    /// A worker process ran out of memory.
    case outOfMemory = "out-of-memory"
    /// A worker process crashed, twice for the same request.
    case decoderCrashed = "decoder-crashed"
    /// A worker process was killed or stopped from outside. The image isn't the cause.
    case workerKilled = "worker-killed"
    /// The sandbox ended a worker process for a system call that no decoder needs, twice for the same request.
    case systemCallRefused = "system-call-refused"
    /// A worker process couldn't be started.
    case workerNotStarted = "worker-not-started"

    /// Creates a code from a filter error's.
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
  }
}

extension RenderError {
  /// Creates an error from a filter's.
  init(_ error: FilterError, stage: Stage = .filter) {
    self.init(code: Code(error.code), stage: stage, message: error.message)
    if case .tooManyPixels(let pixels, let limit) = error.reason {
      reason = .filterPixels(pixels, limit: limit)
    }
  }

  /// The error of an output that was stopped.
  static let cancelled = RenderError(
    code: .cancelled, stage: .decode, message: "the run was stopped before this output was made",
    isTemporary: true)
}
