import Foundation
import ImageFilters
import Testing

@testable import Manifests

@Suite("The manifest's JSON Schema", .timeLimit(.minutes(8)))
struct ManifestSchemaTests {
  private func schema() throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(ManifestSchema.json().utf8))
    return try #require(value as? [String: Any])
  }

  @Test func `every key that the reader knows is in it`() throws {
    let schema = try schema()
    let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
    func keys(_ object: [String: Any]?) -> Set<String> {
      Set((object?["properties"] as? [String: Any] ?? [:]).keys)
    }
    #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    #expect(keys(schema) == Set(KeyTable.manifest.names))
    #expect(keys(definitions["job"]) == Set(KeyTable.job.names))
    #expect(keys(definitions["output"]) == Set(KeyTable.output.names))
  }

  @Test func `every filter is in it`() throws {
    let definitions = try #require(try schema()["$defs"] as? [String: [String: Any]])
    let filters = try #require(definitions["filters"]?["properties"] as? [String: Any])
    #expect(Set(filters.keys).isSuperset(of: FilterChain.knownNames))
  }

  /// A whole check by another's validator, where Python has it.
  @Test func `the manual's example validates, and a wrong one doesn't`() throws {
    let script = """
      import json, sys
      try:
          import jsonschema
      except ImportError:
          sys.exit(77)
      schema = json.loads(sys.argv[1])
      jsonschema.Draft202012Validator.check_schema(schema)
      good, bad = json.loads(sys.argv[2]), json.loads(sys.argv[3])
      validator = jsonschema.Draft202012Validator(schema)
      errors = [e.message for e in validator.iter_errors(good)]
      print(errors, sum(1 for _ in validator.iter_errors(bad)))
      """
    let good = """
      {"imagemill": 1, "filters": {"card": [{"fit": {"width": 800, "height": 600}}, {"rounded": 12}, "flip"]},
       "origins": {"https://a.example": {"headers": {"X": "y"}, "user": "a:b", "max-active": 2}},
       "jobs": [{"source": ["a.png", "b.png"], "outputs": [{"output": "x.{ext}", "quality": "{q}", "matrix":
       {"q": [1, 2], "format": ["webp", "jpeg"]}, "encode": {"quality": 70}}]}]}
      """
    let bad = #"{"imagemill": 2, "jobs": [{"output": 3, "sorce": "a", "filter": [1]}]}"#
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, ManifestSchema.json(), good, bad]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // 127: no Python; 77: no validator.
    if [77, 127].contains(process.terminationStatus) { return }
    #expect(process.terminationStatus == 0)
    #expect(printed == "[] 5\n")
    // The reader agrees with the validator.
    #expect(ManifestFixture.complaints(good, form: .json).isEmpty)
  }
}
