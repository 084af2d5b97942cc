import ImageBatch
import Manifests
import Testing

@Suite("Reading reports", .timeLimit(.minutes(8)))
struct RunReportTests {
  private func results(_ text: String) throws -> [OutputResult] {
    var results: [OutputResult] = []
    try RunReport.forEachResult(of: Array(text.utf8), name: "r.ndjson", wanted: "use a report") {
      results.append($0)
    }
    return results
  }

  private static let line =
    #"{"version":1,"index":7,"source":"a.jpg","output":"a.png","status":"failed","width":3,"height":null,"bytes":9007199254740993,"sha256":null,"filter":"","format":"png","error":{"code":"http-status","stage":"download","message":"no","temporary":true},"fields":{"b":[1,null],"a":"x"},"path":null,"seconds":0.5,"usedPlaceholder":true,"location":{"file":"m.yaml","line":3,"column":5}}"#

  @Test("gives all that a line has")
  func members() throws {
    let result = try #require(try results(Self.line + "\n\n").first)
    #expect(result.index == 7 && result.source == "a.jpg" && result.output == "a.png" && result.path == nil)
    #expect(result.status == .failed && result.width == 3 && result.height == nil)
    #expect(result.bytes == 9_007_199_254_740_993 && result.usedPlaceholder)
    #expect(result.error?.code == .httpStatus && result.error?.isTemporary == true)
    #expect(result.fields.map(\.name) == ["b", "a"] && result.fields.map(\.json) == ["[1,null]", #""x""#])
    #expect(result.location == ManifestLocation(file: "m.yaml", line: 3, column: 5))
  }

  @Test("reads .json reports, on one line and on many, and empty ones")
  func documents() throws {
    let head = #"{"version":1,"imagemill":"1","summary":{},"outputs":["#
    #expect(try results("\(head)\n\(Self.line),\n\(Self.line)\n]}\n").count == 2)
    #expect(try results("\(head)\(Self.line)]}").count == 1)
    #expect(try results("{\n  \"outputs\": []\n}").isEmpty)
    #expect(try results("").isEmpty)
  }

  @Test(
    "names the line that isn't a result",
    arguments: [
      ("imagemill: 1\n", "r.ndjson:1:1", "use a report"),
      (line + "\n{\"a\":1}\n", "r.ndjson:2:1", "this isn't a result"),
      (line + "\n" + String(line.prefix(40)), "r.ndjson:2:", "not JSON"),
      (line.replacing("http-status", with: "novel"), "r.ndjson:1:", "unknown error code 'novel'"),
      ("[]", "r.ndjson:1:1", "must be a JSON object; use a report"),
      ("{\"outputs\":[{}]}", "r.ndjson:1:13", "this isn't a result"),
    ])
  func mistakes(text: String, place: String, message: String) {
    let error = #expect(throws: ManifestErrors.self) { try results(text) }
    #expect(error?.description.hasPrefix(place) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
