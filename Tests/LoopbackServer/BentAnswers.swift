import TestSupport
/// HTTP/1.1 responses in which anything may be wrong: status line, field names and values, folds, NULs, line ends,
/// lengths, chunks, trailers, early ends. A seed and a number determine each.
public struct BentAnswers: Sendable {
  private let seed: UInt64

  /// The responses of a seed.
  public init(seed: UInt64) { self.seed = seed }

  /// The page for a request, which `target` determines.
  public func page(for target: String) -> Page {
    var state = seed
    for byte in target.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    var bender = Bender(random: SeededRandom(seed: state))
    return bender.page()
  }
}

/// Makes one response: an honest one at first, of which each part may then be bent.
private struct Bender {
  var random: SeededRandom
  private var isChunked = false
  private var body: [UInt8] = []

  init(random: SeededRandom) { self.random = random }

  mutating func page() -> Page {
    isChunked = chance(3)
    body = Array(PNGImage.bytes(width: 5, height: 4, seed: Int.random(in: 0...9, using: &random)))
    var bytes: [UInt8] = []
    if chance(8) { bytes += head(status: pick(["100 Continue", "103 Early Hints", "101 Switch", "199 x"])) }
    bytes += head(status: status) + framedBody
    if chance(3) { bend(&bytes) }
    if chance(6) { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
    // The server closes an open connection soon, so a response without an end doesn't hold up the test.
    return Page(bytes, framing: chance(2) ? .raw : .rawOpen(milliseconds: 30))
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  // MARK: Lines

  private var status: String {
    mutating get {
      guard chance(3) else { return "200 OK" }
      return pick([
        "404 Not Found", "301 Moved", "302 Found", "401 Unauthorized", "407 Proxy", "304 Not Modified",
        "204 None",
        "206 Partial Content", "503 Busy", "999 x", "0 x", "-1 x", "99999999999 x", "20 x", "2000 x", "", " ",
        "OK",
        "200", "200 " + String(repeating: "r", count: 9000), "200 \0", "200\t\u{e9}",
      ])
    }
  }

  private mutating func head(status: String) -> [UInt8] {
    let version =
      chance(8)
      ? pick(["HTTP/1.0", "HTTP/9.9", "http/1.1", "HTTP/", "ICY", "HTTP/2", "", "HTTP/1.1.1"]) : "HTTP/1.1"
    var lines = [
      "Content-Type: image/png", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "ETag: \"a\"",
      "Cache-Control: max-age=60",
    ]
    if chance(2) {
      lines.append("Location: " + pick(["/next/\(random.next() % 50)", "//", "http://", "\u{1}", "?", ""]))
    }
    lines.append(isChunked ? "Transfer-Encoding: " + pick(codings) : "Content-Length: " + pick(lengths))
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      lines.insert(oddLine, at: Int.random(in: 0...lines.count, using: &random))
    }
    // A fold before every field has a way of its own through a client.
    if chance(6) { lines.insert(pick(folds), at: 0) }
    var bytes: [UInt8] = []
    for line in ["\(version) \(status)"] + lines + [""] {
      bytes += Array(line.utf8)
      bytes += chance(40) ? pick([[10], [13], [13, 13, 10], [0, 13, 10], []]) : [13, 10]
    }
    return bytes
  }

  private let folds = [" fol:ded", "\tfolded", " ", "\t:", " a: b", " :", " \0: x", "  Content-Length: 3"]

  private var lengths: [String] {
    Array(repeating: "\(body.count)", count: 6)
      + [
        "-5", "9223372036854775808", "0", "\(body.count + 7)", "\(body.count - 7)", "+9", "1,1", "x", "",
        "0x10",
      ]
  }

  private let codings = [
    "chunked", "chunked", "chunked", "Chunked", "gzip, chunked", "chunked, chunked", "identity", "x", "\0",
  ]

  private var oddLine: String {
    mutating get {
      let long = String(repeating: "v", count: Int.random(in: 1...20_000, using: &random))
      return pick(
        folds + [
          "no colon", ":", ": empty name", "na me: x", "\0: nul", "x\0y: z", "value: a\0b",
          "8-bit: \u{ff}\u{80}",
          "long: " + long, long + ": x", "Content-Length: 3", "Content-Length: 3",
          "Transfer-Encoding: chunked",
          "Connection: close", "Connection: upgrade", "Upgrade: h2c", "Content-Encoding: gzip",
          "Set-Cookie: a=b",
          "Retry-After: 99999999999", "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\"",
          "WWW-Authenticate: Digest",
          "WWW-Authenticate: Basic realm=\"\u{1}", "WWW-Authenticate: Negotiate =",
          "Alt-Svc: h2=\":443\"; ma=9",
          "Strict-Transport-Security: max-age=9", "Content-Range: bytes 3-/9", "Content-Range: bytes 0-9/5",
          "Vary: *", "Trailer: x", "Keep-Alive: timeout=-1", "Age: -9", "HTTP/1.1 200 OK",
          "Last-Modified: never",
        ])
    }
  }

  // MARK: Body

  private var framedBody: [UInt8] {
    mutating get {
      guard isChunked else { return body }
      var bytes: [UInt8] = []
      var rest = body[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...40, using: &random))
        rest = rest.dropFirst(piece.count)
        var size = String(piece.count, radix: 16)
        if chance(20) {
          size = pick([
            "zz", "", "-1", "ffffffffffffffff", "1ffffffffffffffff", " 5", "0", size + ";e=\"", "\0",
          ])
        }
        bytes += Array(size.utf8) + (chance(30) ? [10] : [13, 10]) + piece + (chance(30) ? [] : [13, 10])
      }
      if chance(8) { return bytes }
      bytes += Array("0\r\n".utf8)
      for _ in 0..<(chance(4) ? 3 : 0) { bytes += Array("\(oddLine)\r\n".utf8) }
      return bytes + (chance(10) ? [] : [13, 10])
    }
  }

  /// Flips, removes or repeats bytes anywhere.
  private mutating func bend(_ bytes: inout [UInt8]) {
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: bytes.indices, using: &random)
      let end = min(bytes.count, place + Int.random(in: 1...30, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 1: bytes[place] = pick([0, 9, 10, 13, 32, 58, 255])
      case 2: bytes.removeSubrange(place..<end)
      default: bytes.insert(contentsOf: bytes[place..<end], at: place)
      }
    }
  }
}
