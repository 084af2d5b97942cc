import Glibc
import ImageCaches
import ImageDownloads
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// What a server of the soak answers: mostly what it should, now and then a fault.
private final class FaultyOrigin: Sendable {
  static let count = 200
  private let generator: Mutex<SeededRandom>
  /// Faults that were served, by kind.
  let faults = Mutex<[Int: Int]>([:])

  init(_ seed: UInt64) { generator = Mutex(SeededRandom(seed: seed)) }

  private func random(_ range: Range<Int>) -> Int {
    generator.withLock { Int.random(in: range, using: &$0) }
  }

  /// Each tenth image is long enough for its rest to be asked for.
  static func body(_ number: Int) -> [UInt8] {
    imageBytes(number, count: number % 10 == 0 ? 300_000 : 1000 + number * 37)
  }

  func answer(_ request: Request) -> Page {
    // Where a redirect of this origin leads.
    if request.path == "/circle" { return .redirect(to: "/circle") }
    let number = Int(request.path.dropFirst().prefix { $0 != "." }) ?? 0
    let page = whole(number, request)
    guard random(0..<5) == 0 else { return page }
    let kind = random(0..<22)
    faults.withLock { $0[kind, default: 0] += 1 }
    return fault(kind, number, page, request)
  }

  private func whole(_ number: Int, _ request: Request) -> Page {
    let body = Self.body(number)
    let tag = "\"\(number)\""
    if let start = start(of: request), start < body.count, request.field("If-Range") == tag {
      return part(body, from: start, tag)
    }
    return Page(
      body, type: "image/png",
      fields: [("ETag", tag), ("Accept-Ranges", "bytes"), ("Cache-Control", "no-store")])
  }

  private func start(of request: Request) -> Int? {
    request.field("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
  }

  private func part(_ body: [UInt8], from start: Int, _ tag: String) -> Page {
    Page(
      Array(body[start...]), type: "image/png", status: 206, reason: "Partial Content",
      fields: [("ETag", tag), ("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)")])
  }

  private func fault(_ kind: Int, _ number: Int, _ whole: Page, _ request: Request) -> Page {
    var page = whole
    let place = random(1..<max(2, page.body.count))
    switch kind {
    case 0: page.fault = .reset(after: -1)
    case 1: page.fault = .reset(after: place)
    case 2: page.fault = .close(after: place)
    case 3: page.fault = .drip(bytes: max(700, page.body.count / 4), milliseconds: 2)
    case 4:
      page.framing = .chunked(333)
      page.fault = .badChunk(after: place)
    case 5: page.framing = .announced(page.body.count + 50)
    case 6: return busy(503, "0")
    case 7: return busy(429, nil)
    case 8: return Page(status: 500, reason: "Oops")
    case 9: return Page(Array("not HTTP at all".utf8), framing: .raw)
    case 10: page.framing = .chunked(max(100, page.body.count / 5))
    case 11: return Page(Array("HTTP/1.1 200 OK\r\n\(Self.flood)\r\n".utf8), framing: .raw)
    case 12: return Page(text: "<html>maintenance", type: "text/html", status: 502)
    case 13: page.fault = .stall(after: place)
    case 14 where number % 50 == 3: return .redirect(to: "/circle")
    case 15: return .redirect(to: "/\(number).png", status: 307)
    case 16: return wrongRange(number, request) ?? page
    case 17: return changed(number, request) ?? page
    case 18: return Page(status: 416, reason: "No", fields: [("Content-Range", "bytes */7")])
    case 19 where number % 50 == 7:
      page.framing = .chunked(1)
      page.body = Array(page.body.prefix(60_000))
      page.fault = .endless
    case 20: return busy(503, "not a number")
    case 21: return busy(429, "Thu, 01 Jan 1970 00:00:00 GMT")
    default: return Page(text: "<!doctype html><p>Please log in", type: "text/html", status: 200)
    }
    return page
  }

  private static let flood = String(repeating: "X-Flood: y\r\n", count: 30_000)

  private func busy(_ status: Int, _ wait: String?) -> Page {
    Page(status: status, reason: "Busy", fields: wait.map { [("Retry-After", $0)] } ?? [])
  }

  /// Another part than was asked for.
  private func wrongRange(_ number: Int, _ request: Request) -> Page? {
    guard let start = start(of: request), (2..<Self.body(number).count).contains(start) else { return nil }
    return part(Self.body(number), from: start / 2, "\"\(number)\"")
  }

  /// The rest of another representation, or the whole of it by its tag.
  private func changed(_ number: Int, _ request: Request) -> Page? {
    guard let start = start(of: request), start < Self.body(number).count else { return nil }
    return part(imageBytes(number + 1000, count: Self.body(number).count), from: start, "\"other\"")
  }
}

@Suite("A long run of faults", .timeLimit(.minutes(8)))
struct SoakTests {
  @Test(
    "10,000 requests for 200 URLs with a fifth of faults: every byte right or a named failure, the account right, no limit broken",
    .enabled(if: getenv("IMAGEMILL_SOAK") != nil, "it takes a minute; set IMAGEMILL_SOAK to have it run")
  )
  func soak() async throws {
    let seed = SeededRandom.seed
    print("seed \(seed)")
    let origin = FaultyOrigin(seed)
    let server = try LoopbackServer { origin.answer($0) }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.retries = 6
    configuration.retryWait = .seconds(0.001)
    configuration.timeout = .seconds(0.5)
    configuration.byteLimit = 2_000_000
    configuration.activeDownloadsPerHost = 24
    let bodies = (0..<FaultyOrigin.count).map(FaultyOrigin.body)
    let fixture = try Fixture()
    let failures = try await fixture.withDownloader(configuration) { downloader in
      let failures = await withTaskGroup(of: DownloadError?.self) { group in
        var failed: [DownloadError] = []
        for request in 0..<10_000 {
          // Few enough at once that most requests are sent, and not merged.
          if request >= 48 { failed += [await group.next()].compactMap { $0 ?? nil } }
          group.addTask {
            let number = (request * 7919) % FaultyOrigin.count
            switch await downloader.outcome(server.url("/\(number).png")) {
            case .success(let source):
              let bytes = contents(source.path)
              if bytes != bodies[number] {
                let digest = source.digest == ContentDigest(hashing: bytes)
                Issue.record(
                  "image \(number): \(bytes.count) bytes, \(digest ? "as received" : "changed since"), seed \(seed)"
                )
              }
              return nil
            case .failure(let error): return error
            }
          }
        }
        return await group.reduce(into: failed) { $0 += [$1].compactMap(\.self) }
      }
      #expect(server.requests.count > 9000, "seed \(seed)")
      #expect(downloader.totals.requests == server.requests.count, "seed \(seed)")
      return failures
    }
    let named: Set<DownloadError.Code> = [
      .connectionFailed, .transferFailed, .truncated, .httpStatus, .throttled, .timedOut, .tooManyRedirects,
      .tooLarge, .notAnImage, .empty,
    ]
    let unnamed = failures.filter { !named.contains($0.code) || $0.message.isEmpty }
    #expect(unnamed.isEmpty, "seed \(seed)")
    // Faults that pass are got over; what is left are pages in place of images, circles, floods and the like.
    #expect(failures.count { $0.isTemporary } < 100, "seed \(seed)")
    #expect(origin.faults.withLock(\.count) >= 20, "seed \(seed)")
    #expect(server.peakConcurrency <= configuration.activeDownloadsPerHost + 12, "seed \(seed)")
  }
}
