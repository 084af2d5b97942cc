import Foundation
import ImageCaches
import ImageDownloads
import LoopbackServer
import Synchronization
import Testing

@Suite(
  "Downloads from nginx", .timeLimit(.minutes(8)),
  .enabled(if: NginxServer.isWanted, "nginx-light and openssl are not installed"))
struct NginxTests {
  /// Files 0.png to `count` - 1, of different lengths.
  private func fill(_ server: NginxServer, count: Int) throws {
    for number in 0..<count { try server.put(file(number), at: "\(number).png") }
  }

  private func file(_ number: Int) -> [UInt8] { imageBytes(number, count: 2000 + number * 113) }

  private func configuration(_ server: NginxServer) -> ImageDownloader.Configuration {
    var configuration = Fixture.configuration
    configuration.certificateAuthorities = URL(filePath: server.authority)
    return configuration
  }

  /// Downloads every file once and holds each against what was put there.
  private func downloadAll(
    _ count: Int, _ downloader: ImageDownloader, sourceLocation: SourceLocation = #_sourceLocation,
    url: @escaping @Sendable (Int) -> String
  ) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          switch await downloader.outcome(url(number)) {
          case .success(let source):
            #expect(contents(source.path) == file(number), "file \(number)", sourceLocation: sourceLocation)
          case .failure(let error):
            Issue.record("file \(number): \(error)", sourceLocation: sourceLocation)
          }
        }
      }
    }
  }

  @Test("HTTP/1.1: as many connections as downloads at once, used again and again")
  func keepAlive() async throws {
    let server = try NginxServer()
    try fill(server, count: 60)
    var configuration = configuration(server)
    configuration.activeDownloadsPerHost = 4
    let totals = try await Fixture().withDownloader(configuration) { downloader in
      await downloadAll(60, downloader) { server.url("/\($0).png") }
      return downloader.totals
    }
    let log = server.stop()
    #expect(log.count == 60 && Set(log.map(\.target)).count == 60)
    #expect(log.allSatisfy { $0.version == "HTTP/1.1" && $0.status == 200 })
    #expect(Set(log.map(\.connection)).count <= 4)
    #expect(totals.requests == 60 && totals.downloads == 60)
  }

  @Test("HTTP/2: many downloads at once share one connection")
  func multiplexing() async throws {
    let server = try NginxServer()
    try fill(server, count: 200)
    var configuration = configuration(server)
    configuration.activeDownloads = 50
    configuration.activeDownloadsPerHost = 50
    let totals = try await Fixture().withDownloader(configuration) { downloader in
      await downloadAll(200, downloader) { server.secureURL("/\($0).png") }
      return downloader.totals
    }
    let log = server.stop()
    #expect(log.count == 200 && Set(log.map(\.target)).count == 200)
    #expect(log.allSatisfy { $0.version == "HTTP/2.0" && $0.status == 200 })
    #expect(Set(log.map(\.connection)).count <= 2)
    #expect(totals.requests == 200 && totals.downloads == 200)
  }

  @Test(
    "a host that agrees on HTTP/2 and can't speak it is spoken to in HTTP/1.1 after two failures",
    arguments: FalseHTTP2Server.Manner.allCases)
  func falseHTTP2(_ manner: FalseHTTP2Server.Manner) async throws {
    let server = try FalseHTTP2Server(serving: file(7), whoWithHTTP2: manner)
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.certificateAuthorities = URL(filePath: server.authority)
    // Long enough for a TLS handshake on a busy machine.
    configuration.stallTimeout = .seconds(manner == .isSilent ? 4 : 400)
    configuration.retries = 20
    let reasons = Mutex<[String]>([])
    try await Fixture().withDownloader(configuration) { event in
      if case .retrying(_, _, let error) = event { reasons.withLock { $0.append(error.message) } }
    } _: { downloader in
      let outcome = await downloader.outcome(server.url)
      let told = reasons.withLock { $0 }
      #expect(outcome.error == nil, "\(told)")
      // On a busy machine a handshake may take longer than silence is borne.
      #expect(manner == .isSilent ? told.count >= 2 : told.count == 2, "\(told)")
      if case .success(let source) = outcome { #expect(contents(source.path) == file(7)) }
    }
  }

  @Test("HTTP/1.1 over TLS, where HTTP/2 isn't wanted")
  func noHTTP2() async throws {
    let server = try NginxServer()
    try fill(server, count: 12)
    var configuration = configuration(server)
    configuration.allowsHTTP2 = false
    try await Fixture().withDownloader(configuration) { downloader in
      await downloadAll(12, downloader) { server.secureURL("/\($0).png") }
    }
    #expect(server.stop().map(\.version) == Array(repeating: "HTTP/1.1", count: 12))
  }

  @Test("GOAWAY after every fifth request: each body right, each file served once, the account right")
  func connectionChurn() async throws {
    let server = try NginxServer(server: "keepalive_requests 5;")
    try fill(server, count: 200)
    var configuration = configuration(server)
    configuration.activeDownloadsPerHost = 20
    configuration.retryWait = .seconds(0.001)
    let totals = try await Fixture().withDownloader(configuration) { downloader in
      await downloadAll(200, downloader) { server.secureURL("/\($0).png") }
      return downloader.totals
    }
    let served = server.stop().filter { $0.status == 200 }
    #expect(Set(served.map(\.target)).count == 200)
    #expect(totals.downloads == 200)
    // A stream that GOAWAY refused was not processed, and may be sent again (RFC 9113 §6.8): nothing is served twice.
    #expect(served.count == 200)
  }

  @Test(
    "an unknown authority is refused, with its reason, and not tried again; its certificate, or none, makes it trusted"
  )
  func trust() async throws {
    let server = try NginxServer()
    try fill(server, count: 1)
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let error = await downloader.outcome(server.secureURL("/0.png")).error
      #expect(error?.code == .tls && error?.isTemporary == false)
      #expect(error?.reason == .untrustedCertificate)
    }
    try await fixture.withDownloader(configuration(server)) { downloader in
      await downloadAll(1, downloader) { server.secureURL("/\($0).png") }
    }
    var careless = Fixture.configuration
    careless.acceptsAnyCertificate = true
    careless.cacheMode = .none
    try await fixture.withDownloader(careless) { downloader in
      await downloadAll(1, downloader) { server.secureURL("/\($0).png") }
    }
    #expect(server.stop().count == 2)
  }

  @Test(
    "a rate limit that answers 429 with Retry-After: the host is left alone for that long, and everything comes"
  )
  func rateLimit() async throws {
    let server = try NginxServer(
      http: "limit_req_zone $binary_remote_addr zone=rate:1m rate=6r/m;",
      server: """
        limit_req zone=rate burst=12 nodelay;
        limit_req_status 429;
        add_header Retry-After 1 always;
        """)
    try fill(server, count: 14)
    var configuration = configuration(server)
    configuration.retries = 60
    let pauses = Mutex<[Double]>([])
    let totals = try await Fixture().withDownloader(
      configuration,
      report: { event in
        if case .hostPaused(_, let seconds) = event { pauses.withLock { $0.append(seconds / .seconds(1)) } }
      },
      { downloader in
        await downloadAll(14, downloader) { server.url("/\($0).png") }
        return downloader.totals
      })
    let log = server.stop()
    let refused = log.filter { $0.status == 429 }.count
    #expect(log.filter { $0.status == 200 }.count == 14)
    #expect(totals.requests == log.count)
    #expect(pauses.withLock(\.count) == refused)
    #expect(pauses.withLock { $0.allSatisfy { $0 >= 1 } })
    // Whoever was under way when the first one was refused may be refused too, and nobody else until the pause is over.
    // The server of a busy machine may see a late one of a round half a second after the others.
    let rounds = zip(log, log.dropFirst()).count { $1.time - $0.time > 0.5 }
    // The fourteenth is one too many for ten seconds.
    #expect(refused > 0 && refused <= rounds * configuration.activeDownloadsPerHost)
  }

  @Test("a limit of connections that answers 503 with Retry-After")
  func connectionLimit() async throws {
    let server = try NginxServer(
      http: "limit_conn_zone $binary_remote_addr zone=connections:1m;",
      server: """
        limit_conn connections 2;
        limit_conn_status 503;
        limit_rate 200k;
        add_header Retry-After 0 always;
        """)
    for number in 0..<8 { try server.put(imageBytes(number, count: 240_000), at: "\(number).png") }
    var configuration = configuration(server)
    configuration.retries = 60
    configuration.retryWait = .seconds(0.02)
    let totals = try await Fixture().withDownloader(configuration) { downloader in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let outcome = await downloader.outcome(server.url("/\(number).png"))
            #expect((try? outcome.get()).map { contents($0.path) } == imageBytes(number, count: 240_000))
          }
        }
      }
      return downloader.totals
    }
    let log = server.stop()
    #expect(log.filter { $0.status == 200 }.count == 8)
    #expect(log.contains { $0.status == 503 })
    #expect(totals.requests == log.count)
  }

  @Test("a redirect from https to http isn't followed; one within https is")
  func redirects() async throws {
    let server = try NginxServer(
      server: """
        location = /down { return 302 http://127.0.0.1:1/0.png; }
        location = /along { return 302 /0.png; }
        """)
    try fill(server, count: 1)
    try await Fixture().withDownloader(configuration(server)) { downloader in
      #expect(await downloader.outcome(server.secureURL("/down")).error?.code == .badRedirect)
      let source = try await downloader.outcome(server.secureURL("/along")).get()
      #expect(contents(source.path) == file(0))
    }
    #expect(server.stop().map(\.target) == ["/down", "/along", "/0.png"])
  }

  @Test("a server that compresses what may be compressed is asked for nothing of the kind")
  func compression() async throws {
    let server = try NginxServer(
      server: "gzip on; gzip_types image/png; gzip_min_length 1; gzip_proxied any;")
    try fill(server, count: 3)
    try await Fixture().withDownloader(configuration(server)) { downloader in
      await downloadAll(3, downloader) { server.url("/\($0).png") }
      await downloadAll(3, downloader) { server.secureURL("/\($0).png") }
    }
    #expect(server.stop().map(\.bytes).sorted() == [2000, 2000, 2113, 2113, 2226, 2226])
  }

  @Test(
    "the rest of an interrupted body is asked for as a range, over HTTP/1.1 and HTTP/2",
    arguments: [false, true])
  func ranges(overTLS: Bool) async throws {
    let body = imageBytes(7, count: 900_000)
    // The server ends the connection in mid-body: that is what a time limit for a slow answer does.
    let server = try NginxServer(server: "limit_rate_after 400k; limit_rate 40k;")
    try server.put(body, at: "0.png")
    var configuration = configuration(server)
    configuration.timeout = .seconds(0.8)
    configuration.retryWait = .seconds(0.001)
    configuration.retries = 100
    let url = overTLS ? server.secureURL("/0.png") : server.url("/0.png")
    try await Fixture().withDownloader(configuration) { downloader in
      let source = try await downloader.outcome(url).get()
      #expect(contents(source.path) == body)
    }
    let log = server.stop()
    // On a busy machine an attempt may bring nothing; what has come is never asked for again.
    let starts = log.map { $0.range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0 }
    #expect(log.count >= 2 && starts == starts.sorted() && (starts.last ?? 0) > 0, "\(log)")
    #expect(log.allSatisfy { $0.status == ($0.range == nil ? 200 : 206) }, "\(log)")
  }
}
