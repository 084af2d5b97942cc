import LoopbackServer
import Testing

@testable import Curl

/// What the server is asked.
@Suite("Requests of transfers", .timeLimit(.minutes(8)))
struct TransferRequestTests {
  private func server() throws -> LoopbackServer { try LoopbackServer { _ in Page(text: "a") } }

  @Test("have no more fields than those that were given and those that libcurl makes")
  func plain() async throws {
    let server = try server()
    defer { server.stop() }
    try await withEngine { engine in _ = try await engine.result(server.url("/a?b=c&d=%20")) }
    let request = try #require(server.requests.first)
    #expect(request.method == "GET" && request.target == "/a?b=c&d=%20" && request.body.isEmpty)
    #expect(Set(request.fields.map { $0.name.lowercased() }) == ["host", "accept"])
    #expect(request.field("Host") == "127.0.0.1:\(server.port)" && request.field("Accept") == "*/*")
  }

  @Test("have the fields that were given, in their order, empty ones and repeats too")
  func fields() async throws {
    let server = try server()
    defer { server.stop() }
    let fields = [
      HeaderField("Accept", "image/png"), HeaderField("X-One", "1"), HeaderField("X-Empty", ""),
      HeaderField("X-One", "2"), HeaderField("X-Colon", "a: b; c"), HeaderField("X-Text", "déjà"),
    ]
    try await withEngine { engine in
      _ = try await engine.result(server.url("/a")) { options in
        options.fields = fields
        options.userAgent = "agent/1 (x)"
      }
    }
    let request = try #require(server.requests.first)
    let sent = request.fields.filter { $0.name.hasPrefix("X-") }.map { "\($0.name)=\($0.value)" }
    #expect(sent == ["X-One=1", "X-Empty=", "X-One=2", "X-Colon=a: b; c", "X-Text=déjà"])
    #expect(request.field("Accept") == "image/png" && request.field("User-Agent") == "agent/1 (x)")
    #expect(request.fields.filter { $0.name.lowercased() == "accept" }.count == 1)
  }

  @Test(
    "with a line break in a field are never sent", arguments: ["\r", "\n", "\r\n", "\0", "x\r\nY: z", "é\n"])
  func smuggling(text: String) async throws {
    let server = try server()
    defer { server.stop() }
    try await withEngine { engine in
      for field in [HeaderField("X", text), HeaderField("X" + text, "y")] {
        let error = await engine.failure(server.url("/a")) { $0.fields = [field] }
        #expect(error?.reason == .transport, "\(String(describing: error))")
      }
      // The engine is none the worse.
      let next = try await engine.result(server.url("/b"))
      #expect(next.head.status == 200)
    }
    #expect(server.count(of: "/a") == 0)
  }

  @Test("have the method that was asked for", arguments: ["GET", "HEAD", "PURGE", "OPTIONS"])
  func methods(method: String) async throws {
    let server = try server()
    defer { server.stop() }
    try await withEngine { engine in
      let sink = CountingSink()
      let result = try await engine.result(server.url("/a"), into: sink) { $0.method = method }
      #expect(result.byteCount == (method == "HEAD" ? 0 : 1))
      #expect(sink.calls.heads.count == 1)
    }
    #expect(server.requests.map(\.method) == [method])
  }

  @Test("send a basic credential at once, and keep nothing of it for the next")
  func basic() async throws {
    let server = try server()
    defer { server.stop() }
    try await withEngine { engine in
      _ = try await engine.result(server.url("/a")) {
        $0.credential = TransferOptions.Credential(user: "Aladdin", password: "open sesame")
      }
      _ = try await engine.result(server.url("/b"))
    }
    // RFC 7617's own example.
    #expect(server.requests.map { $0.field("Authorization") } == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", nil])
  }

  @Test("answer a digest challenge, whose response is shown to nobody")
  func digest() async throws {
    let server = try LoopbackServer { request in
      request.field("Authorization") == nil
        ? Page(
          Array("no".utf8), status: 401, reason: "Unauthorized",
          fields: [("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")])
        : Page(text: "yes")
    }
    defer { server.stop() }
    try await withEngine { engine in
      let sink = MemorySink()
      let result = try await engine.result(server.url("/a"), into: sink) {
        $0.credential = TransferOptions.Credential(user: "u", password: "p", scheme: .digest)
      }
      #expect(result.head.status == 200 && result.requests == 2)
      #expect(sink.body == Array("yes".utf8))
    }
    let answer = try #require(server.requests.last?.field("Authorization"))
    #expect(answer.hasPrefix("Digest ") && answer.contains("username=\"u\"") && !answer.contains("\"p\""))
    #expect(server.requests.count == 2)
  }

  @Test(
    "never go to anything but http and https",
    arguments: [
      "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "dict://127.0.0.1/", "no url at all",
      "http://",
    ])
  func schemes(url: String) async throws {
    try await withEngine { engine in
      let error = await engine.failure(url)
      // Unsupported protocol, or a malformed URL.
      #expect([1, 3].contains(error?.curlCode), "\(String(describing: error))")
      #expect(error?.status == nil && error?.bytesReceived == 0 && error?.requests == 0)
      #expect(error?.url == url)
    }
  }

  @Test("go over a new connection where that is asked for, and over the old one where it isn't")
  func freshConnections() async throws {
    let server = try server()
    defer { server.stop() }
    try await withEngine { engine in
      for (fresh, count) in [(false, 1), (false, 1), (true, 2), (false, 2), (true, 3)] {
        let result = try await engine.result(server.url("/a")) { $0.needsFreshConnection = fresh }
        #expect(server.connectionCount == count)
        #expect(result.requests == 1)
        #expect(result.address == IPAddress("127.0.0.1"))
      }
    }
  }

  @Test("go over as many connections as may stay open: one of another server closes the oldest")
  func connectionLimit() async throws {
    let servers = try [server(), server(), server()]
    defer { for server in servers { server.stop() } }
    try await withEngine(connections: 1) { engine in
      for _ in 0..<2 { for server in servers { _ = try await engine.result(server.url("/a")) } }
    }
    for server in servers { #expect(server.connectionCount == 2) }
  }

  @Test("go through a proxy if one is named, by the proxy's own rules of addresses")
  func proxy() async throws {
    let server = try server()
    defer { server.stop() }
    try await withEngine { engine in
      let result = try await engine.result("http://images.invalid/a.png") { options in
        options.proxy = "http://127.0.0.1:\(server.port)"
        options.allowsAddress = { _ in false }
      }
      #expect(result.head.status == 200)
    }
    #expect(server.requests.map(\.target) == ["http://images.invalid/a.png"])
    #expect(server.requests.first?.field("Host") == "images.invalid")
  }
}
