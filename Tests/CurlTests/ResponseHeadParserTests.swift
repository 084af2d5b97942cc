import Testing

@testable import Curl

@Suite("Heads of responses", .timeLimit(.minutes(8)))
struct ResponseHeadParserTests {
  /// What a parser makes of lines, with the line ends that they have.
  private func parsed(_ lines: [[UInt8]]) -> (parser: ResponseHeadParser, isAccepted: Bool) {
    var parser = ResponseHeadParser()
    var isAccepted = true
    for line in lines where isAccepted { isAccepted = line.withUnsafeBytes { parser.consume($0) } }
    return (parser, isAccepted)
  }

  private func head(_ text: String) -> ResponseHead? {
    // By bytes: to Swift, a line end of two bytes is one character, and no line feed.
    let lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast().map {
      Array($0) + [10]
    }
    let (parser, isAccepted) = parsed(lines)
    #expect(isAccepted)
    return parser.head
  }

  @Test(
    "have a version, a status and a reason",
    arguments: [
      ("HTTP/1.1 200 OK", "1.1", 200, "OK"), ("HTTP/1.0 404 Not Found", "1.0", 404, "Not Found"),
      ("HTTP/2 200 ", "2", 200, ""), ("HTTP/2 200", "2", 200, ""), ("HTTP/1.1  304  Not", "1.1", 304, " Not"),
      ("HTTP/1.1 200 a b  c", "1.1", 200, "a b  c"), ("HTTP/1.1", "1.1", 0, ""),
      ("HTTP/1.1 abc x", "1.1", 0, "x"),
      ("HTTP/1.1 099 x", "1.1", 99, "x"),
    ])
  func statusLines(line: String, version: String, status: Int, reason: String) {
    let head = head(line + "\r\n\r\n")
    #expect(head?.version == version && head?.status == status)
    #expect(head?.reason.drop { $0 == " " } == reason.drop { $0 == " " })
  }

  @Test("have fields in their order, repeats kept, blanks around a value dropped")
  func fields() {
    let head = head(
      "HTTP/1.1 200 OK\r\nA: 1\r\nb:2\r\nA:\t 3 \t\r\nempty:\r\n spaced : x\r\nno colon here\r\nc: d: e\r\n\r\n"
    )
    // A line that begins with a blank goes on with the value before it.
    let expected = [
      HeaderField("A", "1"), HeaderField("b", "2"), HeaderField("A", "3"), HeaderField("empty", "spaced : x"),
      HeaderField("c", "d: e"),
    ]
    #expect(head?.fields == expected, "\(head?.fields ?? [])")
  }

  @Test(
    "go on with a folded value",
    arguments: [
      ("A: 1\r\n 2\r\n", "1 2"), ("A: 1\r\n\t2\r\n   3\r\n", "1 2 3"), ("A:\r\n 2\r\n", "2"),
      ("A: 1\r\n \r\n", "1"),
      ("A: 1  \r\n    2  \r\n", "1 2"),
    ])
  func folds(lines: String, value: String) {
    #expect(head("HTTP/1.1 200 OK\r\n\(lines)\r\n")?.fields == [HeaderField("A", value)])
  }

  @Test("don't fail on a fold before any field")
  func earlyFold() {
    #expect(head("HTTP/1.1 200 OK\r\n folded\r\nA: 1\r\n\r\n")?.fields == [HeaderField("A", "1")])
  }

  @Test("have texts in UTF-8, and in ISO 8859-1 where they aren't that")
  func encodings() {
    let start = Array("HTTP/1.1 200 OK\r\n".utf8)
    let name = Array("A: ".utf8)
    for (bytes, value) in [
      (Array("déjà".utf8), "déjà"), ([0x64, 0xe9, 0x6a, 0xe0], "déjà"), ([0xff], "ÿ"), ([0x80], "\u{80}"),
      ([0x61, 0x00, 0x62], "a\0b"),
    ] as [([UInt8], String)] {
      let (parser, _) = parsed([start, name + bytes + [13, 10], [13, 10]])
      #expect(parser.head?.fields == [HeaderField("A", value)], "\(bytes)")
    }
  }

  @Test("of interim responses are replaced by the one that follows")
  func interim() {
    let head = head(
      "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\n\r\n")
    #expect(head?.status == 200 && head?.fields == [HeaderField("A", "1")])
  }

  @Test("leave trailer fields out, and lines that look like a status line among the fields in")
  func trailers() {
    let trailed = head("HTTP/1.1 200 OK\r\nA: 1\r\n\r\nT: 2\r\n\r\n")
    #expect(trailed?.fields == [HeaderField("A", "1")])
    let odd = head("HTTP/1.1 200 OK\r\nHTTP/1.1: x\r\n\r\n")
    #expect(odd?.status == 200 && odd?.fields == [HeaderField("HTTP/1.1", "x")])
  }

  @Test("are complete with the blank line, and not before")
  func complete() {
    var parser = ResponseHeadParser()
    for (line, isComplete) in [
      ("HTTP/1.1 200 OK\r\n", false), ("A: 1\r\n", false), ("\r\n", true), ("HTTP/1.1 100 x\r\n", false),
      ("\n", true),
    ] {
      #expect(Array(line.utf8).withUnsafeBytes { parser.consume($0) })
      #expect(parser.isComplete == isComplete, "\(line)")
    }
  }

  @Test("are taken up to the limit of all lines together, and a new head starts anew")
  func limit() {
    let start = Array("HTTP/1.1 200 OK\r\n".utf8)
    func line(_ count: Int) -> [UInt8] {
      Array("A: ".utf8) + [UInt8](repeating: 97, count: count - 5) + [13, 10]
    }
    let room = ResponseHeadParser.limit - start.count
    #expect(parsed([start, line(room)]).isAccepted)
    #expect(!parsed([start, line(room + 1)]).isAccepted)
    #expect(!parsed([start, line(room - 1), [13, 10]]).isAccepted)
    #expect(parsed([start, line(room - 2), [13, 10], start, line(room - 2), [13, 10]]).isAccepted)
    #expect(!parsed([start] + Array(repeating: line(1000), count: room / 1000 + 1)).isAccepted)
  }
}
