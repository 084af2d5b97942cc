import Testing

@testable import Manifests

/// Every kind of mistake at its place, in every form, and all of them in one round.
@Suite("Mistakes and their places", .timeLimit(.minutes(8)))
struct MistakeTableTests {
  private func places(_ text: String, _ form: ManifestReader.Form) -> [[Int]] {
    do throws(ManifestErrors) {
      _ = try ManifestFixture.read(text, form: form)
      return []
    } catch {
      return error.diagnostics.map { [$0.line, $0.column] }
    }
  }

  /// A job's member that is wrong: where the mistake is, behind the member's own place.
  static let members: [(name: String, yaml: String, column: Int)] = [
    ("unknown key", "souce: x", 0), ("a number for a text", "output: 3", 8),
    ("a list for a text", "output: [a]", 8),
    ("nothing", "filter:", 0), ("an unknown filter", "filter: crcle", 8),
    ("a later filter", "filter: 'flip,crcle'", 14),
    ("a wrong argument", "filter: 'fit:0x0'", 13), ("a wrong choice", "metadata: some", 10),
    ("a wrong choice of two", "publish: worst", 9),
    ("a wrong number", "priority: high", 10), ("half a number", "priority: 1.5", 10),
    ("a wrong digest", "sha256: abc", 8),
    ("a wrong color", "background: reddish", 12), ("wrong frames", "frames: 0", 8),
    ("a wrong size", "max-bytes: big", 11),
    ("a size of nothing", "max-bytes: 0", 11), ("a mapping for a text", "profile: {a: 1}", 9),
    ("an empty list", "outputs: []", 9),
    ("a list of wrong things", "matrix: {w: [[1]]}", 13), ("wrong options", "encode: {quality: 0}", 18),
    ("an unknown option", "encode: {speed: 1}", 9), ("a template's brace", "output: 'a{b.png'", 10),
    ("a template's unknown name", "output: 'a{nmae}.png'", 10), ("a way out", "output: '../a.png'", 8),
    ("a wrong format", "format: jpx", 8), ("a wrong list of formats", "format: [jpeg, jpx]", 8),
    ("a scheme that isn't read", "placeholder: 'ftp://a.example/x'", 13),
    ("no host", "placeholder: 'http:///x'", 13),
    ("variables that are no mapping", "variables: [a]", 11),
    ("a variable that is a list", "variables: {a: [1]}", 15),
    ("where without from", "where: {a: 1}", 0), ("markup that is none", "markup: {loading: soon}", 18),
  ]

  @Test("each of a job is told at its line and column", arguments: members.indices)
  func member(index: Int) {
    let member = Self.members[index]
    let hasOutput = member.yaml.hasPrefix("output")
    let text = """
      imagemill: 1
      jobs:
        - source: a.png
      \(hasOutput ? "" : "    output: a.jpg\n")    \(member.yaml)
      """
    let line = hasOutput ? 4 : 5
    // An empty list is also no output, and a word is checked by the table of keys and by the encoder.
    let isToldTwice = ["outputs: []", "metadata: some"].contains(member.yaml)
    let found = places(text, .yaml)
    #expect(found.contains([line, 5 + member.column]), "\(member.name): \(ManifestFixture.complaints(text))")
    #expect(found.count == 1 || isToldTwice, "\(member.name): \(ManifestFixture.complaints(text))")
  }

  @Test("all mistakes of many jobs are told in one round, in the order of their places")
  func allAtOnce() {
    var text =
      "imagemill: 2\nbase: nowhere\noutput-dir: ../x\nfilters: {circle: flip, a: b, b: a}\nsources: {x: ''}\njobs:\n"
    var expected = 0
    for (index, member) in Self.members.enumerated()
    where !["where: {a: 1}", "outputs: []"].contains(member.yaml) {
      text += "  - source: a\(index).png\n"
      if !member.yaml.hasPrefix("output") { text += "    output: o\(index).jpg\n" }
      text += "    \(member.yaml)\n"
      expected += 1
    }
    let found = places(text, .yaml)
    #expect(found.count >= expected + 5, "\(ManifestFixture.complaints(text))")
    #expect(found.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) } == found)
    #expect(Set(found.map { $0[0] }).isSuperset(of: [1, 2, 3, 4, 5]))
  }

  @Test(
    "TOML that is none is refused where it stands",
    arguments: [
      ("a", 1, 2), ("a =", 1, 4), ("a = 1 2", 1, 7), ("a = b", 1, 5), ("= 1", 1, 1), ("[a", 1, 3),
      ("[[a]", 1, 5), ("[]", 1, 2),
      ("a = \"b", 1, 6), ("a = 'b\n'", 1, 6), ("a = [1", 1, 7), ("a = [1 2]", 1, 8), ("a = {b = 1", 1, 11),
      ("a = {b = 1,}", 1, 12),
      ("a = 1\na = 2", 2, 1), ("[a]\n[a]", 2, 2), ("a.b = 1\na = 2", 2, 1), ("a = {}\na.b = 1", 2, 1),
      ("a = 1\n[a.b]", 2, 2),
      ("[[a]]\n[a]", 2, 2), ("a = []\n[[a]]", 2, 3), ("a = 01", 1, 5), ("a = 1__0", 1, 5), ("a = _1", 1, 5),
      ("a = 1.", 1, 5),
      ("a = \"\\q\"", 1, 6), ("a = \"\u{1}\"", 1, 6), ("a = 1 # ok\nb = ?", 2, 5), ("é = 1", 1, 1),
      ("a = tru", 1, 5),
    ])
  func toml(text: String, line: Int, column: Int) {
    do throws(JSONNodes.Failure) {
      _ = try TOMLNodes.read(text)
      Issue.record("\(text.debugDescription) is read")
    } catch {
      #expect(error.place.line == line, "\(text.debugDescription): \(error.place) \(error.message)")
      #expect(
        abs(error.place.column - column) <= 1, "\(text.debugDescription): \(error.place) \(error.message)")
    }
  }

  @Test(
    "TOML's spellings mean what TOML 1.0 says",
    arguments: [
      ("1_000", "n1000"), ("+7", "n+7"), ("0xDEAD_beef", "n0xDEADbeef"), ("0b101", "n0b101"),
      ("1e-3", "n1e-3"), ("true", "btrue"), ("inf", "tinf"), ("-nan", "t-nan"),
      ("'a\\b'", "ta\\b"), ("\"a\\tb\\u00e9\\U0001F600\"", "ta\tbé😀"), ("'''\nx\n'''", "tx\n"),
      ("\"\"\"a\\\n   b\"\"\"", "tab"),
      ("\"\"\"\"x\"\"\"\"", "t\"x\""), ("2026-05-01", "t2026-05-01"), ("07:32:00", "t07:32:00"), ("''", "t"),
    ])
  func tomlValues(text: String, expected: String) throws {
    let node = try #require(try TOMLNodes.read("a = \(text)")["a"])
    let found =
      switch node.value {
      case .number(let text): "n" + text
      case .bool(let flag): "b\(flag)"
      case .text(let text): "t" + text
      default: "?"
      }
    #expect(found == expected)
  }

  @Test(
    "plain YAML scalars mean what the core schema says",
    arguments: [
      ("1", "a number"), ("-1.5e3", "a number"), ("0x1F", "a number"), ("0o17", "a number"),
      ("1_000", "a string"), ("0b1", "a string"),
      ("yes", "a string"), ("True", "a boolean"), ("tRUE", "a string"), ("~", "null"), ("Null", "null"),
      ("", "null"),
      ("1:30", "a string"), ("+", "a string"), (".", "a string"), ("e1", "a string"), ("1e", "a string"),
      ("0x", "a string"), ("1.", "a number"),
      (".5", "a number"), ("infinity", "a string"), ("nan", "a string"), ("--1", "a string"),
    ])
  func coreSchema(text: String, kind: String) {
    #expect(
      ManifestNode(CoreSchema.value(of: text), at: TextPlace(line: 1, column: 1)).kind == kind, "\(text)")
  }
}
