import Curl
import Foundation
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import LoopbackServer
import Synchronization
import TestSupport
import Testing
import Vips

@Suite("The image pipeline", .timeLimit(.minutes(8)))
struct PipelineTests {
  @Test("an image is downloaded, filtered and kept; the second call finds the same one in memory")
  func image() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let url = server.address("/a.png")
      let image = try await pipeline.image(for: url, filters: .fill(width: 12, height: 12), .circle)
      #expect(image.size == Size(width: 12, height: 12) && image.hasAlpha)
      #expect(try await pipeline.image(for: url, filters: .fill(width: 12, height: 12), .circle) === image)
      let identifier = FilterChain(.fill(width: 12, height: 12), .circle).identifier
      #expect(pipeline.image(at: url, withIdentifier: identifier) === image)
      #expect(pipeline.image(at: url) == nil)
      // Another filter: from the disk cache.
      let whole = try await pipeline.image(for: url)
      #expect(whole.size == Size(width: 30, height: 20) && pipeline.image(at: url) === whole)
      #expect(server.count(of: "/a.png") == 1 && images.count == 2)
      #expect(pipeline.totals.renderings == 2 && pipeline.totals.memoryHits == 1)
      #expect(pipeline.removeImages(at: url) && images.count == 0)
    }
  }

  @Test("an image in memory is returned without suspension")
  func noSuspension() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      _ = try await pipeline.image(for: server.address("/a.png"), filters: .invert)
      try await Self.callOnMainActor(pipeline, server.address("/a.png"))
    }
  }

  @MainActor
  private static func callOnMainActor(_ pipeline: ImagePipeline, _ url: URL) async throws {
    // This task can only run while the main actor is free.
    let ran = Shared(false)
    let other = Task { @MainActor in ran.change { $0 = true } }
    for _ in 0..<1000 { _ = try await pipeline.image(for: url, filters: .invert) }
    #expect(!ran.value)
    await other.value
  }

  @Test("calls for one request and filter share a download and a rendering; other filters share the download")
  func shared() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in imagePage(gate: gate) }
    defer { server.stop() }
    let runs = Shared<[String: Int]>([:])
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      let calls = (0..<20).map { number in
        Task { try await pipeline.image(for: url, filters: Counting(name: "f\(number % 2)", runs: runs)) }
      }
      while pipeline.totals.joined < 18 { try await Task.sleep(for: .milliseconds(2)) }
      gate.open()
      var images: Set<ObjectIdentifier> = []
      for call in calls { images.insert(ObjectIdentifier(try await call.value)) }
      #expect(images.count == 2 && runs.value == ["f0": 1, "f1": 1] && server.count(of: "/a.png") == 1)
    }
  }

  @Test("a failed download, bytes that are no image, and an impossible filter are different errors")
  func errors() async throws {
    let server = try LoopbackServer(pages: [
      "/broken.png": Page(Array(imagePage().body.prefix(500)), type: "image/png"), "/a.png": imagePage(),
    ])
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      await #expect { _ = try await pipeline.image(for: server.address("/missing.png")) } throws: {
        ($0 as? ImageError)?.isDownloadError == true
      }
      await #expect { _ = try await pipeline.image(for: server.address("/broken.png")) } throws: {
        ($0 as? ImageError)?.isImageSerializationFailedError == true
      }
      await #expect {
        _ = try await pipeline.image(for: server.address("/a.png"), filters: .fill(width: 0, height: 1))
      } throws: { if case .invalidFilter? = $0 as? ImageError { true } else { false } }
      #expect(server.count(of: "/a.png") == 0)
      // A file is named by a request, never by a URL.
      await #expect { _ = try await pipeline.image(for: URL(filePath: "/etc/passwd")) } throws: {
        ($0 as? ImageError)?.isDownloadError == true
      }
      #expect(images.count == 0 && pipeline.totals.failures == 3)
    }
  }

  @Test("a request with other headers doesn't find an image in memory, and one that refreshes doesn't look")
  func identity() async throws {
    let server = try LoopbackServer { request in imagePage(request.field("X-User").map(\.count) ?? 0) }
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let url = server.address("/a.png")
      let plain = try await pipeline.image(for: url)
      var request = ImageRequest(url)
      request.headers = [HeaderField("X-User", "ada")]
      request.cacheMode = CacheMode.none
      let own = try await pipeline.image(for: request)
      #expect(try own.pixels() != plain.pixels() && images.count == 1)
      request.cacheMode = .refresh
      _ = try await pipeline.image(for: request)
      _ = try await pipeline.image(for: request)
      #expect(server.count(of: "/a.png") == 4 && images.count == 2)
      #expect(pipeline.image(at: url) === plain)
    }
  }

  @Test("an overlay's image is downloaded too")
  func references() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage(), "/logo.png": imagePage(3)])
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let image = try await pipeline.image(
        for: server.address("/a.png"), filters: .overlay(server.url("/logo.png")))
      let logo = try await pipeline.image(for: server.address("/logo.png"))
      #expect(try image.pixels() == logo.pixels())
      await #expect(throws: ImageError.self) {
        try await pipeline.image(for: server.address("/a.png"), filters: .overlay(server.url("/none.png")))
      }
    }
  }

  @Test("updates are progress, then the image; events tell what happened")
  func streams() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let events = pipeline.events
      let url = server.address("/a.png")
      for _ in 0..<2 {
        var last: ImageUpdate?
        for try await update in pipeline.updates(for: url, filters: .circle) { last = update }
        guard case .image(let image)? = last else {
          Issue.record("no image")
          return
        }
        #expect(image.size == Size(width: 20, height: 20))
      }
      await pipeline.shutDown()
      var names: [String] = []
      for await event in events { names.append(String("\(event)".prefix { $0 != "(" })) }
      #expect(names == ["downloaded", "rendered", "foundInMemory"])
      await #expect(throws: ImageError.requestCancelled) {
        try await pipeline.image(for: server.address("/b.png"))
      }
    }
  }

  @Test("prefetched images are found in memory")
  func prefetch() async throws {
    let server = try LoopbackServer { _ in imagePage() }
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let urls = (0..<10).map { server.address("/\($0).png") }
      let prefetch = pipeline.prefetch(urls + urls, filters: .circle)
      #expect(prefetch.receipts.count == 20)
      while images.count < 10 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(pipeline.prefetch(urls, filters: .circle).receipts.isEmpty)
      for url in urls { _ = try await pipeline.image(for: url, filters: .circle) }
      #expect(server.requests.count == 10 && pipeline.totals.renderings == 10)
    }
  }
}
