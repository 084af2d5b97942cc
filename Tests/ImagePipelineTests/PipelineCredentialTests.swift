import Foundation
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import LoopbackServer
import TestSupport
import Testing
import Vips

/// Credentials of different lengths, because the server's images differ by the length of the field.
private let ada = OriginSettings.Credential(user: "ada", password: "1")
private let grace = OriginSettings.Credential(user: "grace", password: "another password")

@Suite("A changed credential of the pipeline's downloader", .timeLimit(.minutes(4)))
struct PipelineCredentialTests {
  private func personalServer(gate: Gate? = nil) throws -> LoopbackServer {
    try LoopbackServer { request in
      imagePage(
        request.field("Authorization").map(\.utf8.count) ?? 0, gate: request.path == "/a.png" ? gate : nil)
    }
  }

  @Test("an image that one credential opened isn't found in memory with another")
  func images() async throws {
    let server = try personalServer()
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      let anonymous = try await pipeline.image(for: url)
      pipeline.downloader.addAuthentication(usingCredential: ada)
      #expect(pipeline.image(at: url) == nil)
      let first = try await pipeline.image(for: url)
      pipeline.downloader.addAuthentication(usingCredential: grace)
      let second = try await pipeline.image(for: url)
      let (pixels, others) = (try second.pixels(), [try anonymous.pixels(), try first.pixels()])
      #expect(!others.contains(pixels) && others[0] != others[1])
      // The same credential again changes nothing.
      pipeline.downloader.addAuthentication(usingCredential: grace)
      #expect(try await pipeline.image(for: url) === second)
      #expect(pipeline.image(at: url) === second && server.count(of: "/a.png") == 3)
      #expect(pipeline.removeImages(at: url) && pipeline.image(at: url) == nil)
    }
  }

  @Test("nor are the bytes that were encoded of it")
  func data() async throws {
    let server = try personalServer()
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      pipeline.downloader.addAuthentication(usingCredential: ada)
      let first = try await pipeline.data(for: url, filters: .circle, as: .png())
      pipeline.downloader.addAuthentication(usingCredential: grace)
      let second = try await pipeline.data(for: url, filters: .circle, as: .png())
      #expect(first != second)
      #expect(try await pipeline.data(for: url, filters: .circle, as: .png()) == second)
      #expect(pipeline.totals.encodings == 2 && server.count(of: "/a.png") == 2)
    }
  }

  @Test("a load in flight goes on with its own credential, and later calls don't join it")
  func inFlight() async throws {
    let gate = Gate()
    let server = try personalServer(gate: gate)
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      let overlay = FilterChain.overlay(server.url("/logo.png"))
      let first = Task { try await pipeline.data(for: ImageRequest(url), chain: overlay, as: .png()) }
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      pipeline.downloader.addAuthentication(usingCredential: grace)
      let second = Task { try await pipeline.data(for: ImageRequest(url), chain: overlay, as: .png()) }
      while server.requests.count < 2, pipeline.totals.joined == 0 {
        try await Task.sleep(for: .milliseconds(2))
      }
      gate.open()
      let (anonymous, own) = (try await first.value, try await second.value)
      #expect(anonymous != own && pipeline.totals.joined == 0)
      // The first call's overlay and bytes are those of its credential too.
      let credentials = server.requests.filter { $0.path == "/logo.png" }.map { $0.field("Authorization") }
      #expect(credentials.count == 2 && credentials.contains(nil))
      #expect(try await pipeline.data(for: ImageRequest(url), chain: overlay, as: .png()) == own)
      #expect(pipeline.totals.encodings == 2)
    }
  }
}
