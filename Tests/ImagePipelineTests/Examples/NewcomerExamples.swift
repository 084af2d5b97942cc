import Foundation
import ImageBatch
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import Vips

// The first five things that a newcomer does. The numbers are the most lines that each may have.

// begin thumbnail 3
func makeThumbnail(of photograph: URL, at thumbnail: URL) throws {
  try VipsImage(contentsOf: photograph).filtered(.fill(width: 200, height: 150)).write(to: thumbnail)
}
// end

// begin avatar 5
func openPipeline(cache: URL) throws -> ImagePipeline { try ImagePipeline(cacheDirectory: cache) }  // once

func cachedAvatar(at url: URL, with pipeline: ImagePipeline) async throws -> VipsImage {
  try await pipeline.image(for: url, filters: .fill(width: 96, height: 96), .circle)
}
// end

// begin own-filter 15
struct Fade: ImageFilter {
  var amount: Double
  var identifier: String { "fade:\(amount)" }

  func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
    do {
      return try image.linear([1 - amount], [128 * amount]).cast(to: image.format)
    } catch { throw FilterError(.failed, "can't fade: \(error)") }
  }
}

func faded(_ photograph: VipsImage) throws -> VipsImage {
  try photograph.filtered(.limit(width: 800), Fade(amount: 0.4), .sharpen())
}
// end

// begin thousand 15
func makeThumbnails(
  of urls: [URL], _ settings: ImageDownloader.Configuration, in directory: URL, cache: URL
) async throws -> Int {
  var configuration = BatchConfiguration()
  configuration.outputDirectory = directory
  let batch = try Batch(configuration, cacheDirectory: cache, downloads: settings)
  let jobs = urls.map { Job(source: $0, output: "{name}.webp", filters: .fill(width: 96, height: 96)) }
  var ended = 0
  for await result in batch.results(of: jobs) {
    ended += 1
    print("\(ended) of \(jobs.count): \(result.source) \(result.failed ? "failed" : "done")")
  }
  return ended
}
// end

// begin cancel-half 20
func loadHalf(of urls: [URL], with pipeline: ImagePipeline) async -> (loaded: Int, cancelled: Int) {
  let (results, continuation) = AsyncStream.makeStream(of: Result<VipsImage, ImageError>.self)
  let receipts = urls.map { url in
    pipeline.load(ImageRequest(url), filters: .circle) { continuation.yield($0) }
  }
  for (number, receipt) in receipts.enumerated() where number.isMultiple(of: 2) {
    if let receipt { pipeline.cancel(receipt) }
  }
  var (loaded, cancelled) = (0, 0)
  for await result in results.prefix(urls.count) {
    switch result {
    case .success: loaded += 1
    case .failure(let error): if error.isRequestCancelledError { cancelled += 1 }
    }
  }
  return (loaded, cancelled)
}
// end
