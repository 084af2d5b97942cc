import Foundation
import FoundationXML
import ImageBatch
import Testing

@testable import Reports
import ImageRendering

@Suite("The contact sheet", .timeLimit(.minutes(8)))
struct ContactSheetTests {
  static let hostile = "x\"><script>window.pwned=1</script><img src=x onerror=alert(1)>'&amp;.png"

  static func outputs() -> [OutputResult] {
    var seen = OutputResult.written(1, output: "a b%#?.png")
    seen.placeholders = Placeholders(
      dominantColor: "#336699", blurHash: "L", thumbHash: "t", dataURI: "data:image/png;base64," + picture)
    var evil = OutputResult.written(2, output: hostile, source: "javascript:alert(1)")
    evil.status = .cached
    evil.filter = hostile
    var failed = OutputResult.failing(3, message: hostile, source: hostile)
    failed.output = nil
    var tiff = OutputResult.written(4, output: "d.tif")
    tiff.format = "tiff"
    tiff.status = .unchanged
    tiff.bytes = 6000
    return [seen, evil, failed, tiff]
  }

  /// A name that reads backwards from its middle.
  static let turned = "photo\u{202E}gnp.exe"

  /// A red pixel.
  static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

  static func page(
    _ outputs: [OutputResult], script: String = "", earlier: EarlierReport? = nil, date: Date = .now
  ) throws -> (html: String, directory: URL) {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sheet-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.appendingPathComponent("r.html")
    let report = try FileReport(path: path.path, version: "1.2.3", earlier: earlier, date: date)
    var summary = BatchSummary()
    for var output in outputs {
      summary.outputs += 1
      switch output.status {
      case .written: summary.outputsWritten += 1
      case .cached: summary.outputsFromCache += 1
      case .unchanged: summary.outputsUnchanged += 1
      case .kept: summary.outputsKept += 1
      case .failed: summary.outputsFailed += 1
      }
      output.path = output.output.map { directory.path + "/" + $0.replacing("/", with: "_") }
      if output.status == .written, let path = output.path {
        try (Data(base64Encoded: picture) ?? Data()).write(to: URL(fileURLWithPath: path))
      }
      report.receive(.outputFinished(output))
    }
    report.receive(.finished(summary))
    try report.finish()
    let html = try String(contentsOf: path, encoding: .utf8)
    if !script.isEmpty {
      // Before the page's policy, which would not let it run.
      try html.replacing("<head>", with: "<head><script>\(script)</script>", maxReplacements: 1)
        .write(to: path, atomically: true, encoding: .utf8)
    }
    return (html, directory)
  }

  @Test func `pictures are named from the page and their names are encoded`() throws {
    let paths = ImagePaths(reportDirectory: "/site/reports", workingDirectory: "/site")
    #expect(paths.url(of: "out/a b%#?.png") == "../out/a%20b%25%23%3F.png")
    #expect(paths.url(of: "reports/x.png") == "x.png")
    #expect(paths.url(of: "/else/./y/../ü.png") == "../../else/%C3%BC.png")
    #expect(
      ImagePaths(reportDirectory: "/", workingDirectory: "/").url(of: "javascript:x") == "javascript%3Ax")
  }

  @Test func `no name is markup, and nothing outside the page is asked for`() throws {
    let (html, directory) = try Self.page(Self.outputs())
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    #expect(html.ranges(of: "<script").count == 1)
    #expect(!html.contains("<img src=x"))
    #expect(!html.contains("href=\"javascript:"))
    #expect(html.contains("src=\"a%20b%25%23%3F.png\""))
    #expect(html.contains("script-src '\(HTMLReport.hash(ContactSheetScript.text))'"))
    #expect(html.contains("<script>\(ContactSheetScript.text)</script>"))
    #expect(!html.contains(" style=\"") && !html.contains(" onload="))
    // A browser would ask the page's server for an icon.
    #expect(html.ranges(of: "<link ").count == 1 && html.contains("<link rel=\"icon\" href=\"data:,\">"))
    for source in html.matches(of: /src="([^"]*)"/).map({ String($0.output.1) }) {
      #expect(source.hasPrefix("data:image/") || !source.contains(":"), "\(source)")
    }
  }

  @Test func `a name turns no direction around, and says so`() throws {
    let (html, directory) = try Self.page([
      .written(output: Self.turned, source: "https://example.com/\(Self.turned)"),
      .failing(message: Self.turned),
    ])
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    #expect(html.ranges(of: ">photo\u{FFFD}gnp.exe</h3>").count == 1)
    #expect(html.contains("</b> photo\u{FFFD}gnp.exe <code>"))
    // The address itself is left as it is.
    #expect(
      html.ranges(of: "\u{202E}").count == 2
        && html.contains("href=\"https://example.com/photo\u{202E}gnp.exe\"")
        && html.contains("data-before=\"https://example.com/photo\u{202E}gnp.exe\""))
    #expect(html.contains("href=\"photo%E2%80%AEgnp.exe\""))
  }

  @Test func `each output has a name for those who hear the page, and a place to link to`() throws {
    let (html, directory) = try Self.page(Self.outputs())
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let cards = html.matches(of: /<article id="o(\d+-\d+)" [^>]*aria-labelledby="n(\d+-\d+)">/)
    #expect(cards.map { String($0.output.1) } == ["3-1", "1-1", "4-1", "2-1"])
    #expect(cards.allSatisfy { $0.output.1 == $0.output.2 && html.contains("<h3 id=\"n\($0.output.1)\">") })
    #expect(
      html.contains("<html lang=\"en\">") && html.contains("<main id=\"sheet\" aria-label=\"Outputs\">"))
    for image in html.matches(of: /<img [^>]*>/) { #expect(image.output.contains(" alt=\"")) }
  }

  @Test func `sizes, savings and reasons are shown`() throws {
    let (html, directory) = try Self.page(Self.outputs())
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    #expect(
      html.contains(
        "90 × 60 · png · 1.2 kB · <span class=\"saved\" title=\"compared with the source\">−75 %</span>"))
    #expect(html.contains("<span class=\"grown\" title=\"compared with the source\">+20 %</span>"))
    var equal = OutputResult.written(1, output: "e.png")
    equal.bytes = equal.sourceBytes
    let (same, place) = try Self.page([equal])
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: place) } }
    #expect(same.contains(" · 0 %") && !same.contains("−0"))
    #expect(html.contains("<b>download</b> x&quot;&gt;&lt;script&gt;"))
    #expect(html.contains("m.yaml:4:5"))
    #expect(html.contains("1 of 4 outputs failed"))
  }
}

@Suite(
  "The contact sheet in a browser", .serialized, .enabled(if: Browser.installed != nil),
  .timeLimit(.minutes(8)))
struct ContactSheetBrowserTests {
  /// The page's cards that are shown, by status, after `address` has been opened.
  func shown(_ fragment: String, _ outputs: [OutputResult] = ContactSheetTests.outputs()) throws -> (
    statuses: [String], html: String, console: [String]
  ) {
    let (_, directory) = try ContactSheetTests.page(outputs)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let browser = try #require(Browser.installed)
    let (html, console) = try browser.document(
      at: directory.appendingPathComponent("r.html").absoluteString + fragment)
    let cards = html.matches(of: /<article ([^>]*)>/).map { String($0.output.1) }
    let statuses = cards.filter { !$0.contains("hidden") }
      .compactMap { $0.firstMatch(of: /data-status="([a-z]*)"/).map { String($0.output.1) } }
    return (statuses, html, console)
  }

  @Test func `the page runs, pictures fade in, and hostile names do nothing`() throws {
    var outputs = ContactSheetTests.outputs()
    outputs.remove(at: 1)  // its picture isn't there, which the console would report
    var page = try shown("", outputs)
    // The browser's clock may have run out before a busy machine has loaded an image.
    for _ in 0..<5 where !page.html.contains("class=\"full loaded\"") { page = try shown("", outputs) }
    let (statuses, html, console) = page
    #expect(statuses == ["failed", "written", "unchanged"])
    #expect(html.contains("class=\"full loaded\""))
    #expect(html.contains(/<img class="blur" data-src="data:[^"]*"[^>]* src="data:image\/png;/))
    #expect(html.contains("<html lang=\"en\" class=\"js\">"))
    #expect(console == [])
    #expect(html.ranges(of: "<script").count == 1)
  }

  @Test func `a status and words choose what is shown`() throws {
    let failed = try shown("#show=failed")
    #expect(failed.statuses == ["failed"])
    #expect(failed.html.contains(/data-filter="failed" aria-pressed="true"/))
    #expect(try shown("#find=ONERROR%20window").statuses == ["failed", "cached"])
    let none = try shown("#show=cached&find=nowhere")
    #expect(none.statuses == [])
    #expect(!none.html.contains(/<p id="nothing" hidden/))
  }

  /// What `steps`, the body of an asynchronous function that has `press(key)`, `type(text)` and `sum()`, returned in
  /// the page.
  func result(of steps: String, _ outputs: [OutputResult]) throws -> String {
    let script = """
      addEventListener('load', async () => {
        const search = document.getElementById('search');
        const press = key => (document.activeElement || document.body)
          .dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
        const type = text => { search.value = text; search.dispatchEvent(new Event('input')); };
        const sum = () => document.getElementById('shown').value;
        const name = () => (document.activeElement.querySelector('h3') || {}).textContent;
        const steps = async () => { \(steps) };
        document.documentElement.dataset.result = JSON.stringify(await steps());
      });
      """
    let (_, directory) = try ContactSheetTests.page(outputs, script: script)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let browser = try #require(Browser.installed)
    let (html, console) = try browser.document(at: directory.appendingPathComponent("r.html").absoluteString)
    #expect(console == [])
    let match = try #require(html.prefix(4000).firstMatch(of: /data-result="([^"]*)"/), "\(html.prefix(300))")
    return String(match.output.1).replacing("&quot;", with: "\"")
  }

  @Test func `keys search, choose a status, go from picture to picture, and show all again`() throws {
    var outputs = (1...8).map { OutputResult.written($0, output: "\($0)é.png") }
    outputs.append(.failing(9))
    let result = try result(
      of: """
        const seen = [];
        press('/'); seen.push(document.activeElement.id);
        type('3E\u{301}.PNG m.yaml'); seen.push(sum());
        press('Enter'); seen.push(name());
        press('Escape'); seen.push(sum());
        press('1'); seen.push(sum(), location.hash);
        press('0'); press('ArrowRight'); press('ArrowRight'); press('ArrowRight'); seen.push(name());
        press('ArrowLeft'); seen.push(name());
        press('ArrowDown'); press('ArrowUp'); seen.push(name());
        return seen;
        """, outputs)
    #expect(
      result == """
        ["search","1 of 9, 1.2 kB (−75 %)","3é.png","9 of 9, 9.9 kB (+97 %)",\
        "1 of 9","#show=failed","2é.png","1é.png","1é.png"]
        """)
  }

  @Test func `5,000 outputs are filtered while one types`() throws {
    let outputs = (1...5000).map { index in
      index % 100 == 0 ? OutputResult.failing(index) : .written(index, output: "picture-\(index).png")
    }
    let result = try result(
      of: """
        const start = performance.now();
        for (const text of ['p', 'pi', 'pic', 'picture-49', 'picture-499', '']) {
          type(text); document.getElementById('sheet').getBoundingClientRect();
        }
        const slow = (performance.now() - start) / 6 > 1000;
        press('1');
        return [slow, sum()];
        """, outputs)
    #expect(result == "[false,\"50 of 5000\"]")
  }

  @Test func `a picture that has gone is said to have gone`() throws {
    let (_, html, _) = try shown("")
    #expect(html.contains("class=\"picture gone\""))
  }
}
