import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import LoopbackServer
import TestSupport
import Testing
import Vips

/// Those examples that need neither a fixed path nor a working directory.
@Suite("Examples of the doc comments", .timeLimit(.minutes(4)))
struct CommentExampleTests {
  @Test("of images and filters")
  func filters() throws {
    #expect(try mean(of: .plain([10, 20, 30], width: 4, height: 4)) == 20)
    let photograph = try VipsImage.plain([90, 120, 200], width: 400, height: 300)
    #expect(try avatars(of: photograph).map(\.width) == [400, 100, 96])
    #expect(ownChain().count == 3 && ownChain().hasOwnFilters)
    #expect(try body(of: photograph).starts(with: Data("RIFF".utf8)))
  }

  @Test("of the store and its keys")
  func caches() throws {
    let store = try DiskStore.ephemeral()
    let bytes: [UInt8] = [1, 2, 3]
    let digest = ContentDigest(hashing: bytes)
    let object = try insert(bytes, digest, into: store)
    #expect(try Array(Data(contentsOf: object.file)) == bytes)
    // The file goes with the object, and the directory with the store.
    withExtendedLifetime((object, store)) {}
    #expect(renditionKey(digest, .circle) == renditionKey(digest, "circle"))
    #expect(renditionKey(digest, .circle) != renditionKey(digest, .invert))
    _ = monitorMemory()
  }

  @Test("of downloads and the pipeline")
  func downloads() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    let url = server.address("/a.png")
    try await download(url, ImagePipeline.Configuration.forTests().downloads, .ephemeral())
    try await withPipeline { pipeline, _ in
      #expect(try await circleBody(url, pipeline).starts(with: Data("RIFF".utf8)))
      try await show(url, pipeline)
      #expect(pipeline.totals.renderings == 1 && server.count(of: "/a.png") == 2)
    }
  }

  @Test("of jobs and batches")
  func batches() async throws {
    let directory = try TestDirectory("comments")
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    var configuration = BatchConfiguration()
    configuration.outputDirectory = URL(filePath: directory["out"])
    let batch = try Batch(
      configuration, cacheDirectory: URL(filePath: directory["cache"]),
      downloads: ImagePipeline.Configuration.forTests().downloads)
    await printResults(of: jobs(server.address("/a.png"), 7), batch)
    _ = await batch.summary
    let made = try FileManager.default.contentsOfDirectory(atPath: directory["out/thumbs"]).sorted()
    #expect(made == ["7-30.webp", "7.webp"])
    #expect(relativeDirectory() == "2026/05")
  }
}
