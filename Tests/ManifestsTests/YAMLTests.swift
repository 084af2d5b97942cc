import Foundation
import TestSupport
import Testing

@testable import Manifests

@Suite("YAML", .timeLimit(.minutes(8)))
struct YAMLTests {
  // MARK: Events

  /// The events of a text as yaml-test-suite writes them, each with its first place and the one after its last.
  private static func events(_ text: String) throws(YAMLError) -> [String] {
    var events = YAMLEvents(text)
    var lines: [String] = []
    while case let event = try events.next(), event.kind != .end {
      let kind =
        switch event.kind {
        case .documentStart: "+DOC"
        case .documentEnd: "-DOC"
        case .mappingStart: "+MAP"
        case .mappingEnd: "-MAP"
        case .listStart: "+SEQ"
        case .listEnd: "-SEQ"
        case .scalar(let text, let isPlain): "=VAL \(isPlain ? ":" : "\"")\(text)"
        case .alias(let name): "=ALI *\(name)"
        case .end: ""
        }
      let names = (event.anchor.map { " &\($0)" } ?? "") + (event.tag.map { " <\($0)>" } ?? "")
      let (start, end) = (event.start, event.end)
      lines.append("\(kind)\(names) \(start.line):\(start.column)-\(end.line):\(end.column)")
    }
    return lines
  }

  @Test(
    arguments: [
      ("", []),
      ("# nothing\n", []),
      ("a", ["+DOC 1:1-1:1", "=VAL :a 1:1-1:2", "-DOC 2:1-2:1"]),
      (
        "---\né: [b, 'c']\n...\n",
        [
          "+DOC 1:1-1:4", "+MAP 2:1-2:1", "=VAL :é 2:1-2:2", "+SEQ 2:4-2:5", "=VAL :b 2:5-2:6",
          "=VAL \"c 2:8-2:11", "-SEQ 2:11-2:12", "-MAP 3:1-3:1", "-DOC 3:1-3:4",
        ]
      ),
      (
        "- &x !t 😀\n- *x\n",
        [
          "+DOC 1:1-1:1", "+SEQ 1:1-1:1", "=VAL :😀 &x <!t> 1:3-1:10", "=ALI *x 2:3-2:5", "-SEQ 3:1-3:1",
          "-DOC 3:1-3:1",
        ]
      ),
      (
        "&m {? &k a : , \"b\": }",
        [
          "+DOC 1:1-1:1", "+MAP &m 1:1-1:5", "=VAL :a &k 1:7-1:11", "=VAL : 1:14-1:14", "=VAL \"b 1:16-1:19",
          "=VAL : 1:21-1:21", "-MAP 1:21-1:22", "-DOC 2:1-2:1",
        ]
      ),
    ] as [(String, [String])])
  func `events bear their marks`(_ text: String, _ expected: [String]) throws {
    #expect(try Self.events(text) == expected)
  }

  @Test func `behind the end and behind an error there is only the end`() throws {
    var events = YAMLEvents("a: [")
    #expect(throws: YAMLError.self) { while try events.next().kind != .end {} }
    #expect(try events.next().kind == .end)
    events = YAMLEvents("a")
    while try events.next().kind != .end {}
    #expect(try events.next().kind == .end)
  }

  // MARK: Values

  /// What a text says, with what is wrong as `line:column: message`.
  static func read(_ text: String) -> (root: ManifestNode?, complaints: [String]) {
    let text = ManifestText(name: "m", text: text)
    var log = DiagnosticLog(text)
    let root = YAMLNodes.read(text, log: &log)
    return (root, log.diagnostics.map { "\($0.line):\($0.column): \($0.message)" })
  }

  /// A node in JSON, numbers as they are written.
  static func json(_ node: ManifestNode?) -> String {
    switch node?.value {
    case nil: "nothing"
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number(let text): text
    case .text(let text): text.debugDescription
    case .list(let nodes): "[" + nodes.map(json).joined(separator: ",") + "]"
    case .mapping(let entries):
      "{" + entries.map { "\($0.key.debugDescription):\(json($0.value))" }.joined(separator: ",") + "}"
    }
  }

  @Test(
    arguments: [
      (
        "[no, on, y, 12:30, 2024-01-02, 1_000, .inf, 0o17, 0x1F, 017, +1, -1.5e3, 1., .5, ~, True, x]",
        "[\"no\",\"on\",\"y\",\"12:30\",\"2024-01-02\",\"1_000\",\".inf\",0o17,0x1F,017,+1,-1.5e3,1.,.5,null,true,\"x\"]"
      ),
      ("['it''s', '1', '~', '*a', \"*a\", a*]", "[\"it\\'s\",\"1\",\"~\",\"*a\",\"*a\",\"a*\"]"),
      (#""\x41\u00e9\U0001F600\t\"\\\/ \_""#, "\"Aé😀\\t\\\"\\\\/ \u{A0}\""),
      (#""a\0b""#, #""a\0b""#),
      ("a\n b\n\n c", "\"a b\\nc\""),
      ("'a\n b\n\n c'", "\"a b\\nc\""),
      ("\"a\\\n  b\\n\n c\"", "\"ab\\n c\""),
      ("|\n a\n  b\n\n", "\"a\\n b\\n\""),
      ("|-\n a\n b\n", "\"a\\nb\""),
      ("|+\n a\n\n", "\"a\\n\\n\""),
      (">\n a\n b\n\n c\n", "\"a b\\nc\\n\""),
      ("|2\n   a\n", "\" a\\n\""),
      ("{a, b: , ? c}", "{\"a\":null,\"b\":null,\"c\":null}"),
      ("[a: b, {}, []]", "[{\"a\":\"b\"},{},[]]"),
      ("? a\n: - b\n  - - c\n", "{\"a\":[\"b\",[\"c\"]]}"),
      ("1: a\ntrue: b\n~: c\n? \n: d\n", "{\"1\":\"a\",\"true\":\"b\",\"~\":\"c\",\"\":\"d\"}"),
      ("!!str 1", "\"1\""),
      ("%YAML 1.2\n---\na", "\"a\""),
      ("\u{F0000}\u{F1000}: \u{FFFFD}*", "{\"\u{F0000}\u{F1000}\":\"\u{FFFFD}*\"}"),
    ] as [(String, String)])
  func `values are those of YAML's core schema`(_ text: String, _ expected: String) {
    let (root, complaints) = Self.read(text)
    #expect(complaints == [])
    #expect(Self.json(root) == expected)
  }

  @Test func `a text that stands as it reads has its own place, and no other has`() throws {
    let text = """
      - é, b
      - 'é b'
      - "é \\t"
      - 'it''s'
      - &a x
      - !!str x
      - a
        b
      - |
        a
      - *a
      """
    let places = try #require(Self.read(text).root?.list).map { node in
      node.textPlace.map { "\($0.line):\($0.column)" }
    }
    #expect(places == ["1:3", "2:4", nil, nil, nil, nil, nil, nil, nil])
  }

  // MARK: Aliases

  @Test func `an alias stands for what was anchored last, at the alias's place`() throws {
    let (root, complaints) = Self.read("[&a x, *a, &a {k: &b y}, *a, *b, {&c k: 1}, *c]")
    #expect(complaints == [])
    #expect(Self.json(root) == "[\"x\",\"x\",{\"k\":\"y\"},{\"k\":\"y\"},\"y\",{\"k\":1},\"k\"]")
    let list = try #require(root?.list)
    #expect(list[3].place.column == 26)
    #expect(list[3].entries?.first?.place.column == 16)
  }

  @Test func `every alias without an anchor is told, and so is what else is wrong`() {
    let (root, complaints) = Self.read("a: *x\nb: &y [*y]\nc: !t z\nc: {d: 1, d: *z}\n")
    #expect(root == nil)
    let remedy = "; quote a string that begins with '*'"
    #expect(
      complaints == [
        "1:4: no anchor '&x' before this alias\(remedy)",
        "2:8: no anchor '&y' before this alias\(remedy)",
        "3:4: tags are not supported: remove '!t'",
        "4:14: no anchor '&z' before this alias\(remedy)",
        "4:11: duplicate key 'd' (first in column 5): remove one of them",
        "4:1: duplicate key 'c' (first in line 3): remove one of them",
      ])
  }

  @Test func `aliases are counted before they stand for anything`() {
    let levels = (1...40).map { "- &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()
    let (root, complaints) = Self.read("- &a0 [x, x]\n" + levels)
    #expect(root == nil)
    #expect(complaints.count == 1)
    #expect(complaints.first?.contains("the aliases expand to too many values") == true)
    // As keys too, and a mapping of mappings.
    let keys = (1...40).map { "- &a\($0) {? [*a\($0 - 1), *a\($0 - 1)] : x}\n" }.joined()
    #expect(Self.read("- &a0 [x, x]\n" + keys).complaints.last?.contains("too many values") == true)
  }

  // MARK: Mistakes

  @Test(
    arguments: [
      ("a: 'b\nc", "1:4: not YAML: the quote isn't closed"),
      ("a: b\nc: \"d\ne: f\n", "2:4: not YAML: the quote isn't closed"),
      ("a: \"b\n---\nc: \"d\"\n", "1:4: not YAML: the quote isn't closed"),
      ("a: b\nc: {d: e\n\n", "2:4: not YAML: the '{' isn't closed"),
      ("a: b\nc: {d: [e\n", "2:8: not YAML: the '[' isn't closed"),
      ("a: [b\nc: d", "2:2: not YAML: did not find expected ',' or ']' (while parsing a flow sequence)"),
      ("a: {b: c]", "1:9: not YAML: did not find expected ',' or '}' (while parsing a flow mapping)"),
      (
        "a: b\n c: d",
        "2:3: not YAML: mapping values are not allowed in this context; put a string with ': ' in quotes"
      ),
      (
        "a: 1\nb\nc: 2",
        "3:1: not YAML: could not find expected ':' (while scanning a simple key); write ': ' after a key"
      ),
      ("a:\n  b: 1\n c: 2", "3:2: not YAML: did not find expected key (while parsing a block mapping)"),
      ("- a\nb: c", "2:1: not YAML: did not find expected '-' indicator (while parsing a block collection)"),
      (
        "a: `b`",
        "1:4: not YAML: found character that cannot start any token (while scanning for the next token); put the string in quotes, and indent with spaces"
      ),
      ("a:\n\t- b", "2:1: not YAML: tabs can't be used for indentation: use spaces"),
      ("a: \"\\q\"", "1:5: not YAML: found unknown escape character (while parsing a quoted scalar)"),
      (
        "a: *.png",
        "1:4: not YAML: the name of an alias may contain only letters, digits, '-' and '_'; quote a string that begins with '*'"
      ),
      (
        "é: [b, *c.d]",
        "1:8: not YAML: the name of an alias may contain only letters, digits, '-' and '_'; quote a string that begins with '*'"
      ),
      (
        "a: &",
        "1:4: not YAML: the name of an anchor may contain only letters, digits, '-' and '_'; quote a string that begins with '&'"
      ),
      ("a: !e!t b", "1:4: not YAML: found undefined tag handle (while parsing a node)"),
      ("%YAML 2.0\n---\na", "1:1: not YAML: found incompatible YAML document"),
      (
        "é😀\né\u{1}",
        "2:2: not YAML: control characters are not allowed: remove it, or escape it in double quotes, such as \\u0007"
      ),
      (
        "a\0b",
        "1:2: not YAML: control characters are not allowed: remove it, or escape it in double quotes, such as \\u0007"
      ),
      (
        "a: 1\n--- b",
        "2:1: a manifest must be one document: remove this line and the rest, or move them to another file"
      ),
      ("! a", "1:1: tags are not supported: remove '!'"),
      ("*a : 1", "1:1: a key must be a string, not an alias, list or mapping"),
      ("[a]: 1", "1:1: a key must be a string, not an alias, list or mapping"),
      ("{<<: {}}", "1:2: '<<' isn't part of YAML 1.2: use 'defaults', or write the keys out"),
      ("", "1:1: the manifest is empty; begin it with 'imagemill: 1'"),
    ] as [(String, String)])
  func `a mistake is told at its place`(_ text: String, _ complaint: String) {
    #expect(Self.read(text).complaints == [complaint])
  }

  @Test func `mistakes before the text stops being YAML are told with it`() {
    let (root, complaints) = Self.read("a: !t b\na: {c: 1, c: 2}\nd: ]\n")
    #expect(root == nil)
    #expect(complaints.map { $0.prefix(4) } == ["1:4:", "3:4:", "2:11", "2:1:"])
  }

  @Test(arguments: ["[", "{a: ", "? ", "- "])
  func `64 values may nest, and no more`(_ opening: String) throws {
    let width = opening.count
    let openings = { String(repeating: opening, count: $0) }
    #expect(
      Self.read(openings(64) + "x").complaints.allSatisfy { $0.hasSuffix("deep") })
    let closing = opening == "[" ? "]" : opening == "{a: " ? "}" : ""
    let fits = Self.read(openings(63) + "x" + String(repeating: closing, count: 63))
    // A key may be no mapping, however deep.
    #expect(fits.complaints.allSatisfy { $0.contains("a key must be") })
    // In a column that is as far as the bytes are, and at once.
    let deep = Self.read(openings(100_000)).complaints
    #expect(deep == ["1:\(64 * width + 1): nested more than 64 deep"])
  }

  @Test func `an alias nests as deep as what it stands for`() {
    func text(_ depth: Int) -> String {
      func list(_ depth: Int, _ value: String) -> String {
        String(repeating: "[", count: depth) + value + String(repeating: "]", count: depth)
      }
      return "- &a \(list(30, "x"))\n- &b \(list(depth, "*a"))\n- [*b]\n"
    }
    #expect(Self.read(text(31)).complaints == [])
    #expect(Self.read(text(32)).complaints == ["3:4: nested more than 64 deep"])
    #expect(Self.read(text(33)).complaints == ["2:39: nested more than 64 deep"])
    // Each by itself is flat; together they would be as deep as a stack is.
    let chain = (1...5000).map { "- &a\($0) [*a\($0 - 1)]\n" }.joined()
    let complaints = Self.read("- &a0 x\n" + chain).complaints
    #expect(complaints == ["64:9: nested more than 64 deep"])
  }

  @Test func `brackets in texts and comments don't nest`() {
    let brackets = String(repeating: "[", count: 1000)
    #expect(Self.read("a: '\(brackets)' # \(brackets)\nb: |\n  \(brackets)\n").complaints == [])
  }

  @Test func `thousands of jobs on one line are read in a time that grows as they do`() {
    let jobs = (1...20_000).map { "{source: 'é*.png', output: \"\($0).png\", source: &a x}" }
    func seconds() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec
    }
    let start = seconds()
    #expect(Self.read("jobs: [\(jobs.joined(separator: ", "))]").root?["jobs"]?.list?.count == 20_000)
    #expect(seconds() - start < 10)
  }
}
