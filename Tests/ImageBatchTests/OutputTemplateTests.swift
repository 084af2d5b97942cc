import ImageCaches
import ImageRendering
import TestSupport
import Testing

@testable import ImageBatch

@Suite("Output templates", .timeLimit(.minutes(8)))
struct OutputTemplateTests {
  private func values(name: String = "ada", index: Int = 7) -> OutputTemplate.Values {
    OutputTemplate.Values(
      name: name, host: "cdn.example.com", path: "team/photos", index: index, format: .jpeg,
      filter: "fill:size=100x100:gravity=centre,circle")
  }

  @Test(
    "fields are filled in",
    arguments: [
      ("{name}.{ext}", "ada.jpg"),
      ("{index:05}-{host}.png", "00007-cdn.example.com.png"),
      ("{path}/{name}.png", "team_photos/ada.png"),
      ("a{{b}}/{format}", "a{b}/jpeg"),
      ("{filter}.png", "fill-size-100x100-gravity-centre-circle.png"),
      ("{slug}/{name}", "ada_lovelace/ada"),
    ])
  func expansion(template: String, expected: String) throws {
    let path = try OutputTemplate(parsing: template).expanded(values(), variables: ["slug": "ada/lovelace"])
    #expect(path == expected)
  }

  @Test("a variable comes before the built-in name")
  func variablesFirst() throws {
    let template = try OutputTemplate(parsing: "{name}-{width}.png")
    #expect(template.expanded(values(), variables: ["width": "400", "name": "x"]) == "x-400.png")
    #expect(!template.needsRendering(variables: ["width": "400"]))
  }

  @Test("values that the rendering gives are awaited")
  func laterValues() throws {
    let template = try OutputTemplate(parsing: "{hash:8}-{width}x{height}-{source-hash}.png")
    var values = values()
    #expect(template.expanded(values, variables: [:]) == nil)
    values.sourceDigest = ContentDigest(hashing: "source".utf8)
    #expect(template.expanded(values, variables: [:]) == nil)
    let digest = ContentDigest(hashing: "output".utf8)
    values.rendered = (30, 20, digest)
    let source = ContentDigest(hashing: "source".utf8).hex.prefix(16)
    #expect(template.expanded(values, variables: [:]) == "\(digest.hex.prefix(8))-30x20-\(source).png")
  }

  @Test(
    "a value stays one component of the path",
    arguments: [
      ("../../etc/passwd", "x/______etc_passwd.png"), ("..", "x/__.png"), (".hidden", "x/_hidden.png"),
      ("a\u{0}b\nc", "x/a_b_c.png"), ("a\\b", "x/a_b.png"),
    ])
  func hostileValues(name: String, expected: String) throws {
    let path = try OutputTemplate(parsing: "x/{name}.png").expanded(values(name: name), variables: [:])
    #expect(path?.split(separator: "/").count == 2)
    #expect(path?.hasPrefix("x/.") == false)
    #expect(path == expected)
  }

  @Test(
    "mistakes are found where they are",
    arguments: [
      ("a{name", 1), ("a}b", 1), ("{}", 0), ("{index:x}", 0), ("ab{hash:2}", 2), ("{name:3}", 0), ("", 0),
    ])
  func mistakes(template: String, offset: Int) {
    let error = #expect(throws: TemplateError.self) { try OutputTemplate(parsing: template) }
    #expect(error?.offset == offset)
  }

  @Test(
    "the extension is what the text ends with",
    arguments: [
      ("a.png", "png"), ("{name}.JPG", "JPG"), ("{name}.{ext}", nil), ("dir.d/{name}", nil), (".png", nil),
      ("dir/.png", nil), ("{name}", nil), ("a.b/c", nil),
    ] as [(String, String?)])
  func pathExtension(template: String, expected: String?) throws {
    #expect(try OutputTemplate(parsing: template).literalPathExtension == expected)
  }

  @Test("two long chains have two file names")
  func longIdentifiers() throws {
    let template = try OutputTemplate(parsing: "{filter}")
    let long = String(repeating: "blur:radius=1,", count: 40)
    func name(_ filter: String) -> String? {
      var values = values()
      values.filter = filter
      return template.expanded(values, variables: [:])
    }
    let names = [name(long + "circle"), name(long + "square")]
    #expect(names[0] != names[1])
    #expect(names.allSatisfy { ($0?.utf8.count ?? 999) <= 100 })
  }

  @Test("a path is filled in as its parts say, and its values stay one component each")
  func templates() throws {
    let seed = SeededRandom.seed
    var random = RandomValues(seed: seed)
    for _ in 0..<500 {
      var text = ""
      var parts: [(isValue: Bool, text: String)] = []
      let variables = [
        "a": random.text(), "b": random.text(), "c": String(repeating: ".", count: random.int(0...3)),
      ]
      for _ in 0..<random.int(1...6) {
        switch random.int(0...2) {
        case 0:
          let literal = random.element(["x", "dir/", "{", "}", "é", "-", ".", "{{"])
          text += literal.replacing("{", with: "{{").replacing("}", with: "}}")
          parts.append((false, literal))
        default:
          let name = random.element(["a", "b", "c"])
          text += "{\(name)}"
          parts.append((true, variables[name] ?? ""))
        }
      }
      let template = try OutputTemplate(parsing: text)
      let values = OutputTemplate.Values(name: "n", host: "h", path: "p", index: 1, format: .png, filter: "")
      let path = try #require(template.expanded(values, variables: variables))
      let slashes = parts.reduce(0) { $0 + ($1.isValue ? 0 : $1.text.utf8.count { $0 == UInt8(ascii: "/") }) }
      #expect(path.utf8.count { $0 == UInt8(ascii: "/") } == slashes, "seed \(seed): \(text)")
      #expect(!path.unicodeScalars.contains { $0.properties.generalCategory == .control }, "seed \(seed)")
      let length = parts.reduce(0) { $0 + $1.text.unicodeScalars.count }
      #expect(path.unicodeScalars.count == length, "seed \(seed): every scalar stands for one")
      #expect(template.fields.map(\.name).allSatisfy { variables[$0] != nil })
      #expect(template.unknownFields(variables: ["a", "b", "c"]).isEmpty)
      for field in template.fields {
        #expect(
          text.utf8.dropFirst(field.offset).starts(with: "{\(field.name)}".utf8), "seed \(seed): \(text)")
      }
    }
  }
}
