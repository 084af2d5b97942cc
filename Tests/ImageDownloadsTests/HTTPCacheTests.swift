import Curl
import ImageCaches
import TestSupport
import Testing

@testable import ImageDownloads

private let noon = 784_111_777.0  // Sun, 06 Nov 1994 08:49:37 GMT, RFC 9110's own example.

/// A stored answer that came at `noon`.
private func stored(
  _ fields: [(String, String)], status: Int = 200, selection: [StoredResponse.Selection] = []
) -> StoredResponse {
  StoredResponse(
    status: status, reason: "", fields: fields.map { HeaderField($0.0, $0.1) }, requestTime: noon,
    responseTime: noon,
    selection: selection, digest: ContentDigest(hashing: []))
}

private func date(_ offset: Int) -> String { HTTPDate.format(Int(noon) + offset) }

@Suite("What the index keeps of an answer", .timeLimit(.minutes(8)))
struct StoredResponseRecordTests {
  @Test(
    "is read back as it was written",
    arguments: [
      stored([]), stored([("A", ""), ("B", "x: y"), ("b", " é\u{1F600} ")], status: 404),
      stored([], selection: [.init(name: "accept", value: nil), .init(name: "range", value: "")]),
      stored(
        [("Vary", "Accept"), ("Set-Cookie", "a=b; c")],
        selection: [.init(name: "accept", value: "image/webp, */*;q=0.8"), .init(name: "te", value: nil)]),
    ])
  func roundTrip(_ response: StoredResponse) {
    var response = response
    response.reason = "Not so: Good"
    response.requestTime = 1_795_267_440.123_456_7
    #expect(StoredResponse(record: response.record) == response, "\(response.record)")
    response.isPrivate = true
    #expect(StoredResponse(record: response.record) == response, "\(response.record)")
  }

  @Test("of a text that is none, nothing is read")
  func damaged() {
    let record = stored([("ETag", "\"x\""), ("Age", "1")]).record
    for end in record.indices
    where !record[end...].contains("ETag: \"x\"") || !record[..<end].contains("Age: ") {
      // Not every cut can be seen (its checksum tells the rest), but none may be fatal.
      _ = StoredResponse(record: String(record[..<end]))
    }
    for text in ["", "\n", "200\n1 2 3\n", "x OK\n1 2 \(ContentDigest(hashing: []))\n", "200 OK\n1 2\n"] {
      #expect(StoredResponse(record: text) == nil)
    }
    #expect(StoredResponse(record: record + "\nno field") == nil)
  }
}

@Suite("HTTP dates", .timeLimit(.minutes(8)))
struct HTTPDateTests {
  @Test(
    "the three forms are read, in any letter case",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "sun, 06 nOV 1994 08:49:37 gmt",
    ])
  func accepted(_ text: String) {
    #expect(HTTPDate.parse(text, now: Int(noon)) == Int(noon))
  }

  @Test(
    "what is nearly a date is none",
    arguments: [
      "", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST",
      "Sun, 06 Nov 94 08:49:37 GMT",
      "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ", "784111777",
    ])
  func refused(_ text: String) {
    #expect(HTTPDate.parse(text, now: Int(noon)) == nil)
  }

  @Test("a two-digit year is of the past rather than half a century ahead")
  func shortYears() {
    let now = HTTPDate.parse("Sat, 21 Nov 2026 00:00:00 GMT", now: 0) ?? 0
    #expect(HTTPDate.parse("Friday, 01-Jan-99 00:00:00 GMT", now: now) == 915_148_800)
    #expect(HTTPDate.parse("Friday, 01-Jan-70 00:00:00 GMT", now: now) == 3_155_760_000)
  }

  @Test("what is written is read back, for random seconds of three centuries")
  func roundTrip() {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    for _ in 0..<2000 {
      let seconds = Int.random(in: -2_000_000_000...9_999_999_999, using: &generator)
      #expect(HTTPDate.parse(HTTPDate.format(seconds), now: 0) == seconds, "seed \(seed)")
    }
    for date in [
      "Sat, 01 Jan 0000 00:00:00 GMT", "Sat, 06 Nov 0094 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
    ] {
      #expect(HTTPDate.parse(date, now: 0).map(HTTPDate.format) == date)
    }
  }
}

@Suite("Freshness", .timeLimit(.minutes(8)))
struct FreshnessTests {
  @Test("max-age goes before Expires, and Expires before a heuristic")
  func precedence() {
    #expect(stored([("Cache-Control", "max-age=60"), ("Expires", date(600))]).freshnessLifetime == 60)
    #expect(
      stored([("Date", date(0)), ("Expires", date(600)), ("Last-Modified", date(-10))]).freshnessLifetime
        == 600)
    #expect(stored([("Date", date(0)), ("Last-Modified", date(-1000))]).freshnessLifetime == 100)
    #expect(stored([]).freshnessLifetime == 0)
  }

  @Test("directives: case, quotes, zeros, doubles, and what isn't a number")
  func directives() {
    func lifetime(_ value: String) -> Double { stored([("Cache-Control", value)]).freshnessLifetime }
    #expect(lifetime("MaX-aGe=60") == 60)
    #expect(lifetime("max-age=\"60\"") == 60)
    #expect(lifetime("max-age=003600") == 3600)
    #expect(lifetime("max-age=99999999999999999999999") == Double(CacheControl.longestTime))
    #expect(lifetime("extension=\"max-age=3600\", max-age=1") == 1)
    #expect(lifetime("extension=\"a\\\", max-age=3600\"") == 0)
    #expect(lifetime("max-age='3600'") == 0)
    #expect(lifetime("max-age=-1") == 0)
    #expect(lifetime("max-age=1.5") == 0)
    #expect(lifetime("max-age") == 0)
    #expect(lifetime("s-maxage=3600") == 0)
    #expect(lifetime("max-age=1, max-age=100") == 1)
  }

  @Test("an Expires that isn't one date is in the past")
  func expires() {
    #expect(stored([("Expires", "0")]).freshnessLifetime == 0)
    #expect(stored([("Expires", date(600)), ("Expires", date(600))]).freshnessLifetime == 0)
    #expect(stored([("Expires", date(600))]).freshnessLifetime == 600)
    #expect(stored([("Date", "nonsense"), ("Expires", date(600))]).freshnessLifetime == 600)
  }

  @Test("only understood statuses are guessed about", arguments: [202, 302, 403, 502, 503, 599])
  func noHeuristic(_ status: Int) {
    let fields = [("Date", date(0)), ("Last-Modified", date(-1000))]
    #expect(stored(fields, status: status).freshnessLifetime == 0)
    #expect(stored(fields + [("Cache-Control", "public")], status: status).freshnessLifetime == 100)
  }

  @Test("the age is the larger of what the clocks and the Age field say, and grows")
  func age() {
    #expect(stored([("Date", date(-30))]).age(at: noon + 5) == 35)
    #expect(stored([("Date", date(-30)), ("Age", "100")]).age(at: noon + 5) == 105)
    #expect(stored([("Age", "7200, 1")]).age(at: noon) == 7200)
    #expect(stored([("Age", "7200"), ("Age", "0")]).age(at: noon) == 7200)
    for nonsense in ["-1", "1.5", "abc", "7200;a=b"] {
      #expect(stored([("Age", nonsense)]).age(at: noon) == 0)
    }
    #expect(stored([("Age", "99999999999999999999")]).age(at: noon) == Double(CacheControl.longestTime))
    var slow = stored([("Age", "10")])
    slow.requestTime -= 5
    #expect(slow.age(at: noon) == 15)
  }
}

@Suite("The cache's decisions", .timeLimit(.minutes(8)))
struct CacheDecisionTests {
  private func decision(
    _ candidates: [StoredResponse], request: [(String, String)] = [], mode: CacheMode = .standard,
    after: Double = 0
  ) -> String {
    let fields = request.map { HeaderField($0.0, $0.1) }
    return switch CacheDecision(request: fields, candidates: candidates, mode: mode, now: noon + after) {
    case .fetch: "fetch"
    case .serve: "serve"
    case .serveStale: "stale"
    case .validate: "validate"
    case .unavailable: "unavailable"
    }
  }

  @Test("what is fresh is served, what is stale is validated, what isn't there is fetched")
  func standard() {
    let minute = stored([("Cache-Control", "max-age=60")])
    #expect(decision([minute]) == "serve")
    #expect(decision([minute], after: 61) == "validate")
    #expect(decision([]) == "fetch")
    #expect(decision([stored([])]) == "validate")
    #expect(decision([stored([("Cache-Control", "no-cache, max-age=60")])]) == "validate")
    let revalidating = stored([("Cache-Control", "max-age=1, stale-while-revalidate=60")])
    #expect(decision([revalidating], after: 30) == "stale")
    #expect(decision([revalidating], after: 62) == "validate")
  }

  @Test("the modes: refresh validates, offline takes what there is, none looks at nothing")
  func modes() {
    let minute = stored([("Cache-Control", "max-age=60")])
    #expect(decision([minute], mode: .refresh) == "validate")
    #expect(decision([minute], mode: .offline, after: 1000) == "serve")
    #expect(decision([], mode: .offline) == "unavailable")
    #expect(decision([minute], mode: .none) == "fetch")
  }

  @Test("a request's own directives")
  func requestDirectives() {
    let minute = stored([("Cache-Control", "max-age=60")])
    func asked(_ value: String, after: Double = 0) -> String {
      decision([minute], request: [("Cache-Control", value)], after: after)
    }
    #expect(asked("max-age=0") == "validate")
    #expect(asked("max-age=10", after: 11) == "validate")
    #expect(asked("min-fresh=30", after: 31) == "validate")
    #expect(asked("min-fresh=30", after: 29) == "serve")
    #expect(asked("max-stale", after: 1000) == "serve")
    #expect(asked("max-stale=10", after: 65) == "serve")
    #expect(asked("max-stale=10", after: 75) == "validate")
    #expect(asked("no-cache") == "validate")
    #expect(asked("no-store") == "fetch")
    #expect(asked("only-if-cached", after: 100) == "unavailable")
    #expect(decision([minute], request: [("Pragma", "no-cache")]) == "validate")
    let strict = stored([("Cache-Control", "max-age=60, must-revalidate")])
    #expect(decision([strict], request: [("Cache-Control", "max-stale")], after: 100) == "validate")
  }

  @Test("a variant is chosen by the fields it varies by; absent isn't empty, and order may not matter")
  func vary() {
    func response(_ request: [(String, String)], _ vary: String) -> StoredResponse? {
      let fields = [HeaderField("Cache-Control", "max-age=60"), HeaderField("Vary", vary)]
      guard let selection = Vary.selection(of: request.map { HeaderField($0.0, $0.1) }, for: fields, salt: [])
      else {
        return nil
      }
      return stored([("Cache-Control", "max-age=60"), ("Vary", vary)], selection: selection)
    }
    for star in ["*", "Foo, *", ", *", "*, *"] { #expect(response([], star) == nil) }
    let one = response([("Foo", "1")], "Foo")
    #expect(decision([one].compactMap(\.self), request: [("foo", " 1")]) == "serve")
    #expect(decision([one].compactMap(\.self), request: [("Foo", "2")]) == "fetch")
    #expect(decision([one].compactMap(\.self), request: []) == "fetch")
    let languages = response([("Accept-Language", "de, en;q=0.5")], "Accept-Language")
    #expect(
      decision([languages].compactMap(\.self), request: [("Accept-Language", "en; q=0.5,de")]) == "serve")
    let absent = response([], "Foo")
    #expect(decision([absent].compactMap(\.self), request: [("Foo", "")]) == "fetch")
  }

  @Test("what may be kept")
  func storing() {
    func may(_ control: String, status: Int = 200, request: String? = nil) -> Bool {
      StoredResponse.mayStore(
        status: status, fields: [HeaderField("Cache-Control", control)],
        request: request.map { [HeaderField("Cache-Control", $0)] } ?? [])
    }
    #expect(may("max-age=60") && may("private") && may("no-cache") && may("max-age=60", status: 599))
    #expect(!may("No-StOrE") && !may("max-age=60", request: "no-store") && !may("max-age=60", status: 206))
    #expect(may("no-store, must-understand") && !may("no-store, must-understand", status: 599))
  }

  @Test("a 304 replaces what it names, but for what describes the body, and drops an old Age")
  func update() {
    var response = stored([
      ("ETag", "\"a\""), ("Test", "1"), ("Test", "2"), ("Kept", "x"), ("Content-Length", "10"), ("Age", "50"),
      ("Content-Type", "image/png"),
    ])
    response.update(
      with: ResponseHead(
        status: 304,
        fields: [
          HeaderField("Test", "3"), HeaderField("Content-Length", "0"),
          HeaderField("Content-Type", "text/plain"),
          HeaderField("Connection", "Secret"), HeaderField("Secret", "y"),
        ]), requestTime: noon + 10, responseTime: noon + 10)
    #expect(response.fields.values(of: "Test") == ["3"])
    #expect(response.fields.first("Kept") == "x" && response.fields.first("Content-Length") == "10")
    #expect(response.fields.first("Content-Type") == "image/png" && response.fields.first("Secret") == nil)
    #expect(response.age(at: noon + 10) == 0)
    #expect(response.isConfirmed(by: ResponseHead(status: 304)))
    #expect(!response.isConfirmed(by: ResponseHead(status: 304, fields: [HeaderField("ETag", "\"b\"")])))
  }

  @Test("hop-by-hop fields, and those that Connection names, are not served")
  func hopByHop() {
    let fields = ["Connection: a, B", "a: 1", "b: 2", "c: 3", "Upgrade: x", "Set-Cookie: y"].map { line in
      HeaderField(String(line.prefix { $0 != ":" }), String(line.drop { $0 != ":" }.dropFirst(2)))
    }
    #expect(HopByHop.removed(from: fields).map(\.name) == ["c", "Set-Cookie"])
  }
}
