import Foundation
import TestSupport
import Testing

@testable import Manifests

/// Manifests that something has happened to: each is read, or refused with places, and nothing else happens.
@Suite("Damaged manifests", .timeLimit(.minutes(8)))
struct MutationTests {
  static let json = """
    {"imagemill": 1, "base": "https://a.example/x/", "filters": {"f": ["flip", {"fit": {"width": 8, "height": 6}}]},
     "jobs": [{"source": ["a.png", "\\u00e9\\ud83d\\ude00.png"], "outputs": [{"output": "{n}.{ext}", "filter": "f,circle",
     "matrix": {"n": [1, 2], "format": ["webp", "png"]}}], "variables": {"a": true, "b": -1.5e3}}]}
    """
  static let toml = """
    imagemill = 1
    filters.f = ["flip", {fit = {width = 8, height = 6}}]
    [[jobs]]
    source = ['a.png', "\\u00e9.png"]   # a comment
    [[jobs.outputs]]
    output = \"\"\"{name}.png\"\"\"
    filter = "f"
    [jobs.variables]
    when = 2024-01-02T03:04:05Z
    "a b" = +1_000.5
    """

  static func original(_ form: ManifestReader.Form) -> String {
    switch form {
    case .yaml: ManifestReaderTests.example
    case .json: json
    case .toml: toml
    }
  }

  @Test(arguments: ManifestReader.Form.allCases)
  func `never crash the reader, and every complaint has its place`(_ form: ManifestReader.Form) {
    let seed = SeededRandom.seed
    print("seed of the damaged \(form.rawValue): \(seed)")
    var damage = Damage(seed: seed)
    for _ in 0..<500 {
      let bytes = damage.damaged(Self.original(form))
      let lines = bytes.count { $0 == 0x0A } + 2
      do {
        _ = try ManifestReader(ManifestReaderTests.options).read(bytes, name: "m", form: form)
      } catch {
        #expect(!error.diagnostics.isEmpty, "seed \(seed)")
        #expect(
          error.diagnostics.allSatisfy { (1...lines).contains($0.line) && $0.column >= 1 }, "seed \(seed)")
        #expect(
          error.description.wholeMatch(of: #/m:\d+:\d+: error: [^\n]{8,}(\n[\s\S]*)?/#) != nil, "seed \(seed)"
        )
        #expect(!error.description.contains("t0ken"), "seed \(seed)")
      }
    }
  }

  @Test func `a misspelt key is told with the key that was meant`() throws {
    let seed = SeededRandom.seed
    print("seed of the misspelt keys: \(seed)")
    var damage = Damage(seed: seed)
    var tried = 0
    for form in ManifestReader.Form.allCases {
      for key in ["imagemill", "filters", "jobs", "source", "output", "filter", "variables"] {
        let text = Self.original(form)
        // Each is once or more in every example; its first use as a key is misspelt.
        guard
          let range = text.firstRange(of: try Regex("\\b\(key)(?=\"?\\]*\\s*[:=.\\]])"))
        else { continue }
        tried += 1
        let slip = damage.misspelt(key)
        let complaint = ManifestFixture.complaints(
          text.replacingCharacters(in: range, with: slip), form: form,
          ManifestReaderTests.options)
        #expect(complaint.contains("'\(slip)'") && complaint.contains("'\(key)'"), "\(slip)\n\(complaint)")
      }
    }
    #expect(tried >= 18)
  }

  static let streams: [LineForm: String] = [
    .sources: """
    a.png
    # a comment
    https://h.example/b.png?c=d

    abababababababababababababababababababababababababababababababab  c d.png
    data:image/png;base64,iVBORw0KGgo=
    """,
    .ndjson: """
    {"source": "a.png", "output": "{id}.png", "id": 7, "filter": ["flip", {"fit": {"width": 8, "height": 6}}]}
    {"source": ["b.png", "c.png"], "outputs": [{"output": "x.{ext}", "matrix": {"format": ["webp", "png"]}}]}
    {"source": "d.png", "quality": 40, "deep": {"a": [1, null, "é"]}}
    """,
    .csv:
      "source,output,quality,title\r\na.png,\"{title}.jpg\",40,\"Ada, \"\"the\"\" first\nProgrammer\"\r\nb.png,,,\r\n",
    .tsv: "source\tn\tfilter\na,b.png\t1\tcircle\nc.png\t2\tfill:8x8\n",
  ]

  @Test(arguments: LineForm.allCases)
  func `streams give a job or a complaint for each record, and go on`(_ form: LineForm) throws {
    let seed = SeededRandom.seed
    print("seed of the damaged \(form.rawValue): \(seed)")
    var damage = Damage(seed: seed)
    let text = try #require(Self.streams[form])
    for _ in 0..<400 {
      let bytes = damage.damaged(text + "\n" + text)
      var parser = try RecordParser(name: "m", options: LineOptions(form), manifest: LineJobsTests.options())
      var splitter = RecordSplitter(
        separator: form == .csv ? UInt8(ascii: ",") : form == .tsv ? UInt8(ascii: "\t") : nil)
      var rest = bytes[...]
      var records: [Record] = []
      while !rest.isEmpty {
        let size = damage.number(in: 1...64)
        splitter.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let record = splitter.next() { records.append(record) }
      }
      if let last = splitter.last() { records.append(last) }
      let lines = bytes.count { $0 == 0x0A } + 1
      #expect(records.map(\.line) == records.map(\.line).sorted(), "seed \(seed)")
      for record in records {
        switch parser.parse(record) {
        case nil: break
        case .success(let job): #expect(!job.sources.isEmpty && !job.outputs.isEmpty, "seed \(seed)")
        case .failure(let diagnostic):
          #expect((record.line...lines).contains(diagnostic.line) && diagnostic.column >= 1, "seed \(seed)")
          #expect(diagnostic.message.count >= 8, "seed \(seed)")
        }
      }
    }
  }

  @Test func `a damaged gzip stream ends in a complaint or in its jobs`() async throws {
    let seed = SeededRandom.seed
    print("seed of the damaged gzip: \(seed)")
    var damage = Damage(seed: seed)
    for _ in 0..<150 {
      let bytes = damage.bytesChanged(LineJobsTests.gzip + LineJobsTests.gzip)
      let found = try await LineJobsTests.read(bytes, LineOptions(.sources))
      #expect(found.count < 1000, "seed \(seed)")
      // Without one of its members the stream is still one.
      let texts = LineJobsTests.texts(found)
      let isWhole = [["1 a.png", "2 b.png", "3 a.png", "4 b.png"], ["1 a.png", "2 b.png"]].contains(texts)
      let isTold = found.contains { if case .failure = $0 { true } else { false } }
      // What is no gzip any more is a list of odd names; what still is one, is whole or told.
      if bytes.starts(with: Inflater.signature) { #expect(isWhole || isTold, "seed \(seed)") }
    }
  }

  @Test func `damage takes no memory that the text didn't`() async {
    // A process of its own, with little memory to have: what asks for more ends it.
    await #expect(processExitsWith: .success) { [seed = SeededRandom.seed as UInt64] in
      var limit = rlimit(rlim_cur: 3 << 30, rlim_max: 3 << 30)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
      var damage = Damage(seed: seed)
      for form in ManifestReader.Form.allCases {
        for _ in 0..<100 {
          let bytes = damage.damaged(MutationTests.original(form))
          do {
            _ = try ManifestReader(ManifestReaderTests.options).read(bytes, name: "m", form: form)
          } catch {
            try #require("\(error)".utf8.count < 1 << 20)
          }
        }
      }
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      let kilobytes = try #require(
        peak.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
      try #require(kilobytes < 400_000)
    }
  }
}
