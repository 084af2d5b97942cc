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
    let sets = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(sets.count == 4)
    let variants = try #require(sets.first?["variants"] as? [[String: Any]])
    #expect(variants.compactMap { $0["type"] as? String } == ["image/avif", "image/jpeg"])
    let pictures = try #require(variants.first?["pictures"] as? [[String: Any]])
    #expect(pictures.compactMap { $0["width"] as? Int } == [400, 800])
    var failed = Self.job(1)
    for position in failed.outputs.indices { failed.outputs[position].status = .failed }
    let empty = try emitted(.json, [failed])
    #expect(try (JSONSerialization.jsonObject(with: Data(empty.utf8)) as? [Any])?.isEmpty == true)
  }
}
