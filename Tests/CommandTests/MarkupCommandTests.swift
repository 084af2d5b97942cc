import Foundation
import LoopbackServer
import Testing

@Suite("Markup of the built command", .timeLimit(.minutes(8)))
struct MarkupCommandTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 400, height: 200), to: "a.png")
  }

  private func emitted(_ markup: String, variables: String = "{title: \"a <b> & \\\"c\\\"\"}") async throws
    -> String
  {
    try command.write(
      """
      imagemill: 1
      defaults:
        markup: {sizes: 50vw, loading: lazy}
      jobs:
        - source: ./a.png
          variables: \(variables)
          outputs:
            - output: "img/a b-{width}.{ext}"
              filter: "scale:{width}x"
              matrix: {width: [100, 200], format: [webp, jpeg]}
              markup: \(markup)

      """, to: "m.yaml")
    let outcome = try await command.run("run", "-q", "-C", "public", "--emit", "picture=-", "m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.text
  }

  @Test("has what the manifest says, each key from where it is nearest, and everything escaped")
  func said() async throws {
    #expect(
      try await emitted("{alt: \"{title}\", url-prefix: \"https://cdn.example.com/x?a=1&p=\"}") == """
        <picture>
          <source type="image/webp" srcset="https://cdn.example.com/x?a=1&amp;p=img/a%20b-100.webp 100w, https://cdn.example.com/x?a=1&amp;p=img/a%20b-200.webp 200w" sizes="50vw">
          <img src="https://cdn.example.com/x?a=1&amp;p=img/a%20b-200.jpg" srcset="https://cdn.example.com/x?a=1&amp;p=img/a%20b-100.jpg 100w, https://cdn.example.com/x?a=1&amp;p=img/a%20b-200.jpg 200w" sizes="50vw" width="200" height="100" loading="lazy" alt="a &lt;b&gt; &amp; &quot;c&quot;">
        </picture>

        """)
  }

  @Test("takes the text from a variable of that name where nothing else says it")
  func variable() async throws {
    let text = try await emitted("{loading: eager}", variables: "{alt: \"Ada's <hat>\"}")
    #expect(text.contains("loading=\"eager\" alt=\"Ada&#39;s &lt;hat&gt;\">"), "\(text)")
  }

  @Test("shows a placeholder as background")
  func placeholder() async throws {
    let color = try await emitted("{placeholder: color}")
    #expect(color.contains(#/ style="background:#[0-9a-f]{6}" /#), "\(color)")
    let image = try await emitted("{placeholder: image}")
    #expect(
      image.contains(
        #/ style="background:url\(data:image/[a-z]+;base64,[A-Za-z0-9+/=]+\) center/cover no-repeat" /#),
      "\(image)")
  }

  @Test("reaches the rows of a table, whose columns are variables")
  func rows() async throws {
    try command.write("file,title\na.png,Ada\n", to: "t.csv")
    try command.write(
      """
      imagemill: 1
      jobs:
        - from: t.csv
          source: "{file}"
          output: "{title}.webp"
          markup: {alt: "{title}!", placeholder: color}

      """, to: "m.yaml")
    let outcome = try await command.run("run", "-q", "--emit", "srcset=-", "m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.text.wholeMatch(
        of: #/<img src="Ada.webp" width="400" height="200" style="background:#[0-9a-f]{6}" alt="Ada!">\n/#)
        != nil,
      "\(outcome.text)")
  }

  @Test("is a template of one's own, whose fields are escaped")
  func template() async throws {
    let text = try await emitted(
      "{alt: \"{title}\", template: '<figure data-n=\"{title}\">{img}<p>{width}×{height} {{x}} {type}</p></figure>'}"
    )
    #expect(
      text.hasPrefix(
        "<figure data-n=\"a &lt;b&gt; &amp; &quot;c&quot;\"><img src=\"public/img/a%20b-200.jpg\""))
    #expect(text.hasSuffix("<p>200×100 {x} image/jpeg</p></figure>\n"), "\(text)")
  }

  @Test(
    "has every mistake told at its place",
    arguments: [
      ("{alt: \"{titel}\"}", "m.yaml:11:24: error: unknown field '{titel}' (did you mean 'title'?)"),
      ("{loading: later}", "'loading' must be 'lazy' or 'eager', not 'later'"),
      ("{placeholder: blur}", "not 'blur'"),
      ("{url-prefix: \"a b\"}", "'url-prefix' must be the beginning of a URL"),
      ("{template: \"{scr}\"}", "nothing defines '{scr}' here (did you mean 'src'?)"),
      ("{template: \"{src\"}", "unmatched '{'"),
      ("{color: red}", "unknown key 'color' in 'markup'"),
    ])
  func wrong(markup: String, complaint: String) async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: ./a.png
          variables: {title: x}
          outputs:
            - output: "a-{width}.{ext}"
              filter: "scale:{width}x"
              matrix:
                width: [100, 200]
                format: [webp, jpeg]
              markup: \(markup)

      """, to: "m.yaml")
    let outcome = try await command.run("validate", "m.yaml")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(complaint), "\(outcome.errors)")
  }
}
