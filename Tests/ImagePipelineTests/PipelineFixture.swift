import Foundation
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import LoopbackServer
import Synchronization
import TestSupport
import Vips

/// Pages of 30x20 pixels that differ by path and may be cached.
func imagePage(_ seed: Int = 0, gate: Gate? = nil) -> Page {
  Page(
    PNGImage.bytes(width: 30, height: 20, seed: seed), type: "image/png",
    fields: [("Cache-Control", "max-age=600")], gate: gate)
}

extension LoopbackServer {
  func address(_ path: String) -> URL { URL(string: url(path)) ?? URL(filePath: "/") }
}

extension ImagePipeline.Configuration {
  /// Settings with which a loopback server is reached.
  static func forTests(active: Int = 4, renderings: Int = 2) -> Self {
    var configuration = Self()
    _ = configuration.downloads.addressPolicy.allow("loopback")
    configuration.downloads.activeDownloads = active
    configuration.downloads.retryWait = .seconds(0.01)
    configuration.renderings = renderings
    return configuration
  }
}

/// Runs `body` with a pipeline on a store of its own.
func withPipeline<Value>(
  memory: UInt64 = 100_000_000, active: Int = 4, renderings: Int = 2,
  configure change: (inout ImagePipeline.Configuration) -> Void = { _ in },
  _ body: (ImagePipeline, AutoPurgingImageCache) async throws -> Value
) async throws -> Value {
  var configuration = ImagePipeline.Configuration.forTests(active: active, renderings: renderings)
  change(&configuration)
  let images = try AutoPurgingImageCache(
    memoryCapacity: memory, preferredMemoryUsageAfterPurge: memory * 6 / 10)
  let pipeline = ImagePipeline(configuration: configuration, store: try .ephemeral(), images: images)
  let result: Result<Value, any Error>
  do { result = .success(try await body(pipeline, images)) } catch { result = .failure(error) }
  await pipeline.shutDown()
  return try result.get()
}

/// Counts its runs by its name, and waits for a gate.
struct Counting: ImageFilter {
  let name: String
  let runs: Shared<[String: Int]>
  var gate: Gate?
  var identifier: String { name }

  func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
    runs.change { $0[name, default: 0] += 1 }
    gate?.wait()
    return try image.filtered(.invert)
  }
}
