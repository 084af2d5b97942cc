import Glibc
import ImageCaches
import ImageDownloads
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@Suite("Downloading", .timeLimit(.minutes(8)))
struct DownloadingTests {
  @Test("an image is downloaded into the store, byte for byte")
  func oneDownload() async throws {
    let server = try LoopbackServer(pages: ["/a.png": page(1, count: 100_000)])
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let source = try await downloader.download(ImageRequest(.url(server.url("/a.png"))))
      #expect(contents(source.path) == imageBytes(1, count: 100_000))
      #expect(source.digest == ContentDigest(hashing: imageBytes(1, count: 100_000)))
      #expect(source.byteCount == 100_000)
      #expect(source.contentType == "image/png")
      #expect(source.disposition == .downloaded)
    }
    #expect(server.count(of: "/a.png") == 1)
  }

  @Test("fifty requests for one URL are one transfer, and every waiter gets it")
  func merging() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page(2)
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let url = server.url("/same.png")
      let digests = await withTaskGroup(of: ContentDigest?.self) { group in
        for _ in 0..<50 { group.addTask { try? await downloader.outcome(url).get().digest } }
        while downloader.totals.merged < 49 { try? await Task.sleep(for: .milliseconds(2)) }
        gate.open()
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(digests == Array(repeating: ContentDigest(hashing: imageBytes(2)), count: 50))
      #expect(downloader.totals.downloads == 1)
    }
    #expect(server.count(of: "/same.png") == 1)
  }

  @Test("no more run at once than allowed, in all and per host")
  func limits() async throws {
    let arrivals = Shared(0)
    let three = Gate()
    let server = try LoopbackServer { request in
      let count = arrivals.change { count in
        count += 1
        return count
      }
      // The first three are answered together, so that there are three at once however busy the machine is.
      if count == 3 { three.open() }
      if count < 3 { three.wait() }
      return Page(
        imageBytes(request.target.count), type: "image/png", fault: .drip(bytes: 100, milliseconds: 30))
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.activeDownloadsPerHost = 3
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<60 {
          group.addTask { #expect(await downloader.outcome(server.url("/\(number).png")).error == nil) }
        }
      }
    }
    #expect(server.requests.count == 60)
    #expect(server.peakConcurrency == 3)
  }

  @Test(
    "pending downloads go in the order of the configuration, priority first",
    arguments: [DownloadOrder.fifo, .lifo])
  func order(_ order: DownloadOrder) async throws {
    let gate = Gate()
    let server = try LoopbackServer { request in
      if request.path == "/first.png" { gate.wait() }
      return page(request.path.count)
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.activeDownloads = 1
    configuration.order = order
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      let remaining = Mutex(6)
      let done = Gate()
      func add(_ name: String, priority: Int) {
        downloader.download(ImageRequest(.url(server.url(name))), priority: priority) { _ in
          let left = remaining.withLock { count in
            count -= 1
            return count
          }
          if left == 0 { done.open() }
        }
      }
      add("/first.png", priority: 0)
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      for (index, name) in ["/a.png", "/b.png", "/c.png", "/d.png"].enumerated() {
        add(name, priority: 0)
        // Lookups run side by side; the queue's order is that of their ends.
        while downloader.queuedCount < index + 1 { try await Task.sleep(for: .milliseconds(2)) }
      }
      add("/urgent.png", priority: 5)
      while downloader.queuedCount < 5 { try await Task.sleep(for: .milliseconds(2)) }
      gate.open()
      await done.passed()
    }
    let rest =
      order == .fifo ? ["/a.png", "/b.png", "/c.png", "/d.png"] : ["/d.png", "/c.png", "/b.png", "/a.png"]
    #expect(server.requests.map(\.path) == ["/first.png", "/urgent.png"] + rest)
  }

  @Test("an address that isn't allowed is never connected to, and the reason says which it is")
  func policy() async throws {
    let server = try LoopbackServer(pages: ["/a.png": page()])
    defer { server.stop() }
    let fixture = try Fixture()
    var configuration = Fixture.configuration
    configuration.addressPolicy = AddressPolicy()
    try await fixture.withDownloader(configuration) { downloader in
      for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let error = await downloader.outcome("http://\(host):\(server.port)/a.png").error
        #expect(error?.code == .notAllowed, "\(host)")
        let reasons = ["127.0.0.1", "::1"].map { DownloadError.Reason.specialAddress(address: $0, .loopback) }
        #expect(error?.reason.map(reasons.contains) == true, "\(host)")
      }
    }
    #expect(server.connectionCount == 0)
  }

  @Test("an HTML page, JSON, an empty body and a 404 are told apart in words")
  func validation() async throws {
    let server = try LoopbackServer(pages: [
      "/page": Page(text: "<!DOCTYPE html><title>Log in</title>", type: "text/html"),
      "/lie.png": Page(text: "\n <html><body>Log in", type: "image/png"),
      "/json": Page(text: "{\"error\": 1}", type: "application/json"),
      "/empty.png": Page([], type: "image/png"),
      "/typed.txt": Page(imageBytes(), type: "text/plain; charset=utf-8"),
      "/text": Page(text: "hello", type: "text/plain; charset=utf-8"),
    ])
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      func error(_ path: String) async -> DownloadError? { await downloader.outcome(server.url(path)).error }
      #expect(await error("/page")?.message.contains("an HTML page, not an image") == true)
      #expect(await error("/lie.png")?.code == .notAnImage)
      #expect(await error("/json")?.message.contains("JSON") == true)
      #expect(await error("/text")?.message.contains("'text/plain'") == true)
      #expect(await error("/empty.png")?.code == .empty)
      #expect(await error("/typed.txt") == nil)
      let missing = await error("/missing.png")
      #expect(missing?.code == .httpStatus && missing?.status == 404 && missing?.isTemporary == false)
    }
  }

  @Test("a body over the limit is refused, whether announced or not")
  func byteLimit() async throws {
    let server = try LoopbackServer(pages: [
      "/announced.png": page(count: 20_000),
      "/endless.png": Page(imageBytes(count: 5000), type: "image/png", fault: .endless),
    ])
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.byteLimit = 10_000
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      #expect(await downloader.outcome(server.url("/announced.png")).error?.code == .tooLarge)
      #expect(await downloader.outcome(server.url("/endless.png")).error?.code == .tooLarge)
    }
  }

  @Test("a pinned digest is checked, and other bytes are not stored")
  func pins() async throws {
    let server = try LoopbackServer(pages: ["/a.png": page(3, fields: [("Cache-Control", "max-age=600")])])
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let wrong = ContentDigest(hashing: imageBytes(4))
      let mismatch = await downloader.outcome(server.url("/a.png"), pinned: wrong).error
      #expect(mismatch?.code == .digestMismatch)
      #expect(try downloader.store.object(ContentDigest(hashing: imageBytes(3))) == nil)
      let right = ContentDigest(hashing: imageBytes(3))
      let source = try await downloader.outcome(server.url("/a.png"), pinned: right).get()
      #expect(source.digest == right)
    }
  }

  @Test("a fresh answer is used without a request, by another downloader too; a stale one is validated")
  func caching() async throws {
    let server = try LoopbackServer { request in
      if request.path == "/fresh.png" { return page(5, fields: [("Cache-Control", "max-age=600")]) }
      if request.field("If-None-Match") == "\"v1\"" {
        return Page(status: 304, reason: "Not Modified", fields: [("ETag", "\"v1\"")])
      }
      return page(6, fields: [("ETag", "\"v1\"")])
    }
    defer { server.stop() }
    let fixture = try Fixture()
    for round in 0..<3 {
      try await fixture.withDownloader { downloader in
        let fresh = try await downloader.outcome(server.url("/fresh.png")).get()
        #expect(fresh.disposition == (round == 0 ? .downloaded : .hit))
        #expect(contents(fresh.path) == imageBytes(5))
        let validated = try await downloader.outcome(server.url("/validated.png")).get()
        #expect(validated.disposition == (round == 0 ? .downloaded : .revalidated))
        #expect(contents(validated.path) == imageBytes(6))
      }
    }
    #expect(server.count(of: "/fresh.png") == 1)
    #expect(server.count(of: "/validated.png") == 3)
  }

  @Test("local files, data URLs and their failures go through the same function")
  func local() async throws {
    let fixture = try Fixture()
    let path = fixture.directory + "/a.png"
    let file = try #require(fopen(path, "wb"))
    _ = imageBytes(7).withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
    fclose(file)
    try await fixture.withDownloader { downloader in
      let stored = try await downloader.download(ImageRequest(.file(path)))
      #expect(stored.path == path && stored.digest == ContentDigest(hashing: imageBytes(7)))
      let data = try await downloader.download(
        ImageRequest(try ImageSource(parsing: "data:image/png;base64,iVBORw0KGgo=")))
      #expect(contents(data.path) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
      await #expect(throws: DownloadError.self) {
        _ = try await downloader.download(ImageRequest(.file(fixture.directory + "/none.png")))
      }
      await #expect(throws: DownloadError.self) {
        _ = try await downloader.download(ImageRequest(.file(fixture.directory)))
      }
    }
  }
}
