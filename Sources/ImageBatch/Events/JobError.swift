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
  /// One sentence: what happened, and what to do about it. It shows no secret.
  public var message: String
  /// Whether the same job may succeed later (exit status 75).
  public var isTemporary: Bool
  /// The source that failed, as it may be shown, where it isn't the job's first: another of its sources, an overlay, a
  /// mask.
  public var source: String?
  /// What the source's bytes are, where they aren't the pinned ones.
  public var foundDigest: ContentDigest?

  /// A failure.
  public init(code: Code, stage: Stage, message: String, isTemporary: Bool = false) {
    self.code = code
    self.stage = stage
    self.message = message
    self.isTemporary = isTemporary
  }
}

extension JobError {
  /// A download's failure.
  public init(_ error: DownloadError) {
    self.init(
      code: Code(error.code), stage: error.code == .unreadable ? .read : .download, message: error.message,
      isTemporary: error.isTemporary)
    foundDigest = error.foundDigest
    if !error.source.isEmpty { source = error.source }
  }

  /// A filter's failure.
  init(_ error: FilterError, stage: Stage = .filter) {
    self.init(code: Code(error.code), stage: stage, message: error.message)
  }

  /// The disk store's failure: it stands in the way of writing.
  init(_ error: CacheError) {
    self.init(code: .cacheFailed, stage: .write, message: error.message)
  }

  /// For what was stopped before it ended.
  static let cancelled = JobError(
    code: .cancelled, stage: .decode, message: "the run was stopped before this was made", isTemporary: true)

  /// Why several sources failed, one after the other, each by its name. Temporary if any of them was: that one may come
  /// back.
  init(allOf errors: [JobError]) {
    guard let first = errors.first, errors.count > 1 else {
      self = errors.first ?? .cancelled
      return
    }
    self = first
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
