import LoopbackServer
import Testing

@testable import Curl

@Suite(
  "Transfers over TLS", .timeLimit(.minutes(8)),
  .enabled(if: NginxServer.isWanted, "nginx-light and openssl are not installed"))
struct SecureTransferTests {
  private static let body = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 29) }

  @Test("need an authority that vouches for the server, unless any certificate will do")
  func certificates() async throws {
    let server = try NginxServer()
    try server.put(Self.body, at: "a.png")
    try await withEngine { engine in
      let url = server.secureURL("/a.png")
      let refused = await engine.failure(url)
      // CURLE_PEER_FAILED_VERIFICATION.
      #expect(refused?.reason == .transport && refused?.curlCode == 60, "\(String(describing: refused))")
      #expect(refused?.requests == 0 && refused?.status == nil)
      for accept in [
        { (options: inout TransferOptions) in options.certificateAuthorities = server.authority },
        { (options: inout TransferOptions) in options.acceptsAnyCertificate = true },
      ] {
        let sink = MemorySink()
        let result = try await engine.result(url, into: sink, accept)
        #expect(result.head.status == 200 && sink.body == Self.body)
      }
      // A connection that any certificate was good enough for is none for those who ask more.
      #expect(await engine.failure(url)?.curlCode == 60)
      let missing = await engine.failure(url) { $0.certificateAuthorities = "/nonexistent.pem" }
      #expect(missing?.reason == .transport && missing?.curlCode != 0)
    }
    #expect(server.stop().count == 2)
  }

  @Test("speak HTTP/2 where it may be negotiated, and HTTP/1.1 where not", arguments: [true, false])
  func versions(allowsHTTP2: Bool) async throws {
    let server = try NginxServer()
    try server.put(Self.body, at: "a.png")
    let isMultiplexed = allowsHTTP2 && CurlLibrary.installed?.hasHTTP2 == true
    try await withEngine { engine in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<12 {
          group.addTask {
            var options = TransferOptions(url: server.secureURL("/a.png"))
            options.certificateAuthorities = server.authority
            options.allowsHTTP2 = allowsHTTP2
            let sink = MemorySink()
            do {
              let result = try await engine.perform(options, into: sink)
              #expect(result.head.version == (isMultiplexed ? "2" : "1.1") && sink.body == Self.body)
            } catch {
              Issue.record(error)
            }
          }
        }
      }
    }
    let entries = server.stop()
    #expect(entries.count == 12)
    // All of them over one connection, one after the other or at once.
    if isMultiplexed { #expect(Set(entries.map(\.connection)).count == 1) }
  }

  @Test("don't speak TLS to a server that doesn't")
  func plainServer() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(text: "a")])
    defer { server.stop() }
    try await withEngine { engine in
      let error = await engine.failure("https://127.0.0.1:\(server.port)/a") {
        $0.acceptsAnyCertificate = true
      }
      #expect(error?.reason == .transport && error?.curlCode != 0 && error?.status == nil)
    }
    #expect(server.count(of: "/a") == 0)
  }

  @Test("are refused by their address before anything is said")
  func addresses() async throws {
    let server = try NginxServer()
    try await withEngine { engine in
      let error = await engine.failure(server.secureURL("/a.png")) { $0.allowsAddress = { _ in false } }
      guard case .addressRefused = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(server.stop().isEmpty)
  }
}
