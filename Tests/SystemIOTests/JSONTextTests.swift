import Foundation
import SystemIO
import TestSupport
import Testing

@Suite("JSON text", .timeLimit(.minutes(8)))
struct JSONTextTests {
  private struct Value: Encodable {
    var b = "a/b"
    var a = 1
  }

  @Test("members are sorted and slashes stay, on one line or one line each")
  func encoding() throws {
    #expect(String(decoding: try JSONText.encoded(Value()), as: UTF8.self) == #"{"a":1,"b":"a/b"}"#)
    let pretty = String(decoding: try JSONText.encoded(Value(), pretty: true), as: UTF8.self)
    #expect(pretty.split(separator: "\n").count == 4 && pretty.contains(#""b" : "a/b""#))
    #expect(throws: EncodingError.self) { try JSONText.encoded(Double.nan) }
  }

  @Test(
    "quotes, backslashes and control characters are escaped, and nothing else",
    arguments: [
      ("", #""""#), (#"a"b\c"#, #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
      ("\0\u{1F}\u{7F}", #""\u0000\u001f\u007f""#),
      ("é/\u{301}😀", "\"é/\u{301}😀\""),
    ])
  func quoting(text: String, expected: String) {
    #expect(JSONText.quoted(text) == expected)
    var bytes = Array("x".utf8)
    JSONText.append(text, to: &bytes)
    #expect(bytes == Array("x".utf8) + Array(expected.utf8))
  }

  @Test("any text is read back as it was by another reader of JSON")
  func roundTrip() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<1000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...10, using: &random) {
        text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random)) ?? "x")
      }
      let read = try JSONDecoder().decode(String.self, from: Data(JSONText.quoted(text).utf8))
      #expect(Array(read.utf8) == Array(text.utf8), "seed \(seed)")
    }
  }
}
