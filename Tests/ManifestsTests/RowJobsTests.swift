import Foundation
import ImageBatch
import ImageDownloads
import ImageFilters
import Testing

@testable import Manifests
import ImageRendering

@Suite("Jobs of rows", .timeLimit(.minutes(8)))
struct RowJobsTests {
  private static let catalogue = """
      - from: products.csv
        source: "https://cdn.example.com/{file}"
        outputs:
          - {output: "shop/{sku}-{width}.{ext}", filter: "limit:{width}x,text:{title}", matrix: {width: [400, 800], format: [webp, jpeg]}}
    """

  @Test("each row has each output of each row of the matrix")
  func catalogue() throws {
    let fixture = try RowFixture(["products.csv": "sku,file,title\nA1,a.jpg,\"One, two\"\nB2,b.jpg,x=y\n"])
    let manifest = try fixture.read(Self.catalogue)
    #expect(manifest.jobs.isEmpty)
    #expect(manifest.rows.map(\.count) == [2])
    #expect(
      try RowFixture.paths(manifest) == [
        "shop/A1-400.webp", "shop/A1-400.jpg", "shop/A1-800.webp", "shop/A1-800.jpg", "shop/B2-400.webp",
        "shop/B2-400.jpg", "shop/B2-800.webp", "shop/B2-800.jpg",
      ])
    let jobs = try RowFixture.jobs(manifest)
    #expect(
      jobs.map(\.sources) == [
        [.url("https://cdn.example.com/a.jpg")], [.url("https://cdn.example.com/b.jpg")],
      ])
    #expect(
      jobs[0].outputs[0].chain == (try FilterChain(parsing: "limit:400x,text:One%2C two")))
    #expect(jobs.map { $0.location?.line } == [2, 3])
    #expect(
      jobs.allSatisfy { $0.location?.file.hasSuffix("/products.csv") == true && $0.manifest == "m.yaml" })
    #expect(jobs[1].fields.map(\.name) == ["sku", "file", "title"])
  }

  @Test(
    "tables of every form have one meaning",
    arguments: [
      ("t.csv", "\u{FEFF}sku,source\r\nA,a.jpg\r\nB,b.jpg\r\n"),
      ("t.tsv", "sku\tsource\nA\ta.jpg\nB\tb.jpg\n"),
      (
        "t.ndjson", "{\"sku\":\"A\",\"source\":\"a.jpg\"}\n\n{\"sku\":\"B\",\"source\":\"b.jpg\",\"x\":[1]}\n"
      ),
      ("t", "sku,source\nA,a.jpg\nB,b.jpg"),
    ])
  func forms(name: String, text: String) throws {
    let fixture = try RowFixture([name: text])
    let manifest = try fixture.read("  - {from: \(name), output: \"{sku}-{name}.png\"}")
    #expect(try RowFixture.paths(manifest) == ["A-a.png", "B-b.png"])
    #expect(
      try RowFixture.jobs(manifest).map(\.sources) == [
        [.file(fixture.directory + "/a.jpg")], [.file(fixture.directory + "/b.jpg")],
      ])
  }

  @Test("JSON and TOML say the same")
  func documents() throws {
    let fixture = try RowFixture(["t.csv": "sku,source\nA,a.jpg\n"])
    var options = ManifestOptions()
    options.directory = fixture.directory
    for (form, text) in [
      (
        ManifestReader.Form.json,
        #"{"imagemill": 1, "jobs": [{"from": "t.csv", "where": {"sku": ["A"]}, "output": "{sku}.png"}]}"#
      ),
      (
        .toml,
        "imagemill = 1\n[[jobs]]\nfrom = \"t.csv\"\noutput = \"{sku}.png\"\n[jobs.where]\nsku = [\"A\"]\n"
      ),
    ] {
      let manifest = try ManifestReader(options).read(Array(text.utf8), name: "m", form: form)
      #expect(try RowFixture.paths(manifest) == ["A.png"])
    }
  }

  @Test("a list's lines are sources, and its digests pin them")
  func lists() throws {
    let hash = String(repeating: "ab", count: 32)
    let fixture = try RowFixture(["l.txt": "# c\n\(hash)  a.jpg\n  b.jpg \n"])
    let jobs = try RowFixture.jobs(
      fixture.read("  - {from: l.txt, output: \"{name}.png\"}", head: "base: https://h.example/p/\n"))
    #expect(
      jobs.map { $0.sources[0].displayText } == ["https://h.example/p/a.jpg", "https://h.example/p/b.jpg"])
    #expect(jobs.map { $0.pinnedDigest?.hex } == [hash, nil])
    #expect(jobs.map { $0.location?.line } == [2, 3])
  }

  @Test("a pattern's files are jobs, their directories relative to its fixed part, whatever the base")
  func patterns() throws {
    let fixture = try RowFixture(["photos/a/b/x.jpg": "", "photos/y.jpg": "", "photos/.z.jpg": ""])
    let manifest = try fixture.read(
      "  - {from: \"photos/**/*.jpg\", output: \"out/{dir}/{name}.webp\"}",
      head: "base: https://h.example/\n")
    #expect(try RowFixture.paths(manifest) == ["out/a/b/x.webp", "out/y.webp"])
    #expect(
      try RowFixture.jobs(manifest).map(\.sources) == [
        [.file(fixture.directory + "/photos/a/b/x.jpg")], [.file(fixture.directory + "/photos/y.jpg")],
      ])
  }

  @Test("where lets in the rows that have one of its values, in all of its columns")
  func conditions() throws {
    let fixture = try RowFixture([
      "t.csv": "source,stock,lang\na.jpg,in,de\nb.jpg,out,de\nc.jpg,low,de\nd.jpg,in,fr\n",
      "t.ndjson": "{\"source\":\"a.jpg\",\"n\":1}\n{\"source\":\"b.jpg\"}\n",
    ])
    let manifest = try fixture.read(
      """
        - {from: t.csv, where: {stock: [in, low], lang: de}, output: "{index}-{name}.png"}
        - {from: t.ndjson, where: {n: 1}, output: "{index}-{name}.png"}
      """)
    #expect(try RowFixture.paths(manifest) == ["1-a.png", "2-c.png", "3-a.png"])
  }

  @Test("columns are variables in variables, sources, digests, placeholders, priorities and settings")
  func everyPlace() throws {
    let hash = String(repeating: "0f", count: 32)
    let fixture = try RowFixture([
      "t.csv": "file,alt,sum,ph,prio,q,fmt\na b.jpg,b.jpg,\(hash),p.png,3,42,jpeg\n"
    ])
    let jobs = try RowFixture.jobs(
      fixture.read(
        """
          - from: t.csv
            source: ["img/{file}", "alt/{alt}"]
            sha256: "{sum}"
            placeholder: "{ph}"
            priority: "{prio}"
            variables: {title: "<{file}>", plain: same}
            filter: [{text: {string: "{title}{plain}"}}, "text:{alt}"]
            quality: "{q}"
            format: "{fmt}"
            output: "{title}.{ext}"
        """))
    let job = try #require(jobs.first)
    #expect(
      job.sources.map(\.displayText) == ["img/a b.jpg", "alt/b.jpg"].map { fixture.directory + "/" + $0 })
    #expect(job.pinnedDigest?.hex == hash)
    #expect(job.placeholder == .file(fixture.directory + "/p.png"))
    #expect(job.priority == 3)
    #expect(job.outputs[0].chain == (try FilterChain(parsing: "text:<a b.jpg>same,text:b.jpg")))
    #expect(job.outputs[0].encoding.option("quality")?.description == "42")
    #expect(job.outputs[0].path(of: job, in: nil) == "<a b.jpg>.jpg")
  }

  @Test("a row's overlay is one, and stays in the manifest's directory")
  func overlays() throws {
    let fixture = try RowFixture(["t.csv": "source,logo\na.jpg,l.png\n"])
    let job = try #require(
      try RowFixture.jobs(
        fixture.read("  - {from: t.csv, filter: \"overlay:{logo}\", output: \"{name}.png\"}")
      ).first)
    #expect(job.outputs[0].namedSources == ["l.png": .file(fixture.directory + "/l.png")])
    try fixture.write("source,logo\na.jpg,/etc/l.png\n", to: "t.csv")
    let complaints = try fixture.complaints(
      "  - {from: t.csv, filter: \"overlay:{logo}\", output: \"{name}.png\"}")
    #expect(complaints.count == 1)
    #expect(complaints.first?.hasPrefix("t.csv:2:7: '/etc/l.png' is outside") == true, "\(complaints)")
  }

  @Test("the indices go through the manifest's jobs and rows in their order")
  func indices() throws {
    let fixture = try RowFixture(["t.csv": "source\na.jpg\nb.jpg\n"])
    let manifest = try fixture.read(
      """
        - {source: x.jpg, output: x.png}
        - {from: t.csv, output: "{index}.png"}
        - {source: y.jpg, output: y.png}
        - {from: t.csv, output: "second-{index}.png"}
        - {source: z.jpg, output: z.png}
      """)
    #expect(manifest.jobs.map(\.index) == [1, 4, 7])
    #expect(try RowFixture.paths(manifest) == ["2.png", "3.png", "second-5.png", "second-6.png"])
  }

  @Test(
    "a mistake that no row can mend is told once, in the manifest",
    arguments: [
      (
        "{from: t.csv, output: \"{skuu}.png\"}", "m.yaml:3:28: unknown field '{skuu}' (did you mean 'sku'?)"
      ),
      (
        "{from: t.csv, output: \"{sku}.png\", filter: crcle}",
        "m.yaml:3:48: unknown filter 'crcle' (did you mean 'circle'?)"
      ),
      (
        "{from: t.csv, output: \"{sku}.png\", filter: \"crcle,text:{sku}\"}",
        "m.yaml:3:48: unknown filter 'crcle' (did you mean 'circle'?)"
      ),
      (
        "{from: t.csv, output: \"{sku}.png\", filter: \"text:{skv}\"}",
        "m.yaml:3:54: unknown field '{skv}' (did you mean 'sku'?)"
      ),
      ("{from: t.csv, output: \"{sku}.jpg\", quality: 101}", "m.yaml:3:49: "),
      ("{from: t.csv, output: \"{sku}.png\", where: {stok: 1}}", "m.yaml:3:48: 't.csv' has no column 'stok'"),
      (
        "{from: semicolons.csv, output: x.png, where: {kind: a}}",
        "m.yaml:3:12: 'semicolons.csv' has no column 'source' (known: sku;kind); separate its cells with commas"
      ),
      (
        "{from: semicolons.csv, source: a.jpg, output: \"{name}.png\", where: {kind: a}}",
        "m.yaml:3:73: 'semicolons.csv' has no column 'kind' (known: sku;kind); separate its cells with commas"
      ),
      (
        "{from: commas.tsv, source: a.jpg, output: \"{name}.png\", where: {kind: a}}",
        "m.yaml:3:69: 'commas.tsv' has no column 'kind' (known: sku,kind); separate its cells with tabs"
      ),
      ("{from: none.csv, output: \"{sku}.png\"}", "m.yaml:3:12: 'none.csv' can't be opened: No such file"),
      (
        "{from: ../t.csv, output: \"{sku}.png\"}",
        "m.yaml:3:12: '../t.csv' is outside the manifest's directory"
      ),
      ("{from: \"*.gif\", output: \"{name}.png\"}", "m.yaml:3:12: nothing matches '*.gif'"),
      ("{from: empty.csv, output: \"{sku}.png\"}", "empty.csv:1:1: the table is empty"),
      ("{from: other.csv, output: \"{sku}.png\"}", "m.yaml:3:12: 'other.csv' has no column 'source'"),
      ("{output: x.png}", "m.yaml:3:5: a job needs 'source'"),
      ("{source: a.jpg, where: {a: 1}, output: x.png}", "m.yaml:3:21: 'where' needs"),
    ])
  func staticMistakes(job: String, expected: String) throws {
    let fixture = try RowFixture([
      "t.csv": "sku,source\n" + (1...9).map { "K\($0),\($0).jpg\n" }.joined(), "empty.csv": "\n",
      "other.csv": "sku\nA\n", "semicolons.csv": "sku;kind\nA;b\n", "commas.tsv": "sku,kind\nA,b\n",
    ])
    let complaints = try fixture.complaints("  - \(job)")
    #expect(complaints.count == (job.contains("semicolons.csv, output") ? 2 : 1), "\(complaints)")
    #expect(complaints.first?.hasPrefix(expected) == true, "\(complaints)")
  }

  @Test("a name that a default and the job define is listed once")
  func namesOnce() throws {
    let fixture = try RowFixture(["t.csv": "source,name\na.jpg,b\n"])
    let complaints = try fixture.complaints(
      "  - {from: t.csv, filter: \"text:{zzzz}\", output: \"{name}.png\", variables: {brand: c}}",
      head: "defaults: {variables: {brand: d}}\n")
    #expect(
      complaints.first?.contains("(known: source, name, brand, host, dir, path)") == true, "\(complaints)")
  }

  @Test("a row's mistake is told at the row's line and cell, with the place in the manifest")
  func rowMistakes() throws {
    let fixture = try RowFixture(["t.csv": "source,size\na.jpg,9x9\nb.jpg,axb\n,8x8\nd.jpg\n"])
    let complaints = try fixture.complaints(
      "  - {from: t.csv, filter: \"fill:{size}\", output: \"{name}.png\"}")
    #expect(complaints.count == 3)
    #expect(complaints.first?.hasPrefix("t.csv:3:7: ") == true, "\(complaints)")
    #expect(complaints.first?.hasSuffix("(m.yaml:3)") == true, "\(complaints)")
    #expect(complaints.dropFirst().first == "t.csv:4:1: a source can't be empty (m.yaml:3)", "\(complaints)")
    #expect(complaints.last == "t.csv:5:1: this row has 1 cells, but the header has 2", "\(complaints)")
  }

  @Test("one mistake in 500 rows is one message with a sum, and many are cut short")
  func sums() throws {
    let rows = (1...500).map { "\($0).jpg,big\n" }.joined()
    let fixture = try RowFixture(["t.csv": "source,size\n" + rows])
    let one = try fixture.complaints("  - {from: t.csv, filter: \"fill:{size}\", output: \"{name}.png\"}")
    #expect(one.count == 1)
    #expect(one.first?.contains("same in 499 more lines, last in line 501") == true, "\(one)")
    try fixture.write("source,size\n" + (1...500).map { "\($0).jpg,b\($0)\n" }.joined(), to: "t.csv")
    let many = try fixture.complaints("  - {from: t.csv, filter: \"fill:{size}\", output: \"{name}.png\"}")
    #expect(many.count == DiagnosticSums.maximum + 1)
    #expect(many.last?.contains("480 more lines have mistakes") == true, "\(many.last ?? "")")
  }

  @Test("a table is outside by a link too, and inside with --allow-outside")
  func outside() throws {
    let other = try RowFixture(["t.csv": "source\na.jpg\n"])
    let fixture = try RowFixture()
    try FileManager.default.createSymbolicLink(
      atPath: fixture.directory + "/l.csv", withDestinationPath: other.directory + "/t.csv")
    let job = "  - {from: l.csv, output: \"{name}.png\"}"
    #expect(try fixture.complaints(job).first?.contains("is outside the manifest's directory") == true)
    #expect(try fixture.complaints(job) { $0.allowsOutside = true }.isEmpty)
  }

  @Test("the command line's chain takes a row's columns")
  func appendedChain() throws {
    let fixture = try RowFixture(["t.csv": "sku,source\nA,a.jpg\n"])
    let job = "  - {from: t.csv, filter: flip, output: \"{sku}.png\"}"
    let chain = try ChainTemplate(parsing: "text:{sku}")
    let jobs = try RowFixture.jobs(fixture.read(job) { $0.appendedChain = chain })
    #expect(jobs[0].outputs[0].chain == (try FilterChain(parsing: "flip,text:A")))
    let wrong = try ChainTemplate(parsing: "text:{skv}")
    #expect(
      try fixture.complaints(job) { $0.appendedChain = wrong } == [
        "m.yaml:3:5: the appended chain: unknown field '{skv}' (did you mean 'sku'?)"
      ])
  }

  @Test("a table that has changed since it was read is told of, and makes no wrong job")
  func changed() throws {
    let fixture = try RowFixture(["t.csv": "sku,source\nA,a.jpg\n"])
    let manifest = try fixture.read("  - {from: t.csv, output: \"{sku}.png\"}")
    try fixture.write("source,sku\na.jpg,A\n", to: "t.csv")
    let results = Array(manifest.rows[0])
    #expect(results.count == 1)
    #expect(throws: ManifestDiagnostic.self) { try results[0].get() }
  }

  @Test("an NDJSON row without a field that is used is wrong by itself")
  func missingFields() throws {
    let fixture = try RowFixture(["t.ndjson": "{\"source\":\"a.jpg\",\"sku\":1}\n{\"source\":\"b.jpg\"}\n"])
    let complaints = try fixture.complaints(
      "  - {from: t.ndjson, filter: \"text:{sku}\", output: \"{sku}.png\"}")
    #expect(complaints.count == 1)
    #expect(complaints.first?.hasPrefix("t.ndjson:2:") == true, "\(complaints)")
  }
}
