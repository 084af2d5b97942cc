import ImageCaches
import ImageDownloads
import LoopbackServer
import Synchronization
import Testing

@Suite("Bodies and what was announced of them", .timeLimit(.minutes(8)))
struct BodyLengthTests {
  @Test(
    "a body that is longer than announced is a failure, and nothing of it is kept", arguments: [300, 70_000])
  func longer(count: Int) async throws {
    var answer = page(count: count, fields: [("Cache-Control", "max-age=600")])
    answer.framing = .announced(count - 9)
    let server = try LoopbackServer(pages: ["/a.png": answer])
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let error = await downloader.outcome(server.url("/a.png")).error
      #expect(error?.code == .transferFailed)
      #expect(error?.message.contains("longer than the \(count - 9) bytes announced") == true)
      let second = await downloader.outcome(server.url("/a.png")).error
      #expect(second?.message == error?.message)
    }
    #expect(server.requests.count == 2, "neither kept nor tried again: the second asks anew")
    #expect(try fixture.store().usage().objects == 0)
  }

  @Test("a body that is shorter than announced is tried again, and then a failure")
  func shorter() async throws {
    var answer = page(count: 300)
    answer.framing = .announced(400)
    answer.fault = .close(after: 300)
    let server = try LoopbackServer(pages: ["/a.png": answer])
    defer { server.stop() }
    let fixture = try Fixture()
    var configuration = Fixture.configuration
    configuration.retries = 2
    try await fixture.withDownloader(configuration) { downloader in
      #expect(await downloader.outcome(server.url("/a.png")).error?.code == .truncated)
    }
    #expect(server.requests.count == 3)
    #expect(try fixture.store().usage().objects == 0)
  }

  @Test("a page that comes in place of an image's rest is not taken for the image's beginning later on")
  func pageInstead() async throws {
    let body = imageBytes(1, count: 400_000)
    let number = Mutex(0)
    let server = try LoopbackServer { request in
      let turn = number.withLock { number in
        number += 1
        return number
      }
      let fields = [(name: "ETag", value: "\"v1\""), (name: "Accept-Ranges", value: "bytes")]
      // The image breaks off, a login page stands in its place, and from then on all is well.
      if turn == 2 { return Page(text: "<!doctype html><p>Please log in", type: "text/html", status: 200) }
      if let start = request.field("Range").flatMap({ Int($0.dropFirst("bytes=".count).dropLast()) }) {
        return Page(
          Array(body[start...]), type: "image/png", status: 206, reason: "Partial Content",
          fields: fields + [(name: "Content-Range", value: "bytes \(start)-\(body.count - 1)/\(body.count)")])
      }
      return Page(body, type: "image/png", fields: fields, fault: turn == 1 ? .reset(after: 300_000) : nil)
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      #expect(await downloader.outcome(server.url("/a.png")).error?.code == .notAnImage)
    }
    // Another run, which would go on from what is left.
    try await fixture.withDownloader { downloader in
      let source = try await downloader.outcome(server.url("/a.png")).get()
      #expect(ContentDigest(hashing: contents(source.path)) == ContentDigest(hashing: body))
    }
  }

  @Test("the answer to the next request on a connection isn't taken for a body's excess")
  func reusedConnection() async throws {
    let answer = page(count: 300)
    let server = try LoopbackServer { _ in answer }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let failures = await withTaskGroup(of: String?.self) { group in
        for index in 0..<3_000 {
          group.addTask { await downloader.outcome(server.url("/\(index).png")).error?.message }
        }
        return await group.reduce(into: [String]()) { if let failure = $1 { $0.append(failure) } }
      }
      #expect(failures == [])
    }
    #expect(server.requests.count == 3_000, "and none was tried again")
  }
}
