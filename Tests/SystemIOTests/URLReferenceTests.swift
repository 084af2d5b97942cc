import SystemIO
import TestSupport
import Testing

@Suite("URL references", .timeLimit(.minutes(8)))
struct URLReferenceTests {
  private static let base = "http://a/b/c/d;p?q"

  /// The whole of RFC 3986, sections 5.4.1 and 5.4.2; the last one strictly.
  private static let table: [(String, String)] = [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
  ]

  @Test("references mean what RFC 3986 says they do", arguments: table)
  func resolving(reference: String, expected: String) throws {
    let base = try #require(URLReference(parsing: Self.base))
    #expect(base.resolving(reference)?.text == expected)
  }

  @Test(
    "a base without a path, with a slash at its end, or with an empty query is one too",
    arguments: [
      ("http://a", "g", "http://a/g"), ("http://a", "../g", "http://a/g"), ("http://a?q", "", "http://a?q"),
      ("http://a/b/", "g", "http://a/b/g"), ("http://a/b/", "..", "http://a/"),
      ("http://a/b?", "", "http://a/b?"),
      ("http://a/b#s", "", "http://a/b"), ("http://u:p@a:8/b", "/g", "http://u:p@a:8/g"),
      ("http://a/b/c", "//x/../y", "http://x/y"), ("http://a/b/c", "http://x/y/../z", "http://x/z"),
      ("http://a//b/../c", "d", "http://a//d"), ("HTTP://A/b", "c", "http://A/c"),
      ("http://a/\u{301}b", "\u{301}c", "http://a/%CC%81c"),
      // Two slashes without an authority would begin one.
      ("http://a/b", "x:/.//y/z", "x:/.//y/z"), ("http://a/b", "x:/a/..//y", "x:/.//y"),
      ("x:/a", ".//y", "x:/.//y"),
    ])
  func otherBases(base: String, reference: String, expected: String) throws {
    #expect(try #require(URLReference(parsing: base)).resolving(reference)?.text == expected)
  }

  @Test("a reference is taken apart by bytes, and put together again")
  func parts() throws {
    let whole = try #require(URLReference(parsing: "https://me:s%40@h.example:8443/a//b;c/?q=?&/#f#?"))
    #expect(
      whole.scheme == "https" && whole.authority == "me:s%40@h.example:8443" && whole.host == "h.example")
    #expect(whole.path == "/a//b;c/" && whole.query == "q=?&/" && whole.fragment == "f#?")
    let mark = try #require(URLReference(parsing: "http://h/\u{301}a?\u{301}b#\u{301}c"))
    #expect(mark.host == "h" && mark.path.utf8.count == 4 && mark.query != nil && mark.fragment != nil)
    for text in [
      "", "a", "//h", "//h/p", "?q", "#f", "?", "#", "a:b", "urn:x:y", "/a/b?c#d", "http://[::1]:80/x",
    ] {
      #expect(URLReference(parsing: text)?.text == text)
    }
    #expect(URLReference(parsing: "http://[2001:db8::1]:80/x")?.host == "[2001:db8::1]")
    #expect(URLReference(parsing: "/p")?.host == nil)
    for text in [
      "http://a b/", "http://a\\b/", "//<h>/", "http://h^/", "http://h<\u{301}/", "http://a \u{301}b",
    ] {
      #expect(URLReference(parsing: text) == nil, "\(text)")
    }
  }

  @Test(
    "a source's scheme has two letters or more, and no other characters than a scheme's",
    arguments: [
      ("http://h", "http"), ("DATA:,x", "data"), ("x-y+z.1:a", "x-y+z.1"), ("c:/a", nil), ("a/b:c", nil),
      ("1http:x", nil), ("", nil), (":", nil), ("a b:c", nil), ("é:x", nil), ("noscheme", nil), ("-a:x", nil),
    ] as [(String, String?)])
  func schemes(text: String, expected: String?) { #expect(URLReference.scheme(of: text) == expected) }

  @Test("resolving a URL against any base is the URL, and against itself changes nothing")
  func randomReferences() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let words = ["a", "b", ".", "..", "", "x;y", "%2e", "é", "\u{301}"]
    func reference() -> String {
      let path = (0...Int.random(in: 0...4, using: &random)).map { _ in
        words.randomElement(using: &random) ?? ""
      }
      return path.joined(separator: "/") + (Bool.random(using: &random) ? "?q=/../a" : "")
    }
    for _ in 0..<2000 {
      let (path, other) = (reference(), reference())
      let base = try #require(URLReference(parsing: "http://h/" + path))
      let resolved = try #require(base.resolving("http://h2/x/" + other), "\(other), seed \(seed)")
      let again = try #require(base.resolving(resolved.text))
      #expect(again == resolved, "\(other), seed \(seed)")
      let relative = try #require(base.resolving("./" + other))
      #expect(relative.host == "h" && Paths.isAbsolute(relative.path), "\(path) \(other), seed \(seed)")
      let segments = relative.path.split(separator: "/")
      #expect(!segments.contains(".") && !segments.contains(".."), "\(path) \(other), seed \(seed)")
    }
  }

  @Test(
    "a file: URL names an absolute path of this machine",
    arguments: [
      ("file:///a%20b.png", "/a b.png"), ("file:/a", "/a"), ("FILE://localhost/a", "/a"),
      ("file://LOCALHOST/a", "/a"),
      ("file:///a?q#f", "/a"), ("file:///a%2Fb", "/a/b"), ("file:///%C3%A9", "/é"),
      ("file:///\u{301}a", "/\u{301}a"),
      ("file://other/a", nil), ("file:a", nil), ("file:", nil), ("file://", nil), ("file:///a%00", nil),
      ("file:///%80", nil), ("file:///%+1", nil), ("file:///%4", nil), ("/a", nil), ("http:///a", nil),
      ("", nil),
    ] as [(String, String?)])
  func fileURLs(text: String, expected: String?) { #expect(FileURL.path(text) == expected) }
}

@Suite("Percent-encoding", .timeLimit(.minutes(8)))
struct PercentEncodingTests {
  @Test("what is encoded is decoded to the same, whatever the text")
  func roundTrip() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<2000 {
      let scalars = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &random)) ?? "%"
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      let encoded = PercentEncoding.encodedSegment(text)
      #expect(
        encoded.utf8.allSatisfy {
          "-._~%".utf8.contains($0) || Character(Unicode.Scalar($0)).isLetter || (48...57).contains($0)
        })
      #expect(Array(PercentEncoding.decoded(encoded).utf8) == Array(text.utf8), "seed \(seed)")
      #expect(
        PercentEncoding.strictlyDecoded(encoded).map { Array($0.utf8) } == Array(text.utf8), "seed \(seed)")
      let normalized = PercentEncoding.normalized(text)
      #expect(PercentEncoding.normalized(normalized) == normalized, "seed \(seed)")
      #expect(PercentEncoding.decodedBytes(normalized) == PercentEncoding.decodedBytes(text), "seed \(seed)")
    }
  }

  @Test("any bytes are decoded, and only whole escapes strictly")
  func randomBytes() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let pieces = ["%", "4", "1", "F", "g", "+", "%41", "%e9", "%C3%A9"]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      let bytes = PercentEncoding.decodedBytes(text)
      #expect(bytes.count <= text.utf8.count)
      if let strict = PercentEncoding.strictlyDecoded(text) {
        #expect(Array(strict.utf8) == bytes, "seed \(seed)")
      }
    }
  }

  @Test("a percent sign without two digits stands for itself, or is refused")
  func brokenEscapes() {
    for text in ["%", "%4", "%g1", "%1g", "a%", "%+1", "%-1", "% 1"] {
      #expect(PercentEncoding.decoded(text) == text)
      #expect(PercentEncoding.strictlyDecoded(text) == nil, "\(text)")
    }
    #expect(PercentEncoding.decoded("%41%") == "A%" && PercentEncoding.decoded("%%41") == "%A")
    #expect(PercentEncoding.strictlyDecoded("%C3%A9%e2%82%ac") == "é€")
    #expect(PercentEncoding.strictlyDecoded("%C3") == nil && PercentEncoding.decoded("%C3") == "\u{FFFD}")
    #expect(PercentEncoding.decodedBytes("%00%ff") == [0, 255])
  }

  @Test("a segment keeps what is unreserved, and a URL keeps what it may hold")
  func sets() {
    #expect(PercentEncoding.encodedSegment("aZ09-._~") == "aZ09-._~")
    #expect(PercentEncoding.encodedSegment("a/b c%é") == "a%2Fb%20c%25%C3%A9")
    #expect(PercentEncoding.normalized("/a b?c=[%20]#d") == "/a%20b?c=[%20]#d")
    #expect(PercentEncoding.normalized("\"<>\\^`{|}\u{7F}\n") == "%22%3C%3E%5C%5E%60%7B%7C%7D%7F%0A")
    #expect(PercentEncoding.encoded("a+b") { $0 == UInt8(ascii: "+") } == "a%2Bb")
  }

  @Test("a data: URL has a type and bytes")
  func dataURLs() {
    #expect(DataURL("data:image/png;base64,AAEC/w==")?.bytes == [0, 1, 2, 255])
    #expect(DataURL("DATA:image/png;charset=x;base64,AAEC_w")?.mediaType == "image/png;charset=x")
    #expect(DataURL("data:,a%20b,c")?.bytes == Array("a b,c".utf8))
    #expect(DataURL("data:;BASE64,QQ==")?.mediaType == "text/plain;charset=US-ASCII")
    for broken in [
      "data:image/png", "http://h", "data:;base64,A", "data:;base64,A=A", "data:;base64,A*BC", "",
    ] {
      #expect(DataURL(broken) == nil, "\(broken)")
    }
  }
}
