import Foundation
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import LoopbackServer
import TestSupport
import Testing
import Vips

// begin library
func makeAvatar(of photo: URL, to avatar: URL) throws {
  let image = try VipsImage(contentsOf: photo)
  try image.filtered(.fill(width: 96, height: 96), .circle).write(to: avatar, as: .webp(quality: 80))
}

func avatar(at url: URL, with pipeline: ImagePipeline) async throws -> VipsImage {
  try await pipeline.image(for: url, filters: .fill(width: 96, height: 96), .circle)
}
// end

// begin filter
struct Grain: ImageFilter {
  var amount: Double
  var identifier: String { "grain:amount=\(amount)" }

  func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
    do {
      let noise = try VipsOperation(
        "gaussnoise",
        ["width": .integer(image.width), "height": .integer(image.height), "sigma": .double(amount * 255)]
      ).image()
      return try image.combined("add", with: noise).cast(to: image.format)
    } catch {
      throw FilterError(.failed, "can't add grain: \(error)")
    }
  }
}

func poster(of photograph: VipsImage) throws -> VipsImage {
  try photograph.filtered(.limit(width: 800), Grain(amount: 0.1), .sharpen())
}
// end

// begin caching
func makePipeline(cache: URL) throws -> ImagePipeline {
  var configuration = ImagePipeline.Configuration()
  configuration.downloads.staleIfError = .seconds(3600)
  return try ImagePipeline(
    configuration: configuration,
    store: DiskStore(directory: cache, capacity: 10 << 30),
    images: AutoPurgingImageCache(memoryCapacity: 500_000_000, preferredMemoryUsageAfterPurge: 300_000_000))
}

func reload(_ url: URL, with pipeline: ImagePipeline) async throws -> VipsImage {
  var request = ImageRequest(url)
  request.cacheMode = .refresh
  return try await pipeline.image(for: request, filters: .circle)
}

func avatarInMemory(_ url: URL, _ pipeline: ImagePipeline) -> VipsImage? {
  pipeline.image(at: url, withIdentifier: FilterChain.circle.identifier)
}

func body(of url: URL, with pipeline: ImagePipeline) async throws -> Data {
  try await pipeline.data(for: url, filters: .fill(width: 96, height: 96), .circle, as: .webp(quality: 80))
}
// end

@Suite("Examples of the documentation", .timeLimit(.minutes(8)))
struct ExampleTests {
  @Test("the README's library example makes avatars of a file and of a URL")
  func library() async throws {
    let directory = try TestDirectory("example")
    try Data(imagePage().body).write(to: URL(filePath: directory["photo.png"]))
    let made = URL(filePath: directory["avatar.webp"])
    try makeAvatar(of: URL(filePath: directory["photo.png"]), to: made)
    #expect(try VipsImage(contentsOf: made).size == Size(width: 96, height: 96))
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let image = try await avatar(at: server.address("/a.png"), with: pipeline)
      #expect(image.size == Size(width: 96, height: 96))
    }
  }

  @Test("a filter of one's own")
  func filter() throws {
    let image = try poster(of: VipsImage.plain([90, 120, 200], width: 1000, height: 500))
    #expect(image.size == Size(width: 800, height: 400))
    #expect(try Set(image.pixels()).count > 10)
  }

  @Test("the caches")
  func caching() async throws {
    let directory = try TestDirectory("example")
    try await makePipeline(cache: URL(filePath: directory["cache"])).shutDown()
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      #expect(avatarInMemory(url, pipeline) == nil)
      let image = try await reload(url, with: pipeline)
      #expect(avatarInMemory(url, pipeline) === image)
      #expect(try await reload(url, with: pipeline) !== image)
      #expect(try await body(of: url, with: pipeline).starts(with: Data("RIFF".utf8)))
    }
  }
}
