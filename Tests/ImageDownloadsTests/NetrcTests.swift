import TestSupport
import Testing

@testable import ImageDownloads

@Suite("Credentials of a netrc file", .timeLimit(.minutes(8)))
struct NetrcTests {
  private func credential(_ text: String, _ host: String = "a.example") -> String? {
    Netrc(parsing: text).credential(for: host).map { "\($0.user):\($0.password)" }
  }

  @Test(
    "are read in every form that the file takes",
    arguments: [
      ("machine a.example login ada password pw", "ada:pw"),
      ("machine a.example\n\tlogin ada\n\tpassword pw\n", "ada:pw"),
      ("machine a.example\r\nlogin ada\r\npassword pw\r\n", "ada:pw"),
      ("machine A.Example login ada", "ada:"),
      ("machine a.example password pw login ada", "ada:pw"),
      ("machine a.example account x login ada password pw", "ada:pw"),
      ("# machine a.example login no\nmachine a.example login ada password pw # x", "ada:pw"),
      ("machine a.example login \"\u{301}a b\" password \u{301}#", "\u{301}a b:\u{301}#"),
      ("machine a.example login machine password macdef\n", "machine:macdef"),
      ("machine a.example login \"a b\" password \"p\\\"w\\\\#\"", "a b:p\"w\\#"),
      ("default login any password no\nmachine a.example login ada password pw", "ada:pw"),
      ("default login any password no", "any:no"),
      ("machine b.example login b password b\ndefault login any", "any:"),
      ("machine a.example password pw", nil),
      ("machine a.example login ada\nmachine a.example login bob", "ada:"), ("", nil),
      ("login ada password pw", nil), ("machine", nil),
      ("machine a.example login", nil),
      ("macdef init\nmachine a.example login no\n\nmachine a.example login ada", "ada:"),
      ("macdef init\r\nmachine a.example login no\r\n\r\nmachine a.example login ada", "ada:"),
      ("machine a.example login ada macdef x\nlogin no\n\npassword pw", "ada:pw"),
      ("machine a.example login é password 日本", "é:日本"),
    ] as [(String, String?)])
  func forms(text: String, expected: String?) { #expect(credential(text) == expected) }

  @Test("any entries, in any spelling: the first of a host is its own")
  func random() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      var text = ""
      var expected: [String: String] = [:]
      let separators = [" ", "\n", "\t", "\r\n", "\n  ", " # a comment\n"]
      for entry in 0..<Int.random(in: 0...6, using: &random) {
        let host = "h\(Int.random(in: 0...3, using: &random)).example"
        func gap() -> String { separators.randomElement(using: &random) ?? " " }
        func word(_ word: String) -> String { Bool.random(using: &random) ? word : "\"\(word)\"" }
        text +=
          "machine" + gap() + word(host) + gap() + "login" + gap() + word("u\(entry)") + gap() + "password"
        text += gap() + word("p\(entry)") + gap()
        expected[host] = expected[host] ?? "u\(entry):p\(entry)"
      }
      for host in 0...4 {
        #expect(
          credential(text, "h\(host).example") == expected["h\(host).example"], "seed \(seed):\n\(text)")
      }
    }
  }
}
