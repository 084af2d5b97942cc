public import ImageDownloads
public import Vips

/// An event of a pipeline. The identifier is that of the filters.
public enum ImagePipelineEvent: Sendable, Hashable {
  /// An image, or its encoded bytes, was in memory.
  case foundInMemory(ImageRequest, identifier: String)
  /// A source was downloaded, or found in the disk cache, as the disposition says.
  case downloaded(ImageRequest, bytes: Int, StoredSource.Disposition)
  /// An image was decoded and filtered, in this time.
  case rendered(ImageRequest, identifier: String, Duration)
  /// An image was encoded for `data(for:filters:as:)`, in this time.
  case encoded(ImageRequest, identifier: String, bytes: Int, Duration)
  /// A load or an encoding failed, for all calls that waited for it.
  case failed(ImageRequest, identifier: String, ImageError)
  /// A call was cancelled, by its receipt or its task.
  case cancelled(ImageRequest, identifier: String)
}

/// The totals of a pipeline since it was created.
public struct ImagePipelineTotals: Sendable, Hashable {
  /// Calls that were answered from memory.
  public var memoryHits = 0
  /// Calls that joined another call's download and rendering.
  public var joined = 0
  /// Images that were decoded and filtered.
  public var renderings = 0
  /// Images that were encoded.
  public var encodings = 0
  /// Calls that were cancelled before their image was loaded.
  public var cancelled = 0
  /// Loads and encodings that failed, each counted once for all calls that waited for it.
  public var failures = 0
  /// The totals of the pipeline's downloader.
  public var downloads = DownloadTotals()

  /// Creates totals that are all 0.
  public init() {}
}

/// An element of the stream of ``ImagePipeline/updates(for:filters:)-(URL,_)``.
public enum ImageUpdate: Sendable {
  /// Bytes have been received; `expected` is the announced total.
  case progress(received: Int, expected: Int?)
  /// The filtered image, which is the last element.
  case image(VipsImage)
}
