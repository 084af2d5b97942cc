import TerminalText
import Testing

@Suite("A page's plain text", .timeLimit(.minutes(8)))
struct PlainPageTests {
  @Test(
    "has mdoc's spaces, brackets and hyphens",
    arguments: [
      ("Fl f , Fl \\-filter Ar chain", "-f, --filter chain"),
      ("Op Ar options", "[options]"),
      ("Pq or Pa .yml , .json", "(or .yml, .json)"),
      ("Xr imagemill-run 1 ,", "imagemill-run(1),"),
      ("Ql %2C %3A .", "'%2C %3A'."),
      ("Ar key Ns = Ns Ar value .", "key=value."),
      ("Fl H , Fl \\-header Ar \"name: value\"", "-H, --header name: value"),
    ])
  func lines(mdoc: String, text: String) {
    #expect(PlainLine.text(mdoc) == text)
  }

  @Test("has headings, lists with indented text, and displays as they stand")
  func page() {
    let page = """
      .\\" A comment.
      .Dd May 1, 2026
      .Dt EXAMPLE 1
      .Os
      .Sh NAME
      .Nm example
      .Nd shows a page
      .Sh OPTIONS
      .Bl -tag -width Ds
      .It Fl q
      Say less.
      .El
      .Pp
      An example:
      .Bd -literal
      one  two
      .Ed
      """
    #expect(
      PlainPage.text(of: page).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        == [
          "EXAMPLE(1)", "", "NAME", "    example - shows a page", "", "OPTIONS", "", "    -q",
          "        Say less.", "", "    An example:", "", "        one  two", "",
        ])
  }

  @Test("is filled to its width, and no word is lost")
  func filling() {
    let words = (1...200).map { "word\($0)" }
    let text = PlainPage.text(of: ".Sh NAME\n" + words.joined(separator: "\n"))
    let lines = text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= PlainPage.width })
    #expect(lines.dropFirst().flatMap { $0.split(separator: " ").map(String.init) } == words)
  }
}
