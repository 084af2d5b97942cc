public import struct FoundationEssentials.URL
public import ImageDownloads
public import ImageFilters
import Synchronization

extension ImagePipeline {
  /// Loads an image and reports its progress.
  ///
  ///     for try await update in pipeline.updates(for: url, filters: .circle) {
  ///       switch update {
  ///       case .progress(let received, _): print(received)
  ///       case .image(let image): print(image.size)
  ///       }
  ///     }
  ///
  /// The load starts now. Leaving the loop cancels it.
  /// - Parameters:
  ///   - url: An http or https URL.
  ///   - filters: The filters, in the order of application.
  /// - Returns: A stream of progress that ends with the image, or throws `ImageError`. It keeps only the
  ///   newest update.
  public func updates(
    for url: URL, filters: any ImageFilter...
  ) -> AsyncThrowingStream<ImageUpdate, any Error> {
    updates(for: ImageRequest(url), chain: FilterChain(combining: filters))
  }

  /// Loads an image and reports its progress. See ``updates(for:filters:)``.
  /// - Parameters:
  ///   - request: The source, headers and cache mode.
  ///   - chain: The filters.
  /// - Returns: A stream of progress that ends with the image, or throws `ImageError`. It keeps only the
  ///   newest update.
  public func updates(
    for request: ImageRequest, chain: FilterChain
  ) -> AsyncThrowingStream<ImageUpdate, any Error> {
    // Only the newest progress matters, and the image is always the newest.
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: ImageUpdate.self, bufferingPolicy: .bufferingNewest(1))
    let receipt = load(
      request, chain: chain, priority: 0,
      progress: { continuation.yield(.progress(received: $0, expected: $1)) },
      completion: { outcome in
        switch outcome {
        case .success(let image):
          continuation.yield(.image(image))
          continuation.finish()
        case .failure(let error): continuation.finish(throwing: error)
        }
      })
    guard let receipt else { return stream }
    continuation.onTermination = { [weak self] _ in self?.cancel(receipt) }
    return stream
  }

  /// Loads images into the caches before they are needed.
  /// - Parameters:
  ///   - urls: http or https URLs.
  ///   - filters: The filters of the calls that will need the images.
  ///   - priority: Lower than that of other calls. Default: -1.
  /// - Returns: The running loads. They go on if it is released.
  @discardableResult
  public func prefetch(
    _ urls: [URL], filters: any ImageFilter..., priority: Int = -1
  ) -> ImagePrefetch {
    let chain = FilterChain(combining: filters)
    let receipts = urls.compactMap { url in
      load(ImageRequest(url), chain: chain, priority: priority, progress: nil) { _ in }
    }
    return ImagePrefetch(pipeline: self, receipts: receipts)
  }
}

/// Images that are loaded before they are needed. Failures are found again by the calls that need the images.
public struct ImagePrefetch: Sendable {
  private let pipeline: ImagePipeline
  /// The receipts of the images that weren't in memory.
  public let receipts: [ImageReceipt]

  init(pipeline: ImagePipeline, receipts: [ImageReceipt]) {
    (self.pipeline, self.receipts) = (pipeline, receipts)
  }

  /// Cancels what isn't loaded yet, unless other calls wait for it.
  public func cancel() {
    for receipt in receipts { pipeline.cancel(receipt) }
  }
}
