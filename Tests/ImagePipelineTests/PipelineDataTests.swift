import Foundation
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import LoopbackServer
import TestSupport
import Testing
import Vips

@Suite("Encoded images of the pipeline", .timeLimit(.minutes(4)))
struct PipelineDataTests {
  @Test("the bytes are those of the image; they are kept, by encoding, and last longer than the image")
  func data() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let url = server.address("/a.png")
      let events = pipeline.events
      let bytes = try await pipeline.data(
        for: url, filters: .fill(width: 12, height: 12), .circle, as: .png())
      let image = try await pipeline.image(for: url, filters: .fill(width: 12, height: 12), .circle)
      #expect(try bytes == image.data(as: .png()))
      images.removeAllImages()
      #expect(
        try await pipeline.data(for: url, filters: .fill(width: 12, height: 12), .circle, as: .png()) == bytes
      )
      #expect(pipeline.totals.encodings == 1 && pipeline.totals.renderings == 1)
      let webp = try await pipeline.data(
        for: url, filters: .fill(width: 12, height: 12), .circle, as: .webp(quality: 80))
      #expect(webp.starts(with: Data("RIFF".utf8)))
      #expect(pipeline.totals.encodings == 2 && server.count(of: "/a.png") == 1)
      await pipeline.shutDown()
      var names: [String] = []
      for await event in events { names.append(String("\(event)".prefix { $0 != "(" })) }
      #expect(
        names == [
          "downloaded", "rendered", "encoded", "foundInMemory", "foundInMemory", "downloaded", "rendered",
          "encoded",
        ])
    }
  }

  @Test("bytes in memory are returned without suspension")
  func noSuspension() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      _ = try await pipeline.data(for: url, filters: .invert, as: .png())
      try await Self.call(pipeline, url)
    }
  }

  @MainActor
  private static func call(_ pipeline: ImagePipeline, _ url: URL) async throws {
    // This task can only run while the main actor is free.
    let ran = Shared(false)
    let other = Task { @MainActor in ran.change { $0 = true } }
    for _ in 0..<1000 { _ = try await pipeline.data(for: url, filters: .invert, as: .png()) }
    #expect(!ran.value)
    await other.value
  }

  @Test(
    "a request that refreshes replaces the bytes; removal removes them; mode none neither reads nor keeps")
  func replacing() async throws {
    let seed = Shared(0)
    let server = try LoopbackServer { _ in
      seed.change { $0 += 1 }
      return imagePage(seed.value)
    }
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      func bytes(_ mode: CacheMode? = nil) async throws -> Data {
        var request = ImageRequest(url)
        request.cacheMode = mode
        return try await pipeline.data(for: request, chain: .circle, as: .png())
      }
      let first = try await bytes()
      #expect(try await bytes(CacheMode.none) != first)
      #expect(try await bytes() == first && pipeline.totals.encodings == 2)
      let refreshed = try await bytes(.refresh)
      #expect(refreshed != first)
      #expect(try await bytes() == refreshed && pipeline.totals.encodings == 3)
      // The image is replaced without an encoding.
      var request = ImageRequest(url)
      request.cacheMode = .refresh
      let image = try await pipeline.image(for: request, chain: .circle)
      #expect(try await bytes() == image.data(as: .png()))
      #expect(pipeline.totals.encodings == 4)
      #expect(pipeline.removeImages(at: url) && !pipeline.removeImages(at: url))
      _ = try await bytes()
      #expect(pipeline.totals.encodings == 5)
    }
  }

  @Test("without capacity no bytes are kept; the image still is")
  func noCapacity() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline(configure: { $0.encodedCapacity = 0 }) { pipeline, _ in
      for _ in 0..<3 { _ = try await pipeline.data(for: server.address("/a.png"), as: .png()) }
      #expect(pipeline.totals.encodings == 3 && pipeline.totals.renderings == 1)
    }
  }

  @Test(
    "an impossible encoding is an error of its own call; a cancelled call ends at once, others get their bytes"
  )
  func failures() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in imagePage(gate: gate) }
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      let calls = (0..<3).map { _ in Task { try await pipeline.data(for: url, as: .png()) } }
      while pipeline.totals.joined < 2 { try await Task.sleep(for: .milliseconds(2)) }
      calls[0].cancel()
      await #expect(throws: ImageError.requestCancelled) { try await calls[0].value }
      gate.open()
      #expect(try await calls[1].value == calls[2].value)
      await #expect {
        _ = try await pipeline.data(for: url, as: .webp(quality: 1000))
      } throws: { ($0 as? ImageError)?.isImageSerializationFailedError == true }
      await pipeline.shutDown()
      await #expect(throws: ImageError.requestCancelled) { try await pipeline.data(for: url, as: .webp()) }
    }
  }
}
