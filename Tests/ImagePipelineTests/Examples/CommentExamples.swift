import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import Vips

// The code of the doc comments; those of `Sources` quote pieces of it.

// begin comment-vips
func mean(of image: VipsImage) throws -> Double {
  let built = try VipsOperation("avg", ["in": .image(image)])
  let mean = try built.double("out")
  return mean
}
// end

// begin comment-filters
func avatars(of photograph: VipsImage) throws -> [VipsImage] {
  let ready = try photograph.inflated()
  return [ready, try avatarOfChain(photograph), try avatarOfFilters(photograph)]
}

func avatarOfChain(_ photograph: VipsImage) throws -> VipsImage {
  let chain = FilterChain(.fill(width: 100, height: 100), .circle)
  let avatar = try chain.apply(to: photograph)
  return avatar
}

func avatarOfFilters(_ photograph: VipsImage) throws -> VipsImage {
  let avatar = try photograph.filtered(.fill(width: 96, height: 96), .circle)
  return avatar
}

func ownChain() -> FilterChain {
  let chain = FilterChain(.limit(width: 800), Grain(amount: 0.2), .sharpen())
  return chain
}
// end

// begin comment-caches
func openCache() throws -> DiskStore {
  let store = try DiskStore(directory: URL(filePath: "/var/cache/imagemill"), capacity: 2 << 30)
  return store
}

func insert(_ bytes: [UInt8], _ digest: ContentDigest, into store: DiskStore) throws -> StoredObject {
  let temporary = try store.makeTemporaryFile()
  try bytes.withUnsafeBytes { try temporary.write($0) }
  let object = try store.insert(temporary, digest: digest)
  return object
}

func renditionKey(_ content: ContentDigest, _ chain: FilterChain) -> ContentDigest {
  var key = KeyBuilder("rendition")
  key.append(content.hex)
  key.append(chain.identifier)
  let digest = key.digest
  return digest
}

func monitorMemory() -> MemoryPressureMonitor {
  let monitor = MemoryPressureMonitor { pressure in print(pressure) }
  return monitor
}
// end

// begin comment-downloads
func download(_ url: URL, _ configuration: ImageDownloader.Configuration, _ store: DiskStore) async throws {
  let downloader = ImageDownloader(configuration: configuration, store: store)
  let source = try await downloader.download(ImageRequest(url))
  print(source.file, source.digest.hex)
  await downloader.shutDown()
}
// end

// begin comment-rendering
func openPhotograph() throws -> VipsImage {
  let photograph = try VipsImage(contentsOf: URL(filePath: "photo.jpg"))
  return photograph
}

func writeAvatar(_ avatar: VipsImage) throws {
  try avatar.write(to: URL(filePath: "avatar.webp"), as: .webp(quality: 80))
}

func body(of avatar: VipsImage) throws -> Data {
  let body = try avatar.data(as: .webp(quality: 80))
  return body
}
// end

// begin comment-pipeline
func avatarOfPipeline(_ url: URL) async throws -> VipsImage {
  let pipeline = try ImagePipeline(cacheDirectory: URL(filePath: "/var/cache/avatars"))
  let avatar = try await pipeline.image(for: url, filters: .fill(width: 96, height: 96), .circle)
  return avatar
}

func circleBody(_ url: URL, _ pipeline: ImagePipeline) async throws -> Data {
  let body = try await pipeline.data(for: url, filters: .circle, as: .webp(quality: 80))
  return body
}

func show(_ url: URL, _ pipeline: ImagePipeline) async throws {
  for try await update in pipeline.updates(for: url, filters: .circle) {
    switch update {
    case .progress(let received, _): print(received)
    case .image(let image): print(image.size)
    }
  }
}
// end

// begin comment-jobs
func jobs(_ url: URL, _ id: Int) -> [Job] {
  [
    Job(source: url, output: "thumbs/\(id).webp", filters: .fill(width: 96, height: 96), .circle),
    Job(source: url, output: "thumbs/\(id)-{width}.webp"),
  ]
}

func relativeDirectory() -> String {
  let root = SourceRoot(directory: URL(filePath: "photos"))
  let directory = root.directory(of: .file("photos/2026/05/a.jpg"))  // 2026/05
  return directory
}
// end

// begin comment-batch
func run(
  _ items: AsyncStream<BatchItem>, _ configuration: BatchConfiguration, _ downloader: ImageDownloader,
  _ store: DiskStore
) async -> BatchSummary {
  let batch = Batch(configuration, downloader: downloader, store: store) { event in print(event) }
  let summary = await batch.run(items)
  return summary
}

func plan(
  _ groups: [JobGroup], _ configuration: BatchConfiguration, offline: ImageDownloader, _ store: DiskStore
) async -> BatchPlan {
  let plan = await BatchPlanner(configuration, downloader: offline, store: store).plan(groups)
  return plan
}

func printResults(of jobs: [Job], _ batch: Batch) async {
  for await result in batch.results(of: jobs) {
    print(result.source, result.failed ? "failed" : "done")
  }
}
// end
