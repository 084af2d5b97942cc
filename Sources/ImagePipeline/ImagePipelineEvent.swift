public import ImageDownloads
public import Vips

/// What a pipeline did. The identifier is that of the filters.
public enum ImagePipelineEvent: Sendable, Hashable {
  /// An image was in the memory cache.
  case foundInMemory(ImageRequest, identifier: String)
  /// A source was downloaded, or found in the disk cache, as the disposition says.
  case downloaded(ImageRequest, bytes: Int, StoredSource.Disposition)
  /// An image was decoded and filtered, in this time.
  case rendered(ImageRequest, identifier: String, Duration)
  /// A load failed, for all calls that waited for it.
  case failed(ImageRequest, identifier: String, ImageError)
  /// A call was cancelled.
  case cancelled(ImageRequest, identifier: String)
}

/// The totals of a pipeline.
public struct ImagePipelineTotals: Sendable, Hashable {
  /// Calls that the memory cache answered.
  public var memoryHits = 0
  /// Calls that joined another call's download and rendering.
  public var joined = 0
  /// Images decoded and filtered.
  public var renderings = 0
  /// Calls that were cancelled.
  public var cancelled = 0
  /// Loads that failed.
  public var failures = 0
  /// The downloader's totals.
  public var downloads = DownloadTotals()

  /// Creates totals of zero.
  public init() {}
}

/// What a call of ``ImagePipeline/updates(for:filters:)-(URL,_)`` reports.
public enum ImageUpdate: Sendable {
  /// Bytes have been received; `expected` is the announced total.
  case progress(received: Int, expected: Int?)
  /// The image. Nothing follows.
  case image(VipsImage)
}
