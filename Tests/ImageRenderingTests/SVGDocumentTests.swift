import Foundation
import TestSupport
import Testing

@testable import ImageRendering

@Suite("An SVG", .timeLimit(.minutes(8)))
struct SVGDocumentTests {
  private static func svg(_ inside: String, _ attributes: String = "") -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"20\""
      + " height=\"10\" \(attributes)>\(inside)</svg>"
  }

  private static func rewritten(_ text: String) throws(RenderError) -> String {
    String(decoding: try SVGDocument.rewritten(Array(text.utf8)), as: UTF8.self)
  }

  @Test(
    "that refers to something outside is refused, however the reference is written",
    arguments: [
      "<image href=\"a.png\"/>", "<image href='a.png'/>", "<image xlink:href=\"a.png\"/>",
      "<image href=\">/../red.png\"/>", "<image href=\"&#62;/../red.png\"/>", "<image href=\" a.png \"/>",
      "<image href=\"\n\ta.png\"/>", "<image href = \"a.png\"/>", "<image\nhref\n=\n\"a.png\"/>",
      "<image href=\"&#x61;.png\"/>", "<image x:href=\"http://a/\"/>", "<use href=\"b.svg#x\"/>",
      "<image HREF=\"a.png\"/>", "<image href=\"file:///etc/passwd\"/>", "<image href=\"//host/a\"/>",
      "<feImage href=\"a.png\"/>", "<tref xlink:href=\"a\"/>", "<textPath href=\"a#b\"/>",
      "<rect fill=\"url(a.svg#x)\"/>", "<rect fill=\"url('a.svg#x')\"/>", "<rect fill=\"URL( a.svg#x)\"/>",
      "<rect style=\"fill:url(a.svg#x)\"/>", "<rect style=\"fill:u\\72l(a.svg#x)\"/>",
      "<rect style=\"fill:\\75 \\72 \\6c(a.svg#x)\"/>", "<rect style=\"fill:&#117;rl(a.svg#x)\"/>",
      "<style>@import 'a.css';</style>", "<style>@\\69mport 'a.css';</style>",
      "<style><![CDATA[@import 'a.css';]]></style>", "<style>@im<![CDATA[port]]> 'a.css';</style>",
      "<style>@im<!-- -->port 'a.css';</style>", "<style>rect { fill: url(/**/a.svg) }</style>",
      "<s:style>@import 'a'</s:style>", "<style>rect { fill: url(\"a.svg\") }</style>",
      "<i:include xmlns:i=\"http://www.w3.org/2001/XInclude\" href=\"&gt;/../.env\" parse=\"text\"/>",
      "<i:include xmlns:i=\" http://www.w3.org/2001/XInclude\"/>",
    ])
  func outside(inside: String) throws {
    let error = #expect(throws: RenderError.self) { try Self.rewritten(Self.svg(inside)) }
    #expect(error?.code == .externalReference)
  }

  @Test(
    "with entities, a style sheet beside it or another encoding is refused",
    arguments: [
      "<!DOCTYPE svg [<!ENTITY x SYSTEM \"/etc/passwd\">]>", "<!DOCTYPE svg [ %x; ]>",
      "<!DOCTYPE svg [<!-- ]> --><!ENTITY x \"y\">]>", "<?xml-stylesheet href=\"a.css\"?>",
      "<?xml version=\"1.0\" encoding=\"UTF-7\"?>", "<?xml version='1.0' encoding = 'UTF-16'?>",
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "<?xml version=\"1.0\" encoding=\"\"?>",
    ])
  func prologue(prologue: String) throws {
    let error = #expect(throws: RenderError.self) { try Self.rewritten(prologue + Self.svg("")) }
    #expect(error?.code == .externalReference)
  }

  @Test("in UTF-16 or with other bytes than UTF-8 is refused")
  func encodings() throws {
    let text = Self.svg("")
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32] {
      let bytes = try #require(text.data(using: encoding))
      #expect(throws: RenderError.self) { try SVGDocument.rewritten(Array(bytes)) }
    }
    #expect(throws: RenderError.self) { try SVGDocument.rewritten(Array(text.utf8) + [0xFF]) }
  }

  @Test(
    "that isn't well-formed is damaged, and one that ends early is truncated",
    arguments: [
      ("<rect x=1/>", "corrupt"), ("<rect x=\"1\"y=\"2\"/>", "corrupt"), ("<rect", "corrupt"),
      ("<rect x=\"<\"/>", "corrupt"), ("&unknown;", "corrupt"), ("& ", "corrupt"), ("&#0;", "corrupt"),
      ("<!-- ", "corrupt"), ("<a></b>", "corrupt"), ("</a>", "corrupt"), ("<rect x/>", "corrupt"),
      ("<g>", "corrupt"), ("<![CDATA[", "corrupt"), ("<>", "corrupt"), ("< rect/>", "corrupt"),
    ])
  func malformed(inside: String, code: String) throws {
    let error = #expect(throws: RenderError.self) { try Self.rewritten(Self.svg(inside)) }
    #expect(error?.code.rawValue == code)
    #expect(throws: RenderError.self) { try Self.rewritten("<svg><g></g>") }
  }

  @Test("keeps what it means, and loses what the decoder doesn't need")
  func kept() throws {
    let inside = """
      <defs><linearGradient id="g"/></defs><rect fill="url(#g)" style="stroke: url( '#g' )"/>\
      <use xlink:href="#g"/><image href="data:image/png;base64,AAAA"/><text>a &lt; b &amp; "c" &#228;\u{E4}</text>\
      <style>text { font-family: '\\65b0' }</style>
      """
    #expect(
      try Self.rewritten(Self.svg(inside))
        == Self.svg(inside.replacing("&#228;", with: "\u{E4}"))
        .replacing(" >", with: ">"))
    let odd = "<?xml version='1.0' encoding='utf-8'?><!DOCTYPE svg PUBLIC \"a>b\" 'c'><!-- c --><?php x?>"
    #expect(
      try Self.rewritten("\u{FEFF}" + odd + "<svg><a href='http://x/'>t</a><b xml:base='/'/></svg>")
        == "<svg><a>t</a><b/></svg>")
    #expect(try Self.rewritten("<s x='&quot;&#10;\n'>\r</s>") == "<s x=\"&quot;&#10; \">&#13;</s>")
  }

  @Test("rewritten twice is the same, and no random damage ends anything but in an error")
  func damage() throws {
    let seed = SeededRandom.seed
    print("SVG seed: \(seed)")
    var random = SeededRandom(seed: seed)
    let whole = Array(
      ("<?xml version='1.0'?><!DOCTYPE svg><!-- x -->"
        + Self.svg("<style><![CDATA[a{fill:url(#b)}]]></style><a xlink:href='#c'>x&amp;y</a><b c='&#x20;'/>"))
        .utf8)
    let pieces = [
      "<", ">", "\"", "'", "&", ";", "]]>", "<!--", "<![CDATA[", "<?", "href=", "url(", "=", "/>",
    ]
    for _ in 0..<4000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 5))
        default: bytes.insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: place)
        }
      }
      guard let once = try? SVGDocument.rewritten(bytes) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(try SVGDocument.rewritten(once) == once, "seed \(seed): \(text)")
    }
  }

  @Test("whose embedded SVG names a file draws nothing of it")
  func nested() throws {
    let fixture = try RenderingFixture()
    let red = try fixture.save(
      RenderingFixture.waves(8, 8).linear([0, 0, 0], [255, 0, 0]), "pngsave", "red.png")
    for reference in ["file://\(red)", red, (red as NSString).lastPathComponent] {
      let inner = Self.svg("<image xlink:href=\"\(reference)\" width=\"20\" height=\"10\"/>")
      let data = "data:image/svg+xml;base64," + Data(inner.utf8).base64EncodedString()
      let text = Self.svg(
        "<rect width=\"20\" height=\"10\" fill=\"#0000ff\"/><image xlink:href=\"\(data)\" width=\"20\" height=\"10\"/>"
      )
      let path = try fixture.write(Array(text.utf8), "a.svg")
      var request = try fixture.request(path, [try fixture.recipe(1, "", "png")])
      request.limits.allowedFormats = ["svg"]
      let file = Renderer().render(request)
      guard file.failure(1) == nil else { continue }
      let image = try fixture.open(#require(request.recipes.first).temporaryPath)
      #expect(try Array(image.pixels().prefix(3)) == [0, 0, 255])
    }
  }
}
