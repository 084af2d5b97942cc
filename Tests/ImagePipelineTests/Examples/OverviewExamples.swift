import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import Vips

// The code of the products' overviews and of the articles.

// begin overview-vips
func half(of photograph: String) throws -> VipsImage {
  let image = try Loader(.jpeg).open(photograph, sequential: true)
  return try image.applying("resize", ["scale": .double(0.5)]).materialized()
}
// end

// begin overview-filters
func smallVersions(of image: VipsImage) throws -> [VipsImage] {
  let chain = FilterChain(.limit(width: 800), .sharpen())
  let same: FilterChain = "limit:800x,sharpen"
  assert(chain.identifier == same.identifier)  // every parameter with its key, defaults included
  return [try image.filtered(.fill(width: 100, height: 100), .circle), try image.filtered(chain)]
}
// end

// begin overview-caches
func remember(_ avatar: VipsImage, in directory: URL) throws -> (AutoPurgingImageCache, DiskStore) {
  let images = try AutoPurgingImageCache(
    memoryCapacity: 100_000_000, preferredMemoryUsageAfterPurge: 60_000_000)
  images.add(avatar, withIdentifier: "ada")
  return (images, try DiskStore(directory: directory, capacity: 2 << 30))
}
// end

// begin overview-downloads
func size(of url: URL, _ downloader: ImageDownloader) async throws -> Int {
  let source = try await downloader.download(ImageRequest(url))
  print(source.file, source.digest.hex, source.disposition)
  return source.byteCount
}
// end

// begin overview-rendering
func makeAvatarFile(of photograph: URL, at avatar: URL) throws {
  let image = try VipsImage(contentsOf: photograph).filtered(.fill(width: 96, height: 96), .circle)
  try image.write(to: avatar, as: .webp(quality: 80))
}
// end

// begin overview-batch
func makeGallery(of urls: [URL], _ batch: Batch) async -> BatchSummary {
  let jobs = urls.map { url in
    Job(
      source: url,
      outputs: [
        JobOutput("small/{name}.webp", filters: .fill(width: 200, height: 150)),
        JobOutput("large/{name}.jpg", filters: .limit(width: 1600), encoding: .jpeg(quality: 85)),
      ])
  }
  for await result in batch.results(of: jobs) where result.failed { print("failed: \(result.source)") }
  return await batch.summary
}
// end

// begin overview-pipeline
func makePipelineAvatar(at url: URL, with pipeline: ImagePipeline, to file: URL) async throws {
  let avatar = try await pipeline.image(for: url, filters: .fill(width: 96, height: 96), .circle)
  try avatar.write(to: file)
}
// end

// begin workers
struct Program {
  static func main() async throws {
    WorkerMain.runIfWorker()
    let batch = try Batch(
      cacheDirectory: URL(filePath: "/var/cache/images"),
      rendering: .workerProcesses(WorkerConfiguration(timeout: .seconds(20))))
    for await result in batch.results(of: jobs()) { print(result.source, result.failed) }
  }
}
// end

private func jobs() -> [Job] { [] }
