import Foundation
import Glibc
import ImageBatch
import ImageFilters
import Testing

@testable import Manifests

/// A pipe whose writing end the test holds.
final class TestPipe {
  let reading: Int32
  private var writing: Int32?

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    reading = ends[0]
    writing = ends[1]
  }

  func write(_ bytes: some Sequence<UInt8>) throws {
    let bytes = Array(bytes)
    let writing = try #require(writing)
    #expect(Glibc.write(writing, bytes, bytes.count) == bytes.count)
  }

  func finish() {
    if let writing { close(writing) }
    writing = nil
  }

  deinit {
    finish()
    close(reading)
  }
}

@Suite("Streams of jobs", .timeLimit(.minutes(8)))
struct LineJobsTests {
  static func options() throws -> ManifestOptions {
    var options = ManifestOptions()
    options.outputTemplate = try OutputTemplate(parsing: "{name}.png")
    return options
  }

  /// All that a stream of these bytes holds.
  static func read(_ bytes: [UInt8], _ lines: LineOptions) async throws -> [LineJobs.Element] {
    let pipe = try TestPipe()
    try pipe.write(bytes)
    pipe.finish()
    var result: [LineJobs.Element] = []
    for await element in try LineJobs(descriptor: pipe.reading, name: "-", lines, Self.options()) {
      result.append(element)
    }
    return result
  }

  static func read(_ text: String, _ form: LineForm) async throws -> [LineJobs.Element] {
    try await read(Array(text.utf8), LineOptions(form))
  }

  static func texts(_ elements: [LineJobs.Element]) -> [String] {
    elements.map { element in
      switch element {
      case .success(let job): "\(job.index) \(job.sources[0].displayText)"
      case .failure(let diagnostic): "\(diagnostic.line):\(diagnostic.column) \(diagnostic.message)"
      }
    }
  }

  @Test func `blank lines and comments are skipped, and a last line needs no end`() async throws {
    let found = try await Self.read("a.png\r\n\n  # b.png\n\t c.png  \nhttps://h.example/d.png", .sources)
    #expect(Self.texts(found) == ["1 a.png", "2 c.png", "3 https://h.example/d.png"])
    #expect(try found.map { try $0.get().location?.line } == [1, 4, 5])
  }

  @Test func `a line of sha256sum pins the content`() async throws {
    let hash = String(repeating: "ab", count: 32)
    let found = try await Self.read("\(hash)  a b.png\n\(hash) *c.png\n\(hash)d.png\n", .sources)
    #expect(Self.texts(found) == ["1 a b.png", "2 c.png", "3 \(hash)d.png"])
    #expect(try found.map { try $0.get().pinnedDigest?.hex } == [hash, hash, nil])
  }

  @Test func `the first job is out before the input ends`() async throws {
    let pipe = try TestPipe()
    var iterator = try LineJobs(descriptor: pipe.reading, name: "-", LineOptions(.sources), Self.options())
      .makeAsyncIterator()
    try pipe.write("a.png\nb.pn".utf8)
    #expect(try await iterator.next()?.get().sources == [.file("a.png")])
    try pipe.write("g\n".utf8)
    #expect(try await iterator.next()?.get().sources == [.file("b.png")])
    pipe.finish()
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
  }

  @Test func `cancelling ends the wait for input`() async throws {
    let pipe = try TestPipe()
    let jobs = try LineJobs(descriptor: pipe.reading, name: "-", LineOptions(.sources), Self.options())
    let waiting = Task { await jobs.first { _ in true } }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test func `NUL-separated records keep line breaks, spaces and a leading number sign`() async throws {
    var lines = LineOptions(.sources)
    lines.isNULSeparated = true
    let found = try await Self.read(Array("a\nb.png\0 #c.png \0".utf8), lines)
    #expect(try found.map { try $0.get().sources } == [[.file("a\nb.png")], [.file(" #c.png ")]])
  }

  @Test func `the place of a NUL-separated record is its number, whatever lines it has`() async throws {
    var lines = LineOptions(.sources)
    lines.isNULSeparated = true
    let sources = try await Self.read(Array("a.png\0b\nc.png\0co:x\0".utf8), lines)
    #expect(try sources.prefix(2).map { try $0.get().location?.line } == [1, 2])
    #expect(
      Self.texts(sources).last
        == "3:1 unsupported scheme 'co': use http, https, s3, file or data; for a file write './co:x'")
    lines = LineOptions(.ndjson)
    lines.isNULSeparated = true
    let records = [
      "{\n\"source\": \"a.png\",\n\"output\": \"a.jpg\"\n}",
      "{\n\"source\": \"b.png\",\n\"output\": \"b.xyz\"}",
    ]
    let found = try await Self.read(Array(records.joined(separator: "\0").utf8), lines)
    let job = try #require(try found.first?.get())
    #expect(job.location?.line == 1 && job.outputs.first?.location?.line == 1)
    #expect(Self.texts(found).last?.hasPrefix("2:") == true, "\(Self.texts(found))")
  }

  @Test func `NDJSON is the manifest's job form, and other keys are carried through`() async throws {
    let found = try await Self.read(
      """
      {"id": 7, "source": "a.png", "output": "{id}-{tag}.jpg", "filter": "circle", "tag": "x/y", "deep": {"a": [1, null]}}
      {"source": "b.png", "quality": [1]}

      {"sorce": "c.png"}
      [1]
      {"source": "d.png"} x
      {"source": "e.png"}
      """, .ndjson)
    let job = try #require(try found.first?.get())
    #expect(
      job.fields.map { "\($0.name)=\($0.json)" } == ["id=7", "tag=\"x/y\"", "deep={\"a\":[1,null]}"])
    #expect(job.outputs[0].variables == ["id": "7", "tag": "x/y"])
    #expect(job.outputs[0].encoding.format == .jpeg)
    #expect(
      Self.texts(found) == [
        "1 a.png", "2:32 'quality' must be a string or a number, not a list",
        "4:2 a job needs 'source' (is 'sorce' a typo?)", "5:1 a job must be a mapping, not a list",
        "6:21 not JSON: unexpected text after the JSON value", "6 e.png",
      ])
  }

  @Test func `columns of CSV are the job's or fields, and quoted cells hold anything`() async throws {
    let found = try await Self.read(
      "\u{FEFF}id,source,output,quality,title\r\n1,a.png,\"{title}.jpg\",40,\"Ada, \"\"the\"\" first\nProgrammer\"\r\n2,b.png,,,\n3,c.png\n4,d.png,x.jpg,1,5\" disk\n",
      .csv)
    let jobs = found.compactMap { try? $0.get() }
    #expect(jobs.map(\.index) == [1, 2, 4])
    #expect(jobs[0].outputs[0].variables == ["id": "1", "title": "Ada, \"the\" first\nProgrammer"])
    #expect(jobs[0].fields.map(\.name) == ["id", "title"])
    #expect(jobs[0].outputs[0].encoding.identifier.contains("quality=40"))
    #expect(jobs[1].outputs[0].template.text == "{name}.png")
    #expect(jobs[1].fields.map(\.json) == ["\"2\"", "\"\""])
    #expect(jobs[2].fields.map(\.json) == ["\"4\"", "\"5\\\" disk\""])
    #expect(jobs.map { $0.location?.line } == [2, 4, 6])
    #expect(Self.texts(found)[2] == "5:1 this row has 2 cells, but the header has 5")
  }

  @Test func `TSV is read by tabs, and a header without a source is told once`() async throws {
    #expect(Self.texts(try await Self.read("source\tn\na,b.png\t1\n", .tsv)) == ["1 a,b.png"])
    #expect(
      Self.texts(try await Self.read("sorce\tn\na.png\t1\nb.png\t2\n", .tsv)) == [
        "1:1 the header line has no column 'source' (is 'sorce' a typo?)"
      ])
  }

  @Test func `what only looks like sha256sum's line is told, and its escaped names are understood`()
    async throws
  {
    let hash = String(repeating: "ab", count: 32)
    let found = try await Self.read(
      "\(hash.dropLast())  a.png\n\(hash.prefix(40)) *b.png\n\\\(hash)  a\\nb\\\\c.png\nabcdef  d.png\n",
      .sources)
    #expect(
      Self.texts(found) == [
        "1:1 a digest before a source must be 64 hexadecimal digits, as printed by sha256sum; this has 63",
        "2:1 a digest before a source must be 64 hexadecimal digits, as printed by sha256sum; this has 40",
        "3 a\nb\\c.png", "4 abcdef  d.png",
      ])
    #expect(try found[2].get().pinnedDigest?.hex == hash)
  }

  @Test func `line ends of old Macs are told, not taken for one long record`() async throws {
    let complaint = "a carriage return within a line: end the lines with LF or CR LF"
    #expect(Self.texts(try await Self.read("a.png\rb.png\r", .sources)) == ["1:6 \(complaint)"])
    #expect(Self.texts(try await Self.read("source,output\ra.png,b.png\r", .csv)) == ["1:14 \(complaint)"])
    // Quoted, it is a cell's.
    let quoted = try await Self.read("source,title\na.png,\"x\ry\"\n", .csv)
    #expect(try quoted.map { try $0.get().fields.map(\.json) } == [["\"x\\ry\""]])
  }

  @Test(arguments: [
    ("source;output\na.png;b.png\n", LineForm.csv, "';'; use commas"),
    ("source\toutput\na.png\tb.png\n", .csv, "tabs; use commas"),
    ("source,output\na.png,b.png\n", .tsv, "','; use tabs"),
  ])
  func `a header with another separator is told of it`(_ text: String, _ form: LineForm, _ hint: String)
    async throws
  {
    let found = try await Self.read(text, form)
    #expect(
      Self.texts(found) == [
        "1:1 the header line has no column 'source': its cells are separated by \(hint)"
      ])
  }

  @Test func `a column whose values are no texts is told once, at the header`() async throws {
    let found = try await Self.read("source,output,matrix\na.png,b.png,x\nc.png,d.png,y\n", .csv)
    #expect(
      Self.texts(found) == [
        "1:15 'matrix' needs a mapping of names to values, which a cell can't hold: write the list as NDJSON"
      ])
  }

  @Test func `a list without a template is told what to give, before anything is read`() throws {
    let pipe = try TestPipe()
    let error = #expect(throws: ManifestErrors.self) {
      try LineJobs(descriptor: pipe.reading, name: "-", LineOptions(.sources), ManifestOptions())
    }
    #expect(
      error?.description
        == "-:1:1: error: a list has no output paths"
    )
  }

  @Test func `a list in UTF-16 is called by its name`() async throws {
    let bytes: [UInt8] = [0xFF, 0xFE] + "a.png".utf8.flatMap { [$0, 0] }
    #expect(
      Self.texts(try await Self.read(bytes, LineOptions(.sources))) == [
        "1:1 this is UTF-16: save the file as UTF-8"
      ])
  }

  @Test func `a line that isn't UTF-8 costs one job`() async throws {
    let found = try await Self.read([0x61, 0x0A, 0xE9, 0x0A, 0x62, 0x0A], LineOptions(.sources))
    #expect(Self.texts(found) == ["1 a", "2:1 not UTF-8: save the list as UTF-8", "3 b"])
    var names = LineOptions(.sources)
    names.isNULSeparated = true
    let named = try await Self.read([0x61, 0, 0xE9, 0, 0x62, 0], names)
    #expect(Self.texts(named) == ["1 a", "2:1 not UTF-8: rename the file", "3 b"])
  }

  /// `printf 'a.png\nb.png\n' | gzip -n`
  static let gzip: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 75, 212, 43, 200, 75, 231, 74, 2, 147, 0, 103, 6, 172, 216, 12, 0, 0, 0,
  ]

  @Test func `gzip is unpacked, members one after the other, and told when cut short`() async throws {
    let twice = try await Self.read(Self.gzip + Self.gzip, LineOptions(.sources))
    #expect(Self.texts(twice) == ["1 a.png", "2 b.png", "3 a.png", "4 b.png"])
    let cut = try await Self.read(Self.gzip.dropLast(9), LineOptions(.sources))
    #expect(
      Self.texts(cut).last == "3:1 the gzip data is truncated"
        || Self.texts(cut).last == "1:1 the gzip data is truncated")
    var corrupt = Self.gzip
    corrupt[20] ^= 0xFF
    corrupt[21] ^= 0xFF
    #expect(Self.texts(try await Self.read(corrupt, LineOptions(.sources))).last?.contains("gzip") == true)
  }

  @Test func `however the bytes arrive, the records are the same`() {
    let text = "a,\"b\"\"c\nd\",e\r\n\"\",\n\n1\",2\nlast"
    func records(_ size: Int) -> [Record] {
      var splitter = RecordSplitter(separator: UInt8(ascii: ","))
      var found: [Record] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        splitter.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let record = splitter.next() { found.append(record) }
      }
      if let last = splitter.last() { found.append(last) }
      return found
    }
    let whole = records(1000)
    #expect(whole.map(\.line) == [1, 3, 4, 5, 6])
    #expect(
      whole.map { String(decoding: $0.bytes, as: UTF8.self) } == [
        "a,\"b\"\"c\nd\",e", "\"\",", "", "1\",2", "last",
      ])
    for size in 1...12 { #expect(records(size) == whole) }
  }

  @Test(arguments: [
    ("imagemill: 1\n", ManifestKind.document(.yaml)), ("# x\n\njobs:\n", .document(.yaml)),
    ("imagemill = 1\n", .document(.toml)), ("{\"imagemill\": 1,\n", .document(.json)),
    ("{\"source\": \"a\"}\n", .lines(.ndjson)), ("https://a.example/b.png\n", .lines(.sources)),
    ("id,source\n1,a.png\n", .lines(.csv)), ("source\tid\na.png\t1\n", .lines(.tsv)),
    ("\u{FEFF}source,id\n", .lines(.csv)), ("source\n", .lines(.sources)),
    ("my source, old.png\n", .lines(.sources)),
  ])
  func `the first line tells what standard input is`(_ text: String, _ kind: ManifestKind) {
    #expect(ManifestKind(sniffing: text.utf8) == kind)
  }

  @Test func `a file's name tells what it is, also behind gz`() {
    #expect(ManifestKind(fileName: "a.YML") == .document(.yaml))
    #expect(ManifestKind(fileName: "x/a.csv.gz") == .lines(.csv))
    #expect(ManifestKind(fileName: "list") == nil)
  }

  @Test func `a long list costs no more memory than a short one`() async {
    // A process of its own: what other tests hold isn't this one's.
    await #expect(processExitsWith: .success) {
      func residentMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return try #require(pages) * Int(getpagesize())
      }
      let path = FileManager.default.temporaryDirectory.appendingPathComponent(
        "list-\(UInt64.random(in: 0 ... .max))"
      ).path
      defer { unlink(path) }
      let block = Data((0..<1000).map { "https://h.example/\($0).png\n" }.joined().utf8)
      try #require(FileManager.default.createFile(atPath: path, contents: nil))
      let file = try #require(FileHandle(forWritingAtPath: path))
      for _ in 0..<200 { try file.write(contentsOf: block) }
      try file.close()

      let before = try residentMemory()
      var greatest = 0
      var count = 0
      guard case .lines(let jobs) = try ManifestInput(path: path, form: .sources, try LineJobsTests.options())
      else {
        Issue.record("not read as lines")
        return
      }
      for await result in jobs {
        count += 1
        if case .failure(let diagnostic) = result { Issue.record("\(diagnostic)") }
        if count.isMultiple(of: 20_000) { greatest = max(greatest, try residentMemory() - before) }
      }
      #expect(count == 200_000)
      #expect(greatest < 48 << 20)
    }
  }
}
