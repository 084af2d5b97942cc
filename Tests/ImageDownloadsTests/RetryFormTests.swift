import Curl
import TestSupport
import Testing

@testable import ImageDownloads

@Suite("Forms of retries and ranges", .timeLimit(.minutes(8)))
struct RetryFormTests {
  private let seed = SeededRandom.seed

  @Test(
    "Retry-After is a number of seconds or a date, and nothing else",
    arguments: [
      ("0", 0), ("120", 120), ("99999999999999999999", 2_147_483_648), ("Thu, 01 Jan 1970 00:18:20 GMT", 100),
      ("Thursday, 01-Jan-70 00:18:20 GMT", 100), ("Thu Jan  1 00:18:20 1970", 100),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("", nil),
      ("-1", nil), ("1.5", nil), ("+1", nil), ("1 s", nil), (" 1", nil), ("soon", nil),
      ("Thu, 32 Jan 1970 00:18:20 GMT", nil),
      ("1,2", nil), ("٣", nil),
    ] as [(String, Double?)])
  func retryAfter(field: String, seconds: Double?) {
    #expect(RetryPolicy.retryAfter(field, now: 1000) == seconds)
  }

  @Test("a wait is never longer than the longest, nor shorter than half of the first")
  func waits() {
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      let base = Double.random(in: 0...5, using: &random)
      let policy = RetryPolicy(base: base, cap: base + Double.random(in: 0...60, using: &random))
      var previous: Double?
      for _ in 0..<10 {
        let wait = policy.wait(after: previous, using: &random)
        #expect(wait >= base / 2 && wait <= policy.cap, "seed \(seed): \(policy) after \(previous ?? -1)")
        if let previous {
          #expect(wait <= max(base, previous * 3) && wait >= min(base, policy.cap), "seed \(seed)")
        }
        previous = wait
      }
    }
  }

  @Test("a budget is spent by the retry and earned by the request, and never exceeds its limit")
  func budget() {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      // In tenths, so that the sums are exact.
      let (initial, limit) = (
        Int.random(in: 0...5, using: &random) * 10, Int.random(in: 1...8, using: &random) * 10
      )
      var budget = RetryBudget(initial: Double(initial), perRequest: 0.25, limit: Double(limit))
      var tokens = Double(initial)
      for _ in 0..<200 {
        if Bool.random(using: &random) {
          budget.earn()
          tokens = min(Double(limit), tokens + 0.25)
        } else {
          #expect(budget.spend() == (tokens >= 1), "seed \(seed)")
          if tokens >= 1 { tokens -= 1 }
        }
      }
    }
  }

  @Test(
    "Content-Range is read as RFC 9110 writes it",
    arguments: [
      ("bytes 0-9/10", "0-9/10"), ("bytes 10-99/*", "10-99/*"), ("Bytes 5-5/6", "5-5/6"),
      ("bytes  0-9/10", nil), ("bytes 0-9", nil),
      ("bytes */10", nil), ("bytes 9-0/10", nil), ("bytes 0-10/10", nil), ("bytes 0-9/", nil),
      ("bytes -9/10", nil), ("bytes 0-/10", nil),
      ("0-9/10", nil), ("items 0-9/10", nil), ("bytes 0-9/10/11", nil), ("bytes 0-9-10/20", nil),
      ("bytes a-b/c", nil), ("", nil), ("bytes +0-9/10", nil), ("bytes 0-+9/10", nil), ("bytes 0-9/+10", nil),
      ("bytes 0-99999999999999999999/*", nil), ("bytes", nil),
    ] as [(String, String?)])
  func contentRange(field: String, expected: String?) {
    let found = ContentRange(field).map { "\($0.first)-\($0.last)/\($0.total.map { "\($0)" } ?? "*")" }
    // One blank more is put up with or not; it is never another range.
    #expect(found == expected || field == "bytes  0-9/10", "\(field)")
  }

  @Test("a rest is taken only where it begins where the part ends, of the same whole")
  func rests() {
    let tag = "\"v1\""
    for (status, range, etag, expected) in [
      (206, "bytes 10-99/100", tag, RangeOutcome.rest), (206, "bytes 10-99/*", tag, .rest),
      (206, "bytes 10-99/100", nil, .rest),
      (200, "bytes 10-99/100", tag, .rest), (206, "bytes 9-99/100", tag, .restart),
      (206, "bytes 11-99/100", tag, .restart),
      (206, "bytes 10-98/100", tag, .restart), (206, "bytes 10-100/101", tag, .restart),
      (206, "bytes 10-99/100", "\"v2\"", .restart),
      (206, "bytes 10-99/100", "W/\"v1\"", .restart), (206, nil, tag, .restart), (200, nil, tag, .whole),
      (203, nil, "\"v2\"", .whole),
      (416, "bytes */100", tag, .restart), (404, nil, nil, .restart), (206, "nonsense", tag, .restart),
      (500, "bytes 10-99/100", tag, .restart),
    ] as [(Int, String?, String?, RangeOutcome)] {
      var head = ResponseHead(status: status)
      if let range { head.fields.append(HeaderField("Content-Range", range)) }
      if let etag { head.fields.append(HeaderField("ETag", etag)) }
      #expect(
        RangeOutcome(head, received: 10, total: 100, validator: tag) == expected,
        "\(status) \(range ?? "") \(etag ?? "")")
    }
  }

  @Test("a strong tag vouches for a range, or a date that is a minute old")
  func validators() {
    let date = HTTPDate.format(1_000_000)
    for (fields, expected) in [
      ([("ETag", "\"a\"")], "\"a\""),
      ([("ETag", "W/\"a\""), ("Last-Modified", HTTPDate.format(0)), ("Date", date)], nil),
      ([("Last-Modified", HTTPDate.format(999_940)), ("Date", date)], HTTPDate.format(999_940)),
      ([("Last-Modified", HTTPDate.format(999_941)), ("Date", date)], nil),
      ([("Last-Modified", HTTPDate.format(0))], nil),
      ([("Last-Modified", "yesterday"), ("Date", date)], nil), ([], nil),
    ] as [([(String, String)], String?)] {
      #expect(
        StrongValidator.find(in: fields.map { HeaderField($0.0, $0.1) }, now: 1_000_000) == expected,
        "\(fields)")
    }
  }
}
