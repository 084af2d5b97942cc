import Foundation
import ImageBatch
import Testing

@testable import Reports

@Suite("Markup of the outputs", .timeLimit(.minutes(8)))
struct MarkupTests {
  /// A matrix of two widths and two formats, one that failed, and a card that stands elsewhere in the manifest.
  static func job(_ index: Int) -> JobResult {
    func output(_ width: Int, _ format: String, line: Int = 3) -> OutputResult {
      var result = OutputResult.written(index, output: "hero, \(index)-\(width).\(format)")
      result.path = "site/img/hero, \(index)-\(width).\(format)"
      result.format = format
      result.width = width
      result.height = width / 2
      result.location = ManifestLocation(file: "m.yaml", line: line, column: 9)
      return result
    }
    var failed = output(1600, "jpeg")
    failed.status = .failed
    return JobResult(
      output(800, "jpeg"), output(400, "jpeg"), output(400, "avif"), output(800, "avif"), failed,
      output(300, "png", line: 4))
  }

  func emitted(_ format: MarkupFormat, _ jobs: [JobResult]) throws -> String {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("markup-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let report = try FileReport(path: directory.path + "/out", markup: format)
    for var job in jobs {
      job.outputs = job.outputs.map { output in
        var output = output
        output.path = output.path.map { "\(directory.path)/\($0)" }
        return output
      }
      report.receive(.jobFinished(job))
    }
    report.receive(.finished(.large))
    try report.finish()
    return try String(contentsOfFile: directory.path + "/out", encoding: .utf8)
  }

  @Test func `an error about a markup file calls it by that name`() throws {
    let error = try #require(throws: ReportError.self) {
      _ = try FileReport(path: "/dev/null/none/out.html", markup: .picture)
    }
    #expect(error.message.contains("markup file '/dev/null/none/out.html'"), "\(error.message)")
  }

  @Test func `a picture has a source for each format and a fallback that is known everywhere`() throws {
    #expect(
      try emitted(.picture, [Self.job(1)]) == """
        <picture>
          <source type="image/avif" srcset="site/img/hero%2C%201-400.avif 400w, site/img/hero%2C%201-800.avif 800w" sizes="(max-width: 800px) 100vw, 800px">
          <img src="site/img/hero%2C%201-800.jpeg" srcset="site/img/hero%2C%201-400.jpeg 400w, site/img/hero%2C%201-800.jpeg 800w" sizes="(max-width: 800px) 100vw, 800px" width="800" height="400" alt="">
        </picture>
        <picture>
          <img src="site/img/hero%2C%201-300.png" width="300" height="150" alt="">
        </picture>

        """)
  }

  @Test func `srcset is the fallback alone, and jobs stand in the manifest's order`() throws {
    let lines = try emitted(.srcset, [Self.job(2), Self.job(1)]).split(separator: "\n")
    #expect(lines.count == 4)
    #expect(
      lines.first
        == #"<img src="site/img/hero%2C%201-800.jpeg" srcset="site/img/hero%2C%201-400.jpeg 400w, site/img/hero%2C%201-800.jpeg 800w" sizes="(max-width: 800px) 100vw, 800px" width="800" height="400" alt="">"#
    )
  }

  @Test func `json has the same as data, and is well-formed without any`() throws {
    let text = try emitted(.json, [Self.job(1), Self.job(2)])
    let document = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["version"] as? Int == 1)
    let sets = try #require(document["images"] as? [[String: Any]])
    #expect(sets.count == 4)
    let variants = try #require(sets.first?["variants"] as? [[String: Any]])
    #expect(variants.compactMap { $0["type"] as? String } == ["image/avif", "image/jpeg"])
    let pictures = try #require(variants.first?["pictures"] as? [[String: Any]])
    #expect(pictures.compactMap { $0["width"] as? Int } == [400, 800])
    var failed = Self.job(1)
    for position in failed.outputs.indices { failed.outputs[position].status = .failed }
    let empty = try emitted(.json, [failed])
    let none = try #require(JSONSerialization.jsonObject(with: Data(empty.utf8)) as? [String: Any])
    #expect((none["images"] as? [Any])?.isEmpty == true)
  }

  @Test(
    .enabled(if: Browser.installed != nil),
    arguments: [
      (560, "image/avif", "hero%2C%201%22%3E%3Cscript%3E-400.avif"), (1200, "image/avif", "-800.avif"),
      (1200, "image/none", "-800.jpeg"),
    ])
  func `Chromium takes the size that fits its window and the first format that it knows`(
    width: Int, type: String, name: String
  ) throws {
    var job = Self.job(1)
    job.outputs.removeLast()
    let evil = "hero, 1\"><script>"
    for position in job.outputs.indices {
      // No window of Chromium's is narrower than 500 pixels.
      job.outputs[position].width = job.outputs[position].width.map { $0 * 2 }
      job.outputs[position].height = job.outputs[position].height.map { $0 * 2 }
      job.outputs[position].path = job.outputs[position].path?.replacing("hero, 1", with: evil)
    }
    let markup = try emitted(.picture, [job]).replacing("image/avif", with: type)
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("markup-\(UUID())")
    try FileManager.default.createDirectory(
      at: directory.appendingPathComponent("site/img"), withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let picture = try #require(Data(base64Encoded: ContactSheetTests.picture))
    for file in job.outputs.compactMap(\.path) {
      try picture.write(to: directory.appendingPathComponent(file))
    }
    let page = directory.appendingPathComponent("page.html")
    try """
    <!DOCTYPE html><meta charset="utf-8"><body>\(markup)<script>
    document.querySelector('img').addEventListener('load', event => {
      const image = event.target;
      document.documentElement.dataset.result = [image.currentSrc, image.width, image.height].join(' ');
    });
    </script>
    """.write(to: page, atomically: true, encoding: .utf8)
    let browser = try #require(Browser.installed)
    let (html, console) = try browser.document(at: page.absoluteString, width: width)
    #expect(console == [])
    let result = try #require(html.firstMatch(of: /data-result="([^"]*)"/), "\(html)")
    #expect(result.output.1.hasSuffix("\(name) 1600 800"), "\(result.output.1)")
  }
}
