public import ImageDownloads
public import ImageFilters
public import ImageRendering

/// The reason that a pipeline has no image (AlamofireImage's `AFIError`).
public enum ImageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call was cancelled, by its receipt, its task, or a shutdown.
  case requestCancelled
  /// The source can't be downloaded or read.
  case downloadFailed(DownloadError)
  /// The bytes are no image, are damaged, or exceed a limit; or a filter failed.
  case imageSerializationFailed(RenderError)
  /// A filter's argument is out of range.
  case invalidFilter(FilterError)

  /// Whether the call was cancelled (AlamofireImage's property of this name).
  public var isRequestCancelledError: Bool { self == .requestCancelled }

  /// Whether the bytes can't be decoded or filtered (AlamofireImage's property of this name).
  public var isImageSerializationFailedError: Bool {
    if case .imageSerializationFailed = self { true } else { false }
  }

  /// Whether the source can't be downloaded or read.
  public var isDownloadError: Bool { if case .downloadFailed = self { true } else { false } }

  init(_ error: DownloadError) { self = error.isCancelled ? .requestCancelled : .downloadFailed(error) }

  /// What happened, in one sentence without secrets.
  public var description: String {
    switch self {
    // AlamofireImage's text.
    case .requestCancelled: "The request was explicitly cancelled."
    case .downloadFailed(let error): error.message
    case .imageSerializationFailed(let error): error.message
    case .invalidFilter(let error): error.message
    }
  }
}
