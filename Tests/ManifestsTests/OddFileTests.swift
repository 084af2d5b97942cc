import Foundation
import Testing

@testable import Manifests

@Suite("Odd files", .timeLimit(.minutes(8)))
struct OddFileTests {
  private static let job = "jobs: [{source: a.png, output: b.png}]\n"

  private func firstLine(_ complaint: String) -> String {
    String(complaint.split(separator: "\n", maxSplits: 1).first ?? "")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var form = ManifestReader.Form.yaml
    var complaint: String
    var testDescription: String { String(complaint.prefix(60)) }
  }

  @Test(arguments: [
    Case(
      text: "imagemill: 1\njobs:\n\t- source: a.png\n",
      complaint: "images.yaml:3:1: error: not YAML: tabs can't be used for indentation: use spaces"),
    Case(
      text: "imagemill: 1\njobs:\n  - source: a.png\n\toutput: b.png\n",
      complaint: "images.yaml:4:1: error: not YAML: tabs can't be used for indentation: use spaces"),
    Case(
      text: "imagemill: 1\nbase: é\u{7}\n",
      complaint:
        "images.yaml:2:8: error: not YAML: control characters are not allowed: remove it, or escape it in "
        + "double quotes, such as \\u0007"),
    Case(
      text: "imagemill: 1\n\(job)---\n\(job)",
      complaint:
        "images.yaml:3:1: error: a manifest must be one document: remove this line and the rest, or "
        + "move them to another file"),
    Case(text: "", complaint: "images.yaml:1:1: error: the manifest is empty; begin it with 'imagemill: 1'"),
    Case(
      text: "imagemill:\n\(job)",
      complaint:
        "images.yaml:1:1: error: 'imagemill' has no value: it must be the format's version, which is 1"),
    Case(
      text: "imagemill: 1\njobs: []\n",
      complaint: "images.yaml:2:7: error: 'jobs' is an empty list: it needs at least one member"),
    Case(
      text:
        "{\"imagemill\": 1, \"imagemill\": 1, \"jobs\": [{\"source\": \"a.png\", \"output\": \"b.png\"}]}",
      form: .json,
      complaint:
        "images.json:1:18: error: duplicate key 'imagemill' (first in column 2): remove one of them"),
    Case(
      text: "imagemill = 1\njobs = [{source = \"a.png\", output = \"b.png\"}]\n[filters]\n[filters]\n",
      form: .toml,
      complaint:
        "images.toml:4:2: error: duplicate key 'filters' (first in line 3): remove one of them"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: b.webp, filter: {fit: {width: 8, heigth: 9}}}]\n",
      complaint:
        "images.yaml:2:65: error: fit has no parameter 'heigth' (did you mean 'height'?); it takes size, kernel, "
        + "linear, width, height"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: b.png, filter: {fit: [8x9, nearest, true, 3]}}]\n",
      complaint: "images.yaml:2:74: error: fit takes at most 3 arguments; '3' is one too many"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: b.webp, encode: {losless: true}}]\n",
      complaint:
        "images.yaml:2:49: error: webp has no option 'losless' (did you mean 'lossless'?); it has quality, "
        + "lossless, near-lossless, effort, alpha-quality"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: b.webp, encode: {lossless: maybe}}]\n",
      complaint: "images.yaml:2:59: error: 'lossless' must be true|false, not 'maybe'"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: b, format: jpge}]\n",
      complaint:
        "images.yaml:2:43: error: unknown format 'jpge' (did you mean 'jpeg'?); use one of jpeg, png, webp, "
        + "avif, heic, gif, tiff, jxl, a list of them, auto or same"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: \"../{name}.png\"}]\n",
      complaint:
        "images.yaml:2:32: error: '../{name}.png' is outside the output directory: move it inside, or "
        + "allow it"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: x/../../b.png}]\n",
      complaint:
        "images.yaml:2:32: error: 'x/../../b.png' is outside the output directory: move it inside, or "
        + "allow it"),
    Case(
      text: "imagemill: 1\njobs: [{source: a.png, output: \"b.{ext}\", matrix: {format: [png, bogus]}}]\n",
      complaint:
        "images.yaml:2:51: error: unknown format 'bogus'; use one of jpeg, png, webp, avif, heic, gif, tiff, jxl, a list of them, auto or same"
    ),
    Case(
      text: "[{\"source\": \"a.png\", \"output\": \"b.png\"}]", form: .json,
      complaint:
        "images.json:1:1: error: a manifest must be an object such as '{\"imagemill\": 1, \"jobs\": […]}': put this list under 'jobs'"
    ),
    Case(
      text:
        "{\"source\": \"a.png\", \"output\": \"b.png\"}\n{\"source\": \"c.png\", \"output\": \"d.png\"}\n",
      form: .json,
      complaint:
        "images.json:2:1: error: not JSON: unexpected text after the JSON value: a file with one object per line needs the extension .ndjson"
    ),
    Case(
      text: "imagemill = 1\njobs = [{source = \"a.png\", output = \"b.png\",}]\n", form: .toml,
      complaint: "images.toml:2:45: error: not TOML: extra comma before '}': remove it"),
  ]) func `each is told at its place, with the remedy`(_ odd: Case) {
    #expect(firstLine(ManifestFixture.complaints(odd.text, form: odd.form)) == odd.complaint)
  }

  @Test func `a wrong transition is told of once`() {
    let complaint = ManifestFixture.complaints(
      "imagemill: 1\njobs: [{source: a.png, output: b.webp, transition: {from: c.png, kind: zoom}}]\n")
    #expect(complaint.components(separatedBy: "error: ").count == 2)
    #expect(complaint.hasPrefix("images.yaml:2:72: error: 'kind' must be "))
  }

  @Test func `outputs may lie outside where that is allowed, and inside by a detour`() throws {
    let options = ManifestFixture.options { $0.allowsOutside = true }
    let outside = "imagemill: 1\njobs: [{source: a.png, output: ../b.png}, {source: a.png, output: /b.png}]\n"
    #expect(try ManifestFixture.read(outside, options).jobs.count == 2)
    #expect(
      try ManifestFixture.read("imagemill: 1\njobs: [{source: a.png, output: x/../b.png}]\n").jobs.count == 1)
  }

  @Test func `what YAML 1.1 makes truth values, times and numbers stays as it is written`() throws {
    let manifest = try ManifestFixture.read(
      """
      imagemill: 1
      jobs:
        - source: no
          output: "{a}-{b}-{c}-{d}-{e}-{f}.png"
          variables: {a: no, b: 1:30, c: 0x10, d: 1e3, e: 007, f: 2024-01-02}
      """)
    #expect(manifest.jobs[0].sources == [.file("no")])
    #expect(
      manifest.jobs[0].outputs[0].variables == [
        "a": "no", "b": "1:30", "c": "0x10", "d": "1e3", "e": "007", "f": "2024-01-02",
      ])
  }

  @Test(arguments: [ManifestReader.Form.yaml, .json, .toml])
  func `a byte order mark and CR LF are read as they are meant`(_ form: ManifestReader.Form) throws {
    let text =
      switch form {
      case .yaml: "imagemill: 1\r\njobs:\r\n  - source: a.png\r\n    output: b.png\r\n"
      case .json: "{\"imagemill\": 1,\r\n\"jobs\": [{\"source\": \"a.png\",\r\n\"output\": \"b.png\"}]}\r\n"
      case .toml: "imagemill = 1\r\n[[jobs]]\r\nsource = \"a.png\"\r\noutput = \"b.png\"\r\n"
      }
    let manifest = try ManifestFixture.read("\u{FEFF}" + text, form: form)
    #expect(manifest.jobs.map(\.sources) == [[.file("a.png")]])
    #expect(manifest.jobs[0].outputs[0].template.text == "b.png")
    #expect(ManifestKind(sniffing: ("\u{FEFF}" + text).utf8) == .document(form))
  }

  @Test(arguments: [ManifestReader.Form.yaml, .json, .toml])
  func `UTF-16 is called by its name`(_ form: ManifestReader.Form) {
    for mark in [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] {
      let bytes = mark + "imagemill".utf8.flatMap { [$0, 0] }
      let error = #expect(throws: ManifestErrors.self) {
        try ManifestReader().read(bytes, name: "m", form: form)
      }
      #expect(error?.description == "m:1:1: error: this is UTF-16: save the file as UTF-8")
    }
  }

  @Test(arguments: [
    "a\(String(repeating: ".a", count: 100_000)) = 1", "[a\(String(repeating: ".a", count: 100_000))]",
  ])
  func `TOML's dotted keys can't nest deeper than values`(_ line: String) {
    let complaint = ManifestFixture.complaints("imagemill = 1\n" + line, form: .toml)
    #expect(complaint.contains(": error: not TOML: nested more than 64 deep"))
  }

  @Test(arguments: [
    "imagemill: 1\n" + (0..<1200).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
    "imagemill: 1\njobs:\n  " + String(repeating: "- ", count: 50_000) + "a\n",
    String(repeating: "? ", count: 50_000) + "a\n",
  ])
  func `YAML without brackets can't nest deeper either`(_ text: String) {
    let complaint = ManifestFixture.complaints(text)
    #expect(complaint.contains(": error: nested more than 64 deep"))
  }

  @Test func `every repeated key is told, however many there are`() {
    let jobs = (1...150).map { "  - {source: a.png, source: b.png, output: \($0).png}\n" }.joined()
    let complaints = ManifestFixture.complaints("imagemill: 1\njobs:\n" + jobs)
    #expect(complaints.components(separatedBy: "duplicate key 'source'").count >= 101)
  }

  @Test func `many tables of TOML are read in a time that grows as they do`() throws {
    let jobs = (1...20_000).map { "[[jobs]]\nsource = 'a.png'\noutput = '\($0).png'\n" }.joined()
    // This thread's own time: the others' tests don't count.
    func seconds() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec
    }
    let start = seconds()
    let count = try ManifestFixture.read("imagemill = 1\n" + jobs, form: .toml).jobs.count
    #expect(count == 20_000)
    #expect(seconds() - start < 30)
  }

  @Test func `a complaint shows neither megabytes of a line nor of a name`() throws {
    let name = String(repeating: "x", count: 300_000)
    let complaint = ManifestFixture.complaints("imagemill: 1\njobs: [{source: \(name), output: b.png}]\n")
    #expect(
      complaint.hasPrefix(
        "images.yaml:2:17: error: the path has 300000 bytes; Linux allows 4095"))
    #expect(complaint.utf8.count < 1000)
    let scheme = ManifestFixture.complaints("imagemill: 1\njobs: [{source: 'x\(name):y', output: b.png}]\n")
    #expect(scheme.contains("unsupported scheme"))
    #expect(scheme.utf8.count < 2000)
  }

  // MARK: Files

  /// What is in a file of this name.
  private func open(_ bytes: [UInt8], as name: String) throws -> ManifestInput {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "manifests-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent(name).path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try ManifestInput(path: path, try LineJobsTests.options())
  }

  /// `printf 'imagemill: 1\njobs: [{source: a.png, output: b.png}]\n' | gzip -n`
  private static let document: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 204, 77, 76, 79, 205, 205, 204, 201, 177, 82, 48, 228, 202, 202, 79,
    42, 182, 82, 136, 174, 46, 206, 47, 45, 74, 78, 181, 82, 72, 212, 43, 200, 75, 215, 81, 200, 47, 45, 41,
    40,
    45, 177, 82, 72, 2, 113, 107, 99, 185, 0, 32, 12, 168, 248, 52, 0, 0, 0,
  ]

  @Test(arguments: ["m.yaml.gz", "m.yaml", "m"])
  func `a compressed document is unpacked, whatever its name`(_ name: String) throws {
    guard case .document(let manifest) = try open(Self.document, as: name) else {
      Issue.record("no document")
      return
    }
    #expect(manifest.jobs.map(\.sources.count) == [1])
  }

  @Test func `a compressed document that was cut short is refused`() throws {
    let error = #expect(throws: ManifestErrors.self) { try open(Self.document.dropLast(10), as: "m.yaml.gz") }
    #expect(error?.description.hasSuffix(":1:1: error: the gzip data is truncated") == true)
  }

  @Test func `binary data under no telling name is no list`() throws {
    let error = #expect(throws: ManifestErrors.self) {
      try open([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], as: "picture")
    }
    #expect(error?.description.contains("this is binary data, not a manifest") == true)
  }
}
