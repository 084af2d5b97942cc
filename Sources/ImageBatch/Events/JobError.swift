public import ImageCaches
public import ImageDownloads
public import ImageRendering
import SystemIO

/// Why a job or an output failed.
public struct JobError: Error, Sendable, Hashable, Codable {
  /// The step of a job that failed.
  public enum Stage: String, Sendable, Codable {
    /// Reading the manifest, downloading, reading the source, decoding, filtering, encoding, and writing.
    case manifest, download, read, decode, filter, encode, write

    init(_ stage: RenderError.Stage) {
      self =
        switch stage {
        case .read: .read
        case .decode: .decode
        case .filter: .filter
        case .encode: .encode
        case .write: .write
        }
    }
  }

  /// The kind of error, which is stable across versions.
  public var code: Code
  /// The step of the job that failed.
  public var stage: Stage
  /// The value and limit behind the error, if ``code`` doesn't tell which setting to change; otherwise nil.
  public var reason: Reason?
  /// What happened, in one sentence without secrets or names of a program's settings.
  public var message: String
  /// Whether the same job may succeed later (exit status 75).
  public var isTemporary: Bool
  /// The text, without credentials, of the source that failed; nil for the job's first source.
  public var source: String?
  /// The source's actual digest, if it differs from the pinned one; otherwise nil.
  public var foundDigest: ContentDigest?
  /// Whether an earlier run recorded the error, and this run didn't retry.
  public var isRecorded = false
  /// The errors of the individual sources if all of several failed. ``message`` joins theirs.
  public var parts: [JobError] = []

  /// Creates an error.
  /// - Parameters:
  ///   - code: The kind of error.
  ///   - stage: The step that failed.
  ///   - reason: The value and limit behind the error. Default: nil.
  ///   - message: What happened, in one sentence without secrets.
  ///   - isTemporary: Whether the same job may succeed later. Default: false.
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
    /// The reason of a `DownloadError`.
    case download(DownloadError.Reason)
    /// The status of an error response.
    case status(Int)
    /// The reason of a `CacheError`.
    case cache(CacheError.Reason)
    /// The reason of a `RenderError`.
    case rendering(RenderError.Reason)
    /// The source's bytes aren't those of the lock file.
    case lockFile
  }
}

extension JobError {
  /// The error of a job that needs an output that failed.
  static func missing(_ output: OutputResult) -> JobError {
    JobError(
      code: .sourceNotMade, stage: .read,
      message: "its source \(output.output ?? output.source) is an output that failed",
      isTemporary: output.error?.isTemporary ?? false)
  }
}

extension JobError {
  /// Creates a job's error from a download's. Its stage is `download`, or `read` for a local file.
  /// - Parameter error: The failure of the download.
  public init(_ error: DownloadError) {
    let scheme = URLReference.scheme(of: error.source)
    let isLocal = !error.source.isEmpty && !["http", "https", "s3"].contains(scheme)
    let isRead =
      error.code == .unreadable || isLocal && [.empty, .tooLarge, .digestMismatch].contains(error.code)
    self.init(
      code: Code(error.code), stage: isRead ? .read : .download,
      error.reason.map(Reason.download), message: error.message, isTemporary: error.isTemporary)
    if error.code == .httpStatus, let status = error.status { reason = .status(status) }
    foundDigest = error.foundDigest
    if !error.source.isEmpty { source = error.source }
  }

  /// Creates a job's error from a renderer's, with the same stage.
  /// - Parameter error: The failure of the rendering.
  public init(_ error: RenderError) {
    self.init(
      code: Code(error.code), stage: Stage(error.stage), error.reason.map(Reason.rendering),
      message: error.message, isTemporary: error.isTemporary)
    source = error.source
  }

  /// Creates a job's error from the disk store's. Its stage is `write`.
  package init(_ error: CacheError) {
    self.init(code: .cacheFailed, stage: .write, .cache(error.reason), message: error.message)
  }

  /// The error of an output that was stopped.
  static let cancelled = JobError(
    code: .cancelled, stage: .decode, message: "the run was stopped before this output was made",
    isTemporary: true)

  /// Combines the errors of several sources. The result is temporary if any of them is, since that source may recover.
  package init(allOf errors: [JobError]) {
    guard let first = errors.first, errors.count > 1 else {
      self = errors.first ?? .cancelled
      return
    }
    self = first
    parts = errors
    message = errors.enumerated().map { index, error in
      let place = index == 0 ? "" : "\(error.source.map { "\($0): " } ?? "")\(error.stage.rawValue): "
      return place + error.message
    }.joined(separator: "; then ")
    isTemporary = errors.contains(where: \.isTemporary)
  }

  /// Whether the error is about the given source, not about a filter, an encoder or an auxiliary image.
  func concerns(_ source: String) -> Bool {
    (stage == .decode || stage == .read) && (self.source ?? source) == source
  }
}
