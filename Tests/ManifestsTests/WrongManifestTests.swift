import Manifests
import Testing

@Suite("Wrong manifests", .timeLimit(.minutes(8)))
struct WrongManifestTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var form = ManifestReader.Form.yaml
    var complaint: String

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "an unknown filter",
      text: "imagemill: 1\njobs:\n  - source: a.png\n    filter: fill:10x10,crcle\n    output: b.png\n",
      complaint: """
        images.yaml:4:24: error: unknown filter 'crcle' (did you mean 'circle'?)
            filter: fill:10x10,crcle
                               ^
        """),
    Case(
      name: "an unknown key",
      text: "imagemill: 1\njobs:\n  - souce: a.png\n    source: a.png\n    output: b.png\n",
      complaint: """
        images.yaml:3:5: error: unknown key 'souce' in a job (did you mean 'source'?)
          - souce: a.png
            ^
        """),
    Case(
      name: "no version",
      text: "jobs:\n  - {source: a.png, output: b.png}\n",
      complaint: """
        images.yaml:1:1: error: a manifest needs 'imagemill': the format's version, which is 1
        jobs:
        ^
        """),
    Case(
      name: "another version",
      text: "imagemill: 2\njobs: [{source: a.png, output: b.png}]\n",
      complaint: """
        images.yaml:1:12: error: unsupported manifest version '2': write 'imagemill: 1', or update imagemill
        imagemill: 2
                   ^
        """),
    Case(
      name: "a duplicate key and what comes after it",
      text: "imagemill: 1\njobs:\n  - source: a.png\n    source: b.png\n    output: [c.png]\n",
      complaint: """
        images.yaml:4:5: error: duplicate key 'source' (first in line 3): remove one of them
            source: b.png
            ^
        images.yaml:5:13: error: 'output' must be a string, not a list
            output: [c.png]
                    ^
        """),
    Case(
      name: "chains in a circle",
      text: "imagemill: 1\nfilters: {a: 'flip,b', b: a}\njobs: [{source: a.png, output: b.png}]\n",
      complaint: """
        images.yaml:2:11: error: the named chains form a cycle: a → b → a
        filters: {a: 'flip,b', b: a}
                  ^
        """),
    Case(
      name: "a chain with a filter's name",
      text: "imagemill: 1\nfilters: {circle: flip}\njobs: [{source: a.png, output: b.png}]\n",
      complaint: """
        images.yaml:2:11: error: 'circle' is a built-in filter: give the chain another name
        filters: {circle: flip}
                  ^
        """),
    Case(
      name: "a template's name that nothing defines",
      text: "imagemill: 1\njobs: [{source: a.png, output: \"x/{nmae}.png\"}]\n",
      complaint: """
        images.yaml:2:35: error: unknown field '{nmae}' (did you mean 'name'?)
        jobs: [{source: a.png, output: "x/{nmae}.png"}]
                                          ^
        """),
    Case(
      name: "a path outside the directory",
      text: "imagemill: 1\njobs: [{source: ../../../../../../../../etc/passwd, output: b.png}]\n",
      complaint: """
        images.yaml:2:17: error: '../../../../../../../../etc/passwd' is outside the manifest's directory: move it inside, or allow it
        jobs: [{source: ../../../../../../../../etc/passwd, output: b.png}]
                        ^
        """),
    Case(
      name: "two outputs with one path",
      text:
        "imagemill: 1\njobs:\n  - {source: a.png, output: x.png}\n  - {source: b.png, output: ./x.png}\n",
      complaint: """
        images.yaml:4:5: error: two outputs have the path 'x.png' (first in line 3): rename one, or use a field that differs, such as {index}, {width} or a variable
          - {source: b.png, output: ./x.png}
            ^
        """),
    Case(
      name: "a variable of the environment outside of origins",
      text: "imagemill: 1\njobs: [{source: 'https://a.example/${HOME}', output: b.png}]\n",
      complaint: """
        images.yaml:2:36: error: '${HOME}': environment variables can be used only under 'origins'
        jobs: [{source: 'https://a.example/${HOME}', output: b.png}]
                                           ^
        """),
    Case(
      name: "a variable that isn't allowed, without its line",
      text:
        "imagemill: 1\norigins:\n  https://a.example: {user: 'x:hunter2${PASS}'}\njobs: [{source: a.png, output: b.png}]\n",
      complaint: """
        images.yaml:3:29: error: '${PASS}' isn't allowed: allow PASS
        """),
    Case(
      name: "a caret behind wide characters and a tab in JSON",
      text: "{\"imagemill\": 1, \"jobs\": [\n\t{\"output\": \"猫🐈.png\", \"sorce\": 1, \"source\": \"a\"}]}\n",
      form: .json,
      complaint: """
        images.json:2:23: error: unknown key 'sorce' in a job (did you mean 'source'?)
        \t{"output": "猫🐈.png", "sorce": 1, "source": "a"}]}
        \t                       ^
        """),
    Case(
      name: "JSON with a comma too many",
      text: "{\"imagemill\": 1, \"jobs\": [],}",
      form: .json,
      complaint: """
        images.json:1:29: error: not JSON: extra comma before '}': remove it
        {"imagemill": 1, "jobs": [],}
                                    ^
        """),
    Case(
      name: "TOML with a bare text",
      text: "imagemill = 1\n[[jobs]]\nsource = a.png\n",
      form: .toml,
      complaint: """
        images.toml:3:10: error: not TOML: 'a.png' isn't a TOML value: put strings in quotes
        source = a.png
                 ^
        """),
    Case(
      name: "an unquoted colon in YAML",
      text: "imagemill: 1\njobs:\n  - source: a: b\n",
      complaint: """
        images.yaml:3:14: error: not YAML: mapping values are not allowed in this context; put a string with ': ' in quotes
          - source: a: b
                     ^
        """),
    Case(
      name: "jobs without outputs, and outputs beside an output",
      text:
        "imagemill: 1\njobs:\n  - source: a.png\n  - {source: a.png, output: x.png, outputs: [{output: y.png}]}\n",
      complaint: """
        images.yaml:3:5: error: a job needs 'output' or 'outputs'
          - source: a.png
            ^
        images.yaml:4:21: error: 'output' can't be used with 'outputs': move it into a member of 'outputs'
          - {source: a.png, output: x.png, outputs: [{output: y.png}]}
                            ^
        """),
  ]

  @Test(arguments: cases) func `each names the place, the problem and the remedy`(_ wrong: Case) {
    #expect(ManifestFixture.complaints(wrong.text, form: wrong.form) == wrong.complaint)
  }

  @Test func `a format that contradicts the extension is told at its place`() {
    let complaint = ManifestFixture.complaints(
      "imagemill: 1\njobs:\n  - source: a.png\n    output: b.png\n    format: webp\n")
    #expect(complaint.hasPrefix("images.yaml:5:13: error: "))
    #expect(complaint.contains("webp"))
  }

  @Test(arguments: ["x: [*a12]", "? [*a12]\n: x", "x: {[*a12]: 1, [*a11]: 2}"])
  func `a billion laughs are refused at once, as values and as keys`(_ use: String) {
    var text = "imagemill: 1\nx0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
    for level in 1...12 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "x\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(ManifestFixture.complaints(text + use).contains("the aliases expand to too many values"))
  }

  @Test func `a few aliases are as good as what they stand for`() throws {
    let manifest = try ManifestFixture.read(
      """
      imagemill: 1
      jobs:
        - {source: a.png, output: "a*.png", filter: &round circle, variables: &v {n: 1 * 2}}
        - {source: b.png, output: "{n}.png", filter: *round, variables: *v}
      """)
    #expect(manifest.jobs.map { $0.outputs[0].template.text } == ["a*.png", "{n}.png"])
    #expect(manifest.jobs[0].outputs[0].chain == manifest.jobs[1].outputs[0].chain)
    #expect(manifest.jobs[1].outputs[0].variables == ["n": "1 * 2"])
  }

  @Test func `an alias without its anchor and a tag are told at their places`() {
    #expect(
      ManifestFixture.complaints("imagemill: 1\njobs: *x\n").hasPrefix(
        "images.yaml:2:7: error: no anchor '&x' before this alias"))
    #expect(
      ManifestFixture.complaints("imagemill: 1\njobs: [{source: !env HOME, output: a.png}]\n").hasPrefix(
        "images.yaml:2:17: error: tags are not supported: remove '!env'"))
  }

  @Test(arguments: [ManifestReader.Form.yaml, .json, .toml])
  func `deep nesting is refused`(_ form: ManifestReader.Form) {
    let brackets = String(repeating: "[", count: 100_000)
    let text = form == .toml ? "imagemill = 1\njobs = \(brackets)" : "{\"jobs\": \(brackets)"
    #expect(ManifestFixture.complaints(text, form: form).contains("nested more than 64 deep"))
  }

  @Test func `a file that isn't UTF-8 is refused by line`() {
    let bytes = Array("imagemill: 1\njobs: [{source: caf".utf8) + [0xE9] + Array(".png}]\n".utf8)
    let error = #expect(throws: ManifestErrors.self) {
      try ManifestReader().read(bytes, name: "m.yaml", form: .yaml)
    }
    #expect(error?.diagnostics.map { "\($0.line):\($0.column)" } == ["2:20"])
  }

  @Test func `a diagnostic shows neither a token nor the password of a URL`() {
    let complaint = ManifestFixture.complaints(
      "imagemill: 1\njobs:\n  - {source: 'https://bob:hunter2@a.example/x.png', outptu: b.png, output: c.png}\n"
    )
    #expect(complaint.contains("did you mean 'output'"))
    #expect(!complaint.contains("hunter2"))
  }
}
