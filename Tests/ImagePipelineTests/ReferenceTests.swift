import Foundation
import ImageCaches
import ImageDownloads
import ImageFilters
import ImagePipeline
import LoopbackServer
import TestSupport
import Testing
import Vips

@Suite("What a pipeline's filters may refer to", .timeLimit(.minutes(8)))
struct ReferenceTests {
  @Test(
    "a chain from a request names no local file, no standard input and no font file, and nothing is sent",
    arguments: [
      "overlay:@", "mask:@", "transition:from=@", "overlay:file%3A//@", "overlay:-", "overlay:logo.png",
      "overlay:ftp%3A//127.0.0.1/a.png", "text:hello:font=@.ttf", "flip,overlay:@",
    ])
  func local(text: String) async throws {
    let directory = try TestDirectory("secret")
    try Data(imagePage().body).write(to: URL(filePath: directory["secret.png"]))
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    let chain = try FilterChain(
      parsing: text.replacing("@", with: FilterChain.escaped(directory["secret.png"])))
    try await withPipeline { pipeline, images in
      await #expect {
        _ = try await pipeline.image(for: ImageRequest(server.address("/a.png")), chain: chain)
      } throws: { if case .invalidFilter? = $0 as? ImageError { true } else { false } }
      #expect(server.requests.isEmpty && images.count == 0)
    }
  }

  @Test("the program may name files; an animation decodes them once, in the request's cache mode")
  func named() async throws {
    let directory = try TestDirectory("named")
    try Data(imagePage(3).body).write(to: URL(filePath: directory["logo.png"]))
    let server = try LoopbackServer { _ in imagePage() }
    defer { server.stop() }
    try await withPipeline(configure: { $0.namedSources = ["logo": .file(directory["logo.png"])] }) {
      pipeline, _ in
      let image = try await pipeline.image(for: server.address("/a.png"), filters: .overlay("logo"))
      let logo = try await pipeline.image(for: ImageRequest(.file(directory["logo.png"])))
      #expect(try image.pixels() == logo.pixels())
      var request = ImageRequest(server.address("/a.png"))
      let other = FilterChain.overlay(server.url("/other.png"))
      for count in 1...2 {
        request.cacheMode = .refresh
        _ = try await pipeline.image(for: request, chain: other)
        #expect(server.count(of: "/other.png") == count)
      }
    }
  }

  @Test("when the last caller leaves, no further reference is downloaded")
  func leaving() async throws {
    let gate = Gate()
    let server = try LoopbackServer { request in
      imagePage(gate: request.path == "/first.png" ? gate : nil)
    }
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let filters = FilterChain(
        .overlay(server.url("/first.png")), .overlay(server.url("/second.png")))
      let call = Task {
        try await pipeline.image(for: ImageRequest(server.address("/a.png")), chain: filters)
      }
      while server.count(of: "/first.png") == 0 { try await Task.sleep(for: .milliseconds(2)) }
      call.cancel()
      await #expect(throws: ImageError.requestCancelled) { try await call.value }
      gate.open()
      while pipeline.totals.downloads.downloads < 2 { try await Task.sleep(for: .milliseconds(2)) }
      await pipeline.shutDown()
      #expect(server.count(of: "/second.png") == 0 && pipeline.totals.renderings == 0)
    }
  }

  @Test("a call that joins a prefetch moves its download up")
  func priority() async throws {
    let gate = Gate()
    let server = try LoopbackServer { request in imagePage(gate: request.path == "/busy.png" ? gate : nil) }
    defer { server.stop() }
    try await withPipeline(active: 1) { pipeline, _ in
      let busy = Task { try await pipeline.image(for: server.address("/busy.png")) }
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      pipeline.prefetch((0..<5).map { server.address("/\($0).png") })
      let wanted = Task { try await pipeline.image(for: server.address("/4.png")) }
      // Each has been looked up in the cache, and waits for the only slot.
      while pipeline.totals.downloads.merged == 0 || pipeline.downloader.queuedCount < 5 {
        try await Task.sleep(for: .milliseconds(2))
      }
      gate.open()
      _ = try await busy.value
      _ = try await wanted.value
      while pipeline.totals.renderings < 6 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(server.requests.dropFirst().first?.path == "/4.png" && server.requests.count == 6)
    }
  }

  @Test(
    "a cache that asks the pipeline for its totals gets them, and a call that was cancelled early is an event"
  )
  func strangeCache() async throws {
    let server = try LoopbackServer(pages: ["/a.png": imagePage()])
    defer { server.stop() }
    let cache = AskingCache()
    let pipeline = ImagePipeline(configuration: .forTests(), store: try .ephemeral(), images: cache)
    cache.pipeline.change { $0 = pipeline }
    let events = pipeline.events
    let image = try await pipeline.image(for: server.address("/a.png"))
    #expect(try await pipeline.image(for: server.address("/a.png")) === image)
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await pipeline.image(for: server.address("/b.png"))
    }
    early.cancel()
    await #expect(throws: ImageError.requestCancelled) { try await early.value }
    await pipeline.shutDown()
    cache.pipeline.change { $0 = nil }
    var names: [String] = []
    for await event in events { names.append(String("\(event)".prefix { $0 != "(" })) }
    #expect(names == ["downloaded", "rendered", "foundInMemory", "cancelled"])
  }

  /// Asks its pipeline whenever it is asked.
  private final class AskingCache: ImageRequestCache {
    let pipeline = Shared<ImagePipeline?>(nil)
    private let images = Shared<[String: VipsImage]>([:])

    private func ask() { _ = pipeline.value?.totals }

    func add(_ image: VipsImage, for request: some ImageRequestIdentity, withIdentifier identifier: String?) {
      ask()
      images.change { $0[request.absoluteURL] = image }
    }
    func image(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> VipsImage? {
      ask()
      return images.value[request.absoluteURL]
    }
    func removeImage(for request: some ImageRequestIdentity, withIdentifier identifier: String?) -> Bool {
      false
    }
    func removeImages(matching request: some ImageRequestIdentity) -> Bool { false }
    func add(_ image: VipsImage, withIdentifier identifier: String) {}
    func removeImage(withIdentifier identifier: String) -> Bool { false }
    func removeAllImages() -> Bool { false }
    func image(withIdentifier identifier: String) -> VipsImage? { nil }
  }
}
