public import ImageCaches
public import ImageDownloads
import ImageFilters

/// Why a job or an output failed.
public struct JobError: Error, Sendable, Hashable, Codable {
  /// Where on its way a job failed.
  public enum Stage: String, Sendable, Codable {
    case manifest, download, read, decode, filter, encode, write
  }

  /// The kind of failure.
  public var code: Code
  /// Where on its way.
  public var stage: Stage
  /// What stood in the way, where the code alone doesn't say which setting would change that.
  public var reason: Reason?
  /// One sentence: what happened. It shows no secret, and names no setting of a program.
  public var message: String
  /// Whether the same job may succeed later (exit status 75).
  public var isTemporary: Bool
  /// The source that failed, as it may be shown, where it isn't the job's first: another of its sources, an overlay, a
  /// mask.
  public var source: String?
  /// What the source's bytes are, where they aren't the pinned ones.
  public var foundDigest: ContentDigest?
  /// Whether it happened in an earlier run, and was not tried again in this one.
  public var isRecorded = false
  /// The failures that this one stands for, where each of several sources has failed. ``message`` joins theirs.
  public var parts: [JobError] = []

  /// A failure.
  public init(
    code: Code, stage: Stage, _ reason: Reason? = nil, message: String, isTemporary: Bool = false
  ) {
    self.code = code
    self.stage = stage
    self.reason = reason
    self.message = message
    self.isTemporary = isTemporary
  }

  /// What stood in the way of a job, with the value and the limit: what a program makes its advice from.
  public enum Reason: Hashable, Sendable, Codable {
    /// Why the download failed.
    case download(DownloadError.Reason)
    /// The status of a response that is an error.
    case status(Int)
    /// Why the disk store failed.
    case cache(CacheError.Reason)
    /// A source of so many pixels, in all of its `frames`, and the most that are decoded.
    case sourcePixels(Int, frames: Int, limit: Int)
    /// A filter that would make so many pixels, and the most that it may.
    case filterPixels(Int, limit: Int)
    /// An animation of so many frames, and the most that are decoded.
    case frames(Int, limit: Int)
    /// The bytes of memory that decoding would take, and the most that it may.
    case memory(Int, limit: Int)
    /// The seconds that a rendering may take.
    case time(limit: Double)
    /// A format, by its name, that isn't read by default and wasn't asked for.
    case unreadFormat(String)
  }
}

extension JobError {
  /// A download's failure.
  public init(_ error: DownloadError) {
    self.init(
      code: Code(error.code), stage: error.code == .unreadable ? .read : .download,
      error.reason.map(Reason.download), message: error.message, isTemporary: error.isTemporary)
    if error.code == .httpStatus, let status = error.status { reason = .status(status) }
    foundDigest = error.foundDigest
    if !error.source.isEmpty { source = error.source }
  }

  /// A filter's failure.
  init(_ error: FilterError, stage: Stage = .filter) {
    self.init(code: Code(error.code), stage: stage, message: error.message)
    if case .tooManyPixels(let pixels, let limit) = error.reason {
      reason = .filterPixels(pixels, limit: limit)
    }
  }

  /// The disk store's failure: it stands in the way of writing.
  package init(_ error: CacheError) {
    self.init(code: .cacheFailed, stage: .write, .cache(error.reason), message: error.message)
  }

  /// For what was stopped before it ended.
  static let cancelled = JobError(
    code: .cancelled, stage: .decode, message: "the run was stopped before this was made", isTemporary: true)

  /// Why several sources failed, one after the other, each by its name. Temporary if any of them was: that one may come
  /// back.
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

  /// Whether the source itself can't be used: not the failure of a filter, an encoder or another image.
  func concerns(_ source: String) -> Bool {
    (stage == .decode || stage == .read) && (self.source ?? source) == source
  }
}
