import LoopbackServer
import Testing

@testable import Curl

/// What is handed back of a response.
@Suite("Responses of transfers", .timeLimit(.minutes(8)))
struct TransferResponseTests {
  @Test(
    "any status is a result",
    arguments: [200, 203, 204, 206, 301, 304, 400, 401, 404, 410, 418, 429, 500, 503, 599])
  func statuses(status: Int) async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page(Array("body".utf8), status: status, reason: "So be it")
    ])
    defer { server.stop() }
    try await withEngine { engine in
      let sink = CountingSink()
      let result = try await engine.result(server.url("/a"), into: sink)
      #expect(
        result.head.status == status && result.head.reason == "So be it" && result.head.version == "1.1")
      let hasBody = status != 204 && status != 304
      #expect(result.byteCount == (hasBody ? 4 : 0) && sink.calls.bytes == result.byteCount)
      #expect(sink.calls.heads.map(\.status) == [status])
    }
  }

  @Test(
    "a redirect's target is resolved against the request's URL, and not followed",
    arguments: [
      ("/b", "/b"), ("b", "/x/b"), ("../b", "/b"), ("?q=1", "/x/a?q=1"),
      ("//127.0.0.1:1/c", "http://127.0.0.1:1/c"),
      ("http://127.0.0.1:1/d", "http://127.0.0.1:1/d"), ("ftp://127.0.0.1/e", "ftp://127.0.0.1/e"),
    ])
  func redirects(location: String, target: String) async throws {
    let server = try LoopbackServer(pages: ["/x/a": .redirect(to: location, status: 307)])
    defer { server.stop() }
    try await withEngine { engine in
      let result = try await engine.result(server.url("/x/a"))
      #expect(result.head.status == 307 && result.head.fields.first("location") == location)
      #expect(result.redirectURL == (target.contains("://") ? target : server.url(target)))
      #expect(result.requests == 1)
    }
    #expect(server.requests.count == 1)
  }

  @Test("without a Location field there is nothing to follow")
  func noLocation() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(status: 302), "/b": Page(text: "b")])
    defer { server.stop() }
    try await withEngine { engine in
      for path in ["/a", "/b"] {
        let result = try await engine.result(server.url(path))
        #expect(result.redirectURL == nil)
      }
    }
  }

  @Test("the body comes as it was sent, whatever its framing and the pieces that it comes in")
  func bodies() async throws {
    for count in [0, 1, 65_535, 65_536, 65_537, 300_000] {
      let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
      let server = try LoopbackServer(pages: [
        "/length": Page(body), "/chunked": Page(body, framing: .chunked(9_001)),
        "/close": Page(body, framing: .close),
        "/drip": Page(body, fault: .drip(bytes: 100_000, milliseconds: 1)),
      ])
      defer { server.stop() }
      try await withEngine { engine in
        for path in ["/length", "/chunked", "/close", "/drip"] where count > 0 || path != "/close" {
          let sink = MemorySink()
          let result = try await engine.result(server.url(path), into: sink)
          #expect(sink.body == body && result.byteCount == count, "\(count) \(path)")
        }
      }
    }
  }

  @Test("an encoded body isn't decoded: nothing asked for it")
  func encoding() async throws {
    let body: [UInt8] = [0x1f, 0x8b, 8, 0, 1, 2, 3]
    let server = try LoopbackServer(pages: ["/a": Page(body, fields: [("Content-Encoding", "gzip")])])
    defer { server.stop() }
    try await withEngine { engine in
      let sink = MemorySink()
      _ = try await engine.result(server.url("/a"), into: sink)
      #expect(sink.body == body)
    }
    #expect(server.requests.first?.field("Accept-Encoding") == nil)
  }

  @Test("interim responses and trailers aren't shown")
  func interim() async throws {
    let text =
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: 1\r\n\r\n"
      + "5\r\nhello\r\n0\r\nT: 2\r\n\r\n"
    let server = try LoopbackServer(pages: ["/a": Page(Array(text.utf8), framing: .raw)])
    defer { server.stop() }
    try await withEngine { engine in
      let sink = CountingSink()
      let result = try await engine.result(server.url("/a"), into: sink)
      #expect(sink.calls.heads.map(\.status) == [200])
      #expect(result.head.fields.map(\.name) == ["Transfer-Encoding", "A"] && result.byteCount == 5)
    }
  }

  @Test("an address that isn't allowed is named, on a new connection and on an old one")
  func addresses() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(text: "a")])
    defer { server.stop() }
    let loopback = try #require(IPAddress("127.0.0.1"))
    try await withEngine { engine in
      for round in 0..<2 {
        let error = await engine.failure(server.url("/a")) { $0.allowsAddress = { $0 != loopback } }
        #expect(error?.reason == .addressRefused(loopback), "\(String(describing: error))")
        #expect(error?.requests == 0 && error?.status == nil && error?.curlCode == 0)
        #expect(server.connectionCount == round)
        _ = try await engine.result(server.url("/a")) { $0.allowsAddress = { $0 == loopback } }
      }
    }
    #expect(server.count(of: "/a") == 2)
  }

  @Test("an error's text has libcurl's code if libcurl has failed")
  func descriptions() {
    var error = CurlError(
      reason: .transport, curlCode: 7, message: "no connection", status: nil, url: "http://a/",
      bytesReceived: 0)
    #expect(error.description == "no connection (curl 7)")
    error = CurlError(
      reason: .cancelled, curlCode: 0, message: "cancelled", status: 200, url: "http://a/", bytesReceived: 3)
    #expect(error.description == "cancelled")
    #expect(
      CurlError.cancelled("http://b/").url == "http://b/" && CurlError.shutDown("x").reason == .shutDown)
    #expect(CurlError(engineFailure: "no memory").curlCode != 0)
  }

  @Test("the library tells what it can do")
  func library() throws {
    let library = try #require(CurlLibrary.installed)
    #expect(library.version.split(separator: ".").count >= 2)
    #expect(library.protocols.contains("http") && library.protocols.contains("https"))
    #expect(library.protocols == library.protocols.sorted() && library.tls != nil)
    #expect(Set(library.encodings).isSubset(of: ["gzip", "br", "zstd"]))
  }
}
