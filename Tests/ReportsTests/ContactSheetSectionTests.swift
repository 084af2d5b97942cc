import Foundation
import ImageBatch
import Testing

@testable import Reports

@Suite("Sections of the contact sheet", .timeLimit(.minutes(8)))
struct ContactSheetSectionTests {
  private static let sunset = "https://example.com/sunset.jpg"

  /// Two sources with three outputs each, one of which failed, and two sources with one output.
  static func outputs() -> [OutputResult] {
    var outputs: [OutputResult] = []
    for (job, source) in [(1, sunset), (4, "https://example.com/harbor.jpg")] {
      for place in 0..<3 {
        var output =
          job == 4 && place == 1
          ? OutputResult.failing(4, output: 1, source: source)
          : .written(job, output: "\(job)-\(place).png", source: source)
        output.outputIndex = place
        outputs.append(output)
      }
    }
    for job in 2...3 {
      outputs.append(.written(job, output: "single-\(job).png", source: "single-\(job).jpg"))
    }
    return outputs
  }

  private func page(
    _ outputs: [OutputResult], earlier: EarlierReport? = nil, date: Date = .now
  ) throws -> String {
    let (html, directory) = try ContactSheetTests.page(outputs, earlier: earlier, date: date)
    try FileManager.default.removeItem(at: directory)
    return html
  }

  /// The cards of each section, in the page's order.
  private func sections(_ html: String) -> [[String]] {
    html.components(separatedBy: "<section").dropFirst().map { section in
      section.matches(of: /<article id="o([\d-]+)"/).map { String($0.output.1) }
    }
  }

  @Test func `failures come first, then each source's outputs in the manifest's order`() throws {
    let outputs = Self.outputs()
    for order in [outputs, outputs.reversed(), outputs.shuffled()] {
      let html = try page(order)
      #expect(
        sections(html) == [["4-2"], ["1-1", "1-2", "1-3"], ["2-1", "3-1"], ["4-1", "4-3"]])
      #expect(html.contains("<h2>Failures <small>1 output</small></h2>"))
    }
  }

  @Test func `a page without failures has no section for them, and a page without outputs has none`() throws {
    let html = try page([.written(1)])
    #expect(sections(html) == [["1-1"]] && !html.contains(">Failures"))
    #expect(sections(try page([])) == [])
    #expect(try page([.failing(1)]).contains("<h2>Failures <small>1 output</small></h2>"))
  }

  @Test func `every page closes what it opens`() throws {
    for count in 0...Self.outputs().count {
      let html = try page(Array(Self.outputs().prefix(count)))
      for tag in ["section", "div", "article", "main", "p", "h2", "h3", "dialog", "details"] {
        let opened = html.ranges(of: "<\(tag)>").count + html.ranges(of: "<\(tag) ").count
        #expect(opened == html.ranges(of: "</\(tag)>").count, "\(count) outputs: \(tag)")
      }
    }
  }

  @Test func `a source counts once, however many outputs it has`() throws {
    let html = try page(Self.outputs())
    // Four sources of 5000 bytes, seven outputs of 1234 bytes.
    #expect(html.contains("<p class=\"sums\">4 sources, 20.0 kB → 7 outputs, 8.6 kB (−57 %)</p>"))
    #expect(html.contains("sunset.jpg</a> <small>5.0 kB → 3 outputs, 3.7 kB</small></h2>"))
    let sources = html.matches(of: /data-source="(\d+)"/).map { $0.output.1 }
    #expect(sources.count == 8 && Set(sources).count == 4)
  }

  @Test func `the page shows its manifests, its date and the version`() throws {
    var other = OutputResult.written(2, output: "b.png")
    other.location = ManifestLocation(file: "<other>.yaml", line: 1, column: 1)
    let html = try page([.written(1), other], date: Date(timeIntervalSince1970: 1_700_000_000))
    #expect(
      html.contains(
        "<p class=\"origin\">&lt;other&gt;.yaml · m.yaml · "
          + "<time datetime=\"2023-11-14T22:13:20Z\">2023-11-14 22:13 UTC</time> · imagemill 1.2.3</p>"))
  }

  @Test func `the chain is shown as the manifest has it, and in full to unfold`() throws {
    var output = OutputResult.written(1)
    output.filter = "fill:size=96x96:gravity=centre,circle"
    output.chainText = "avatar<&"
    let html = try page([output])
    #expect(html.contains("<p class=\"filter\"><code>avatar&lt;&amp;</code></p>"))
    #expect(
      html.contains("<details><summary>the chain in full</summary><code>\(output.filter)</code></details>"))
    output.chainText = output.filter
    #expect(try !page([output]).contains("<details>"))
  }

  @Test func `an output can be compared with its source, if a browser shows both`() throws {
    var file = OutputResult.written(1, output: "a.png", source: "in/a b.jpg")
    file.sourcePath = "in/a b.jpg"
    var tiff = OutputResult.written(2, output: "b.tif")
    tiff.format = "tiff"
    let data = OutputResult.written(3, output: "c.png", source: "data:image/png;base64,AAAA")
    let script = OutputResult.written(4, output: "d.png", source: "javascript:alert(1)")
    let remote = OutputResult.written(5, output: "e.png", source: "https://example.com/\"e\".jpg")
    let html = try page([file, tiff, data, script, remote, .failing(6)])
    let before = html.matches(of: /data-before="([^"]*)"/).map { String($0.output.1) }
    #expect(before.count == 2 && before.first?.hasSuffix("in/a%20b.jpg") == true)
    #expect(before.last == "https://example.com/&quot;e&quot;.jpg")
    // Without remote sources, the page may load no image of another server.
    #expect(html.contains("img-src 'self' file: data: https: http:;"))
    #expect(try page([file]).contains("img-src 'self' file: data:;"))
  }
}

@Suite("The contact sheet compared with an earlier report", .timeLimit(.minutes(8)))
struct ContactSheetComparisonTests {
  /// The report of `outputs` in a format.
  private static func report(_ outputs: [OutputResult], _ format: String) throws -> EarlierReport {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("earlier-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.appendingPathComponent("run-1.\(format)").path
    let report = try FileReport(path: path, version: "1")
    for output in outputs { report.receive(.outputFinished(output)) }
    report.receive(.finished(.large))
    try report.finish()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    return try EarlierReport(path: path)
  }

  private static func failed(_ index: Int, _ name: String) -> OutputResult {
    var output = OutputResult.failing(index)
    output.output = name
    return output
  }

  /// One output for each kind of change.
  private static var before: [OutputResult] {
    [
      .written(1, output: "same.png"), .written(2, output: "changed.png"), failed(3, "fixed.png"),
      .written(4, output: "broken.png"), failed(5, "still.png"), .written(6, output: "<gone>.png"),
    ]
  }

  private static var after: [OutputResult] {
    var changed = OutputResult.written(2, output: "changed.png")
    changed.sha256 = String(repeating: "cd", count: 32)
    changed.bytes = 617
    changed.width = 45
    return [
      .written(1, output: "same.png"), changed, .written(3, output: "fixed.png"), failed(4, "broken.png"),
      failed(5, "still.png"), .written(7, output: "new.png"),
    ]
  }

  @Test(arguments: ["json", "ndjson"])
  func `each change is counted and shown`(format: String) throws {
    let (html, directory) = try ContactSheetTests.page(
      Self.after, earlier: try Self.report(Self.before, format))
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    #expect(
      html.contains(
        /<p class="comparison">Compared with [^:]*run-1\.[a-z]*: 1 newly failed, 1 fixed, 1 new, 1 changed \(−50 %\), 1 not in this report<\/p>/
      ))
    let tags = html.matches(of: /data-tags="([^"]*)"/).map { String($0.output.1) }
    #expect(tags == ["broken", "changed", "fixed", "new"])
    #expect(
      html.contains("<p class=\"change\"><b>changed</b> 1.2 kB → 617 B (−50 %) was 90 × 60</p>"))
    #expect(html.contains("<section id=\"gone\">") && html.contains("<li>&lt;gone&gt;.png</li>"))
    for name in ["broken", "fixed", "new", "changed"] { #expect(html.contains("data-filter=\"\(name)\"")) }
  }

  @Test func `an equal report has no changes, and none is compared without an earlier one`() throws {
    let (html, directory) = try ContactSheetTests.page(
      Self.before, earlier: try Self.report(Self.before, "ndjson"))
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    #expect(html.contains("run-1.ndjson: no changes</p>") && !html.contains("id=\"gone\""))
    let (plain, place) = try ContactSheetTests.page(Self.before)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: place) } }
    #expect(!plain.contains("Compared with") && !plain.contains("data-filter=\"new\""))
  }

  @Test(arguments: ["", "no report", "{\"outputs\":1}", "{\"status\":\"written\"}\nbroken"])
  func `a file that is no report is refused`(text: String) throws {
    let error = try #require(
      #expect(throws: ReportError.self) { try EarlierReport(Array(text.utf8), name: "x.ndjson") })
    #expect(error.code == .notReadable && error.message.contains("x.ndjson"))
  }
}

@Suite(
  "Comparing pictures in a browser", .serialized, .enabled(if: Browser.installed != nil),
  .timeLimit(.minutes(8)))
struct ContactSheetSliderTests {
  @Test func `a slider shows the source and the output in one place`() throws {
    let source = FileManager.default.temporaryDirectory.appendingPathComponent("source-\(UUID()).png")
    try #require(Data(base64Encoded: ContactSheetTests.picture)).write(to: source)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: source) } }
    var output = OutputResult.written(1, output: "a.png", source: source.path)
    output.sourcePath = source.path
    let result = try ContactSheetBrowserTests().result(
      of: """
        const seen = [document.querySelector('dialog').open];
        const wait = test => new Promise(done => {
          const look = () => test() ? done() : setTimeout(look, 20);
          look();
        });
        document.querySelector('button.compare').click();
        await wait(() => document.getElementById('before-label').textContent.includes('×'));
        const stage = document.getElementById('stage'), cut = document.getElementById('cut');
        seen.push(document.querySelector('dialog').open, document.activeElement.id);
        seen.push(document.getElementById('before-label').textContent);
        seen.push(stage.querySelectorAll('img').length, stage.style.getPropertyValue('--cut'));
        cut.value = 20; cut.dispatchEvent(new Event('input'));
        seen.push(stage.style.getPropertyValue('--cut'));
        seen.push(getComputedStyle(stage.querySelector('.before')).clipPath);
        const box = stage.getBoundingClientRect();
        stage.dispatchEvent(new PointerEvent('pointermove',
          {buttons: 1, bubbles: true, cancelable: true, clientX: box.left + box.width * 0.75}));
        seen.push(stage.style.getPropertyValue('--cut'));
        document.getElementById('close').click();
        seen.push(document.querySelector('dialog').open);
        return seen;
        """, [output])
    #expect(
      result == """
        [false,true,"cut","source, 1 × 1, 5.0 kB",2,"50%","20%","inset(0px 80% 0px 0px)","75%",false]
        """)
  }

  @Test func `a source that the browser can't show is named as such, and the output is shown`() throws {
    var output = OutputResult.written(1, output: "a.png", source: "missing.heic")
    output.sourcePath = "missing.heic"
    // The console reports the missing file, so this page is opened without the helper that expects silence.
    let script = """
      addEventListener('load', () => {
        document.querySelector('button.compare').click();
        const look = () => document.getElementById('missing').hidden
          ? setTimeout(look, 20) : document.documentElement.dataset.result = document.getElementById('cut').value;
        look();
      });
      """
    let (_, directory) = try ContactSheetTests.page([output], script: script)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let browser = try #require(Browser.installed)
    let (html, _) = try browser.document(at: directory.appendingPathComponent("r.html").absoluteString)
    #expect(html.contains("data-result=\"0\""))
  }

  @Test func `arrow keys go through sections as the rows are, and sums count a source once`() throws {
    let outputs = ContactSheetSectionTests.outputs()
    let result = try ContactSheetBrowserTests().result(
      of: """
        const seen = [sum()];
        press('ArrowRight'); seen.push(name());
        press('ArrowDown'); press('ArrowDown'); seen.push(name());
        press('ArrowDown'); seen.push(name());
        press('ArrowUp'); press('ArrowUp'); press('ArrowUp'); seen.push(name());
        type('sunset'); seen.push(sum());
        seen.push(document.querySelectorAll('#sheet > section:not([hidden])').length);
        return seen;
        """, outputs)
    #expect(
      result == """
        ["8 of 8, 8.6 kB (−57 %)","b.png","1-2.png","single-2.png","b.png","3 of 8, 3.7 kB (−26 %)",1]
        """)
  }
}
