import SystemIO
import Testing

@Suite("Replaced scalars", .timeLimit(.minutes(8)))
struct ScalarReplacementTests {
  @Test(
    "are found before combining marks too, and nothing else is changed",
    arguments: [
      ("", ""), ("a", "a"), ("{", "{{"), ("a{b{", "a{{b{{"), ("{\u{301}", "{{\u{301}"),
      ("e\u{301}", "e\u{301}"),
    ])
  func braces(text: String, expected: String) {
    #expect(text.replacing(scalar: "{", with: "{{").unicodeScalars.elementsEqual(expected.unicodeScalars))
  }
}
