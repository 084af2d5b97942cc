import ImageBatch
import ImageCaches
import ImageDownloads
import TestSupport
import Testing

@testable import Manifests
import ImageRendering

@Suite("Small forms in manifests", .timeLimit(.minutes(8)))
struct SmallFormTests {
  private let seed = SeededRandom.seed

  @Test(
    "sizes",
    arguments: [
      ("1", 1), ("200kB", 200_000), ("1.5MB", 1_500_000), ("2GiB", 2 << 30), ("1KiB", 1024), ("7B", 7),
      ("0", nil), ("-1", nil),
      ("0B", nil), ("kB", nil), ("", nil), ("1kb", nil), ("1 kB", nil), ("nanB", nil), ("infMB", nil),
      ("1e30GB", nil),
      ("99999999999999999999", nil), ("0.4B", nil), ("1,5MB", nil),
    ] as [(String, Int?)])
  func sizes(text: String, bytes: Int?) { #expect(ByteSize.bytes(text) == bytes) }

  @Test("a job is in exactly one shard of any number, whatever else the manifest holds")
  func shards() throws {
    let output = JobOutput(
      template: try OutputTemplate(parsing: "{name}.png"), chain: .init(),
      encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
    for count in [1, 2, 3, 8, 100] {
      let shards = try (1...count).map { try Shard(parsing: "\($0)/\(count)") }
      var sizes = [Int](repeating: 0, count: count)
      for index in 0..<400 {
        var job = Job(index: index, sources: [.file("\(index % 300).png")], outputs: [output])
        let holders = shards.indices.filter { shards[$0].contains(job) }
        #expect(holders.count == 1)
        sizes[holders.first ?? 0] += 1
        job.index += 1000
        job.priority = 7
        #expect(shards.indices.filter { shards[$0].contains(job) } == holders)
      }
      #expect(count > 8 || sizes.allSatisfy { $0 > 400 / count / 3 }, "\(sizes)")
    }
    for text in [
      "", "1", "0/1", "2/1", "1/0", "-1/2", "1/2/3", "a/b", "1/", "/2", "1.0/2", "9999999999999999999999/2",
    ] {
      #expect(throws: Shard.Failure.self, "\(text)") { try Shard(parsing: text) }
    }
  }

  @Test("a digest before a name pins it, whatever is in the name")
  func pinned() {
    let hex = ContentDigest(hashing: "x".utf8).hex
    func read(_ line: String) -> String {
      switch PinnedLine.read(line[...]) {
      case .plain: "plain"
      case .pinned(let digest, let name): digest.hex == hex ? name : "?"
      case .otherDigest(let count): "\(count)"
      }
    }
    for (line, expected) in [
      ("\(hex)  a.png", "a.png"), ("\(hex) *a b.png", "a b.png"), ("\(hex.uppercased())  é", "é"),
      ("\(hex) a.png", "plain"),
      ("\(hex)", "plain"), ("\(hex)   a", " a"), ("\\\(hex)  a\\nb\\\\n\\r", "a\nb\\n\r"),
      ("\\\(hex)  a\\x\\", "a\\x\\"),
      (String(hex.prefix(40)) + "  a", "40"), (String(hex.prefix(31)) + "  a", "plain"), (hex + "0  a", "65"),
      ("g" + hex.dropFirst() + "  a", "plain"),
      ("", "plain"), ("\\", "plain"), ("a.png", "plain"),
    ] { #expect(read(line) == expected, "\(line)") }
  }

  @Test("any mistakes: each is told once with the number of its like, and no more than are read")
  func sums() {
    var random = RandomManifest(seed: seed)
    for _ in 0..<100 {
      var sums = DiagnosticSums()
      var seen: [String: Int] = [:]
      var told = 0
      for line in 1...random.int(1...150) {
        let message = "mistake \(random.int(1...40))"
        let isNew = sums.note(ManifestDiagnostic(file: "f", line: line, column: 1, message: message))
        #expect(isNew == (seen[message] == nil && told < DiagnosticSums.maximum), "seed \(seed)")
        if isNew { told += 1 }
        seen[message, default: 0] += 1
      }
      #expect(sums.isEmpty == seen.isEmpty)
      #expect(
        sums.diagnostics.count == min(seen.count, DiagnosticSums.maximum)
          + (seen.count > DiagnosticSums.maximum ? 1 : 0))
      #expect(sums.remainder.count <= sums.diagnostics.count)
      #expect(sums.diagnostics.first?.line == 1)
    }
  }

  @Test("one line too many is one line")
  func oneMoreLine() {
    var sums = DiagnosticSums()
    func note(_ number: Int) {
      sums.note(ManifestDiagnostic(file: "t.csv", line: number, column: 1, message: "wrong \(number)"))
    }
    (1...DiagnosticSums.maximum).forEach(note)
    note(21)
    #expect(sums.diagnostics.last?.message == "1 more line has mistakes: wrong 21")
    note(22)
    #expect(sums.diagnostics.last?.message == "2 more lines have mistakes; the last is: wrong 22")
  }

  @Test("a diagnostic's caret stands under its place, and the line shows no credential")
  func diagnostics() {
    let random = [
      ("a: b", 4), ("\ta: b", 5), ("é日本: x", 6), (String(repeating: "x", count: 300) + "y", 301), ("", 1),
      ("abc", 99),
    ]
    for (line, column) in random {
      let text = ManifestDiagnostic(file: "f", line: 3, column: column, message: "no", sourceLine: line)
        .description
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines[0] == "f:3:\(column): error: no")
      #expect(lines.count == (line.isEmpty ? 1 : 3))
      if lines.count == 3 {
        #expect(lines[2].last == "^" && lines[2].dropLast().allSatisfy { $0 == " " || $0 == "\t" })
      }
    }
    for line in [
      "password: hunter2", "  Authorization: Bearer x", "user: a:b", "{\"user\": \"a:b\"", "x-api-key: 1",
      "COOKIE: 1", "my_token=1", "- secret: 1",
    ] {
      #expect(
        ManifestDiagnostic(file: "f", line: 1, column: 1, message: "no", sourceLine: line).sourceLine == nil,
        "\(line)")
    }
    for (line, shown) in [
      ("https://ada:pw@h/x", "https://******@h/x"), ("a http://u@h http://v@i", "a http://*@h http://*@i"),
      ("https://h/a@b", "https://h/a@b"),
      ("x@y", "x@y"), ("://@", "://@"),
    ] {
      #expect(
        ManifestDiagnostic(file: "f", line: 1, column: 1, message: "", sourceLine: line).sourceLine == shown)
    }
    let long = ManifestDiagnostic(file: "f", line: 1, column: 1, message: String(repeating: "é", count: 5000))
    #expect(long.message.count < 1000)
  }

  @Test(
    "what a stream is, by its first line",
    arguments: [
      ("", ManifestKind.lines(.sources)), ("# c\n\n", .lines(.sources)), ("a.png\n", .lines(.sources)),
      ("{\"source\":1}\n", .lines(.ndjson)),
      ("{\"imagemill\":1}", .document(.json)), ("{\n", .document(.json)), ("jobs:\n", .document(.yaml)),
      ("%YAML 1.2\n", .document(.yaml)),
      ("---\n", .document(.yaml)), ("imagemill = 1\n", .document(.toml)), ("[[jobs]]\n", .document(.toml)),
      ("source,output\n", .lines(.csv)),
      ("output\tsource\n", .lines(.tsv)), ("\"source\",a\n", .lines(.csv)), ("source\n", .lines(.sources)),
      ("a,b\n", .lines(.sources)),
      ("\u{feff}source,a\n", .lines(.csv)),
      ("other: 1\n", .lines(.sources)),
    ])
  func sniffing(text: String, kind: ManifestKind) {
    #expect(ManifestKind(sniffing: Array(text.utf8)) == kind)
  }
}
