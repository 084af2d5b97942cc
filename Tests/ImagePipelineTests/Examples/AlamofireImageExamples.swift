import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import Vips

// The code of the article "From AlamofireImage".

// begin af-pipeline
func avatar(of url: URL, pipeline: ImagePipeline) async throws -> VipsImage {
  // downloader.download(URLRequest(url: url), filter: filter) { response in … }
  let filter = AspectScaledToFillSizeCircleFilter(size: Size(width: 100, height: 100))
  return try await pipeline.image(for: url, filters: filter)
}
// end

// begin af-cancel
func loadAndCancel(_ url: URL, pipeline: ImagePipeline, onCancel: @escaping @Sendable () -> Void) {
  // let receipt = downloader.download(URLRequest(url: url), filter: CircleFilter()) { response in … }
  let receipt = pipeline.load(ImageRequest(url), filters: CircleFilter()) { result in
    if case .failure(let error) = result, error.isRequestCancelledError { onCancel() }
  }
  // downloader.cancelRequest(with: receipt)
  if let receipt { pipeline.cancel(receipt) }
}
// end

// begin af-images
func versions(of data: Data) throws -> [VipsImage] {
  let image = try VipsImage(data: data)  // UIImage.af.threadSafeImage(with: data)
  let square = Size(width: 100, height: 100)
  return [
    try image.inflated(),  // image.af.inflate()
    try image.imageScaled(to: square),  // image.af.imageScaled(to: size)
    try image.imageAspectScaled(toFit: square),  // image.af.imageAspectScaled(toFit: size)
    try image.imageAspectScaled(toFill: square),  // image.af.imageAspectScaled(toFill: size)
    try image.imageRounded(withCornerRadius: 10),  // image.af.imageRounded(withCornerRadius: 10)
    try image.imageRoundedIntoCircle(),  // image.af.imageRoundedIntoCircle()
    // image.af.imageFiltered(withCoreImageFilter: "CISepiaTone")
    try image.imageFiltered(withCoreImageFilter: "CISepiaTone"),
  ]
}
// end

// begin af-filters
func filters(_ size: Size) -> [any ImageFilter] {
  [
    ScaledToSizeFilter(size: size), AspectScaledToFitSizeFilter(size: size),
    AspectScaledToFillSizeFilter(size: size), RoundedCornersFilter(radius: 20), CircleFilter(),
    BlurFilter(blurRadius: 10),
    ScaledToSizeWithRoundedCornersFilter(size: size, radius: 20),
    AspectScaledToFillSizeWithRoundedCornersFilter(size: size, radius: 20),
    ScaledToSizeCircleFilter(size: size), AspectScaledToFillSizeCircleFilter(size: size),
    DynamicImageFilter("inverted") { image throws(FilterError) in try image.filtered(.invert) },
    DynamicCompositeImageFilter(CircleFilter(), BlurFilter()),
  ]
}
// end

// begin af-cache
func useCache(_ avatar: VipsImage, for url: URL) throws -> VipsImage? {
  // AutoPurgingImageCache(memoryCapacity: 100_000_000, preferredMemoryUsageAfterPurge: 60_000_000)
  let cache = try AutoPurgingImageCache(
    memoryCapacity: 100_000_000, preferredMemoryUsageAfterPurge: 60_000_000)
  cache.add(avatar, withIdentifier: "avatar")
  _ = cache.image(withIdentifier: "avatar")
  cache.removeImage(withIdentifier: "avatar")
  let request = ImageRequest(url)  // URLRequest(url: url)
  cache.add(avatar, for: request, withIdentifier: "circle")
  let found = cache.image(for: request, withIdentifier: "circle")
  cache.removeImage(for: request, withIdentifier: "circle")
  cache.removeImages(matching: request)  // cache.removeImages(matching: URLRequest(url: url))
  cache.removeAllImages()
  return found
}
// end

// begin af-downloader
func makeDownloader(store: DiskStore) -> ImageDownloader {
  // ImageDownloader(configuration:, downloadPrioritization: .fifo, maximumActiveDownloads: 4, imageCache:)
  var configuration = ImageDownloader.Configuration()
  configuration.order = .fifo
  configuration.activeDownloads = 4
  // ImageResponseSerializer.addAcceptableImageContentTypes(["image/jpg"])
  configuration.acceptableContentTypes.insert("image/jpg")
  let downloader = ImageDownloader(configuration: configuration, store: store)
  downloader.addAuthentication(user: "user", password: "password")
  downloader.addAuthentication(usingCredential: .init(user: "user", password: "password"))
  return downloader
}
// end

// begin af-response
func response(
  to url: URL, downloader: ImageDownloader
) async throws -> (image: VipsImage, source: StoredSource) {
  // AF.request(url).responseImage { response in … }
  let source = try await downloader.download(ImageRequest(url))
  print(source.displayText, source.finalURL ?? "")  // response.request
  print(source.contentType ?? "", source.etag ?? "")  // response.response
  return (try VipsImage(contentsOf: source.file), source)  // response.result
}

func loadAll(_ urls: [URL], pipeline: ImagePipeline, completion: @escaping @Sendable (Size?) -> Void) {
  // let urlRequests = urls.map { URLRequest(url: $0) }
  let requests = urls.map { ImageRequest($0) }
  // downloader.download(urlRequests[0], progress: { … }) { response in … }
  pipeline.load(
    requests[0], progress: { received, expected in print(received, expected ?? 0) },
    completion: { result in
      switch result {
      case .success(let image): completion(image.size)
      case .failure(let error):
        print(error)
        completion(nil)
      }
    })
  // downloader.download(urlRequests, filter: CircleFilter()) { response in … }
  for request in requests {
    pipeline.load(request, filters: CircleFilter()) { result in completion(try? result.get().size) }
  }
}
// end

// begin af-coreimage
func coreImageVersions(of image: VipsImage) throws -> [VipsImage] {
  let sepia = CoreImageFilter(filterName: "CISepiaTone")  // a type that conforms to CoreImageFilter
  let imageFilter = RoundedCornersFilter(radius: 10)
  return [
    // image.af.imageFiltered(withCoreImageFilter: "CIGaussianBlur", parameters: ["inputRadius": 25])
    try image.imageFiltered(withCoreImageFilter: "CIGaussianBlur", parameters: ["inputRadius": "25"]),
    try image.filtered(sepia),
    try imageFilter.filter(image),  // imageFilter.filter(image)
  ]
}
// end

// begin af-views
func showAvatar(of url: URL, placeholderImage: URL, with batch: Batch) async -> OutputResult? {
  // let filter = AspectScaledToFillSizeWithRoundedCornersFilter(size: imageView.frame.size, radius: 20)
  let filter = AspectScaledToFillSizeWithRoundedCornersFilter(size: Size(width: 100, height: 100), radius: 20)
  // imageView.af.setImage(
  //   withURL: url, placeholderImage: placeholderImage, filter: filter, imageTransition: .crossDissolve(0.2))
  let placeholder = placeholderImage.path(percentEncoded: false)
  var job = Job(
    source: url, output: "avatar.webp",
    filters: filter, .transition(from: placeholder, kind: .crossdissolve, duration: .seconds(0.2)))
  job.placeholder = .file(placeholder)
  // imageView.af.cancelImageRequest(): cancel the task, which leaves the loop
  for await result in batch.results(of: [job]) { return result.outputs.first }
  return nil
}
// end
