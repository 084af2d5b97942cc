import TestSupport
import Testing

@testable import Curl

@Suite("Header fields", .timeLimit(.minutes(8)))
struct HeaderFieldTests {
  private let fields = [
    HeaderField("Accept", "image/*"), HeaderField("VARY", "a"), HeaderField("Via", "x"),
    HeaderField("vary", "b"),
    HeaderField("Vary", ""),
  ]

  @Test(
    "are named without regard to the case of letters, and of letters alone",
    arguments: [
      ("ETag", "etag", true), ("ETag", "ETAG", true), ("ETag", "ETa", false), ("ETag", "ETagg", false),
      ("", "", true), ("a", "", false), ("X[", "x{", false), ("X-A", "x\ra", false), ("Ä", "ä", false),
      ("@", "`", false),
    ])
  func names(name: String, other: String, isSame: Bool) {
    #expect(HeaderField(name, "").isNamed(other) == isSame)
    #expect(HeaderField(other, "").isNamed(name) == isSame)
  }

  @Test("are found in their order, all or the first or joined")
  func found() {
    #expect(fields.values(of: "vary") == ["a", "b", ""])
    #expect(fields.first("Vary") == "a")
    #expect(fields.combined("VARY") == "a, b, ")
    #expect(
      fields.values(of: "etag").isEmpty && fields.first("etag") == nil && fields.combined("etag") == nil)
  }

  @Test("are set once, whatever there was, and the others stay in their order")
  func set() {
    var changed = fields
    changed.set("vary", "c")
    #expect(changed.map(\.value) == ["image/*", "x", "c"] && changed.values(of: "Vary") == ["c"])
    changed.set("New", "d")
    #expect(changed.map(\.name) == ["Accept", "Via", "vary", "New"])
    changed.remove("VIA")
    changed.remove("nothing")
    #expect(changed.map(\.name) == ["Accept", "vary", "New"])
  }

  @Test("set and removed at random are what a list of pairs says")
  func model() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var fields: [HeaderField] = []
    var model: [(name: String, value: String)] = []
    for step in 0..<2000 {
      let name = ["a", "B", "c-d", "C-D", "b", "A"][Int.random(in: 0..<6, using: &random)]
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        fields.set(name, "\(step)")
        model.removeAll { $0.name.lowercased() == name.lowercased() }
        model.append((name, "\(step)"))
      case 1:
        fields.remove(name)
        model.removeAll { $0.name.lowercased() == name.lowercased() }
      default:
        fields.append(HeaderField(name, "\(step)"))
        model.append((name, "\(step)"))
      }
      let values = model.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
      #expect(fields.values(of: name.uppercased()) == values, "seed \(seed), step \(step)")
      #expect(fields.first(name) == values.first)
      #expect(fields.combined(name) == (values.isEmpty ? nil : values.joined(separator: ", ")))
    }
  }
}
