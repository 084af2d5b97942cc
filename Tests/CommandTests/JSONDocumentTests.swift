import Foundation
import LoopbackServer
import Testing

@testable import imagemill

/// Every JSON that a command prints or writes is a document of one vocabulary.
@Suite("JSON documents", .timeLimit(.minutes(8)))
struct JSONDocumentTests {
  private let command: CommandRun
  private let server: LoopbackServer

  init() throws {
    command = try CommandRun()
    let image = PNGImage.bytes(width: 40, height: 30)
    server = try LoopbackServer { _ in Page(image, type: "image/png") }
    try command.write(image, to: "a.png")
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: ./a.png, output: "b-{width}.webp", matrix: {width: [8, 9]}, filter: "limit:{width}x"}
        - {source: ./none.png, output: c.webp}

      """, to: "m.yaml")
  }

  static let printing: [String] = [
    "pipe --json -q -o {name}.webp a.png none.png", "plan --json m.yaml", "inspect --json a.png",
    "fetch --json --allow-net loopback SERVER/a", "cache stats --json", "cache list --json",
    "cache explain --json b-8.webp", "doctor --json", "run -q --report - m.yaml", "run -q --events - m.yaml",
    "run -q --emit json=- m.yaml", "config --json m.yaml",
  ]

  /// The names of all members, at any depth.
  private static func names(_ value: Any) -> Set<String> {
    if let object = value as? [String: Any] {
      return object.reduce(into: Set(object.keys)) { $0.formUnion(names($1.value)) }
    }
    return (value as? [Any] ?? []).reduce(into: []) { $0.formUnion(names($1)) }
  }

  private func documents(_ output: Data) throws -> [Any] {
    if let whole = try? JSONSerialization.jsonObject(with: output) { return [whole] }
    return try output.split(separator: UInt8(ascii: "\n")).map { try JSONSerialization.jsonObject(with: $0) }
  }

  private func expectVocabulary(_ output: Data, _ name: String) throws {
    let documents = try documents(output)
    #expect(!documents.isEmpty)
    for document in documents {
      let object = try #require(document as? [String: Any], "\(name) prints an object")
      #expect(object["version"] as? Int == 1, "\(name)")
      let names = Self.names(document)
      #expect(names.isDisjoint(with: ["digest", "content"]), "\(name): digests are 'sha256'")
      if let place = object["location"] {
        #expect(Set((place as? [String: Any] ?? [:]).keys) == ["file", "line", "column"], "\(name)")
      }
      if let manifest = object["manifest"] { #expect(manifest is String, "\(name): places are 'location'") }
    }
  }

  @Test("have a version, and one name for one thing", arguments: printing)
  func printed(line: String) async throws {
    try await command.run("run", "-q", "m.yaml")
    let words = line.replacing("SERVER", with: server.url("")).split(separator: " ").map(String.init)
    let outcome = try await command.run(arguments: words)
    try expectVocabulary(outcome.output, line)
  }

  @Test("have them in reports too")
  func report() async throws {
    try await command.run("run", "-q", "--report", "r.json", "m.yaml")
    let report = Data(try #require(command.read("r.json")))
    try expectVocabulary(report, "r.json")
    let object = try #require(try JSONSerialization.jsonObject(with: report) as? [String: Any])
    let outputs = try #require(object["outputs"] as? [[String: Any]])
    #expect(outputs.count == 3 && outputs.allSatisfy { $0["location"] != nil && $0["version"] == nil })
  }

  @Test("a report with the older name of a place is still read, by --failed and as a manifest")
  func older() async throws {
    let lines = """
      {"index":2,"source":"./a.png","output":"c.webp","status":"failed","filter":"","format":"webp","fields":{},\
      "manifest":{"file":"m.yaml","line":4,"column":5}}

      """
    try command.write(lines, to: "old.ndjson")
    let outcome = try await command.run("run", "old.ndjson")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.read("c.webp") != nil)
  }

  @Test("every option --json is tried")
  func complete() throws {
    for name in try HelpDump.root().subcommands ?? [] {
      for inner in [name] + (name.subcommands ?? []) {
        let options = (inner.arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
        // ObjectStorageTests and DocumentSchemaTests have a server of objects for `ls`.
        guard options.contains("json"), inner.commandName != "ls" else { continue }
        #expect(
          Self.printing.contains { $0.contains("\(inner.commandName) --json") }, "\(inner.commandName)")
      }
    }
  }
}
