import Foundation
import LoopbackServer
import Testing

@testable import imagemill

/// Each JSON document that a command prints, held against the schema that `imagemill schema` prints for it.
@Suite("Schemas of documents", .timeLimit(.minutes(8)))
struct DocumentSchemaTests {
  /// The part of JSON Schema that the schemas use.
  private struct Validator {
    /// What is wrong with a value; empty if nothing is.
    func complaints(_ value: Any, _ schema: [String: Any], at path: String = "") -> [String] {
      if let alternatives = schema["anyOf"] as? [[String: Any]] {
        let all = alternatives.map { complaints(value, $0, at: path) }
        return all.contains(where: \.isEmpty) ? [] : all.min { $0.count < $1.count } ?? []
      }
      var found: [String] = []
      if let words = schema["enum"] as? [String], !words.contains(value as? String ?? "") {
        found.append("\(path): \(value) isn't one of \(words)")
      }
      if let constant = schema["const"] as? Int, value as? Int != constant {
        found.append("\(path): \(value)")
      }
      if let type = schema["type"] as? String, !isOf(type, value) {
        found.append("\(path): no \(type): \(value)")
      }
      if let pattern = schema["pattern"] as? String, let text = value as? String,
        text.range(of: pattern, options: .regularExpression) == nil
      {
        found.append("\(path): '\(text)' isn't \(pattern)")
      }
      if let list = value as? [Any], let items = schema["items"] as? [String: Any] {
        for (index, item) in list.enumerated() { found += complaints(item, items, at: "\(path)[\(index)]") }
      }
      guard let object = value as? [String: Any] else { return found }
      let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
      for name in schema["required"] as? [String] ?? [] where object[name] == nil {
        found.append("\(path): no '\(name)'")
      }
      for (name, member) in object {
        if let known = properties[name] {
          found += complaints(member, known, at: "\(path).\(name)")
        } else if let other = schema["additionalProperties"] as? [String: Any] {
          found += complaints(member, other, at: "\(path).\(name)")
        } else if schema["additionalProperties"] as? Bool == false {
          found.append("\(path): '\(name)' isn't in the schema")
        }
      }
      return found
    }

    private func isOf(_ type: String, _ value: Any) -> Bool {
      switch type {
      case "null": value is NSNull
      case "string": value is String
      case "array": value is [Any]
      case "object": value is [String: Any]
      case "boolean": value is Bool
      case "integer": (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
      case "number": value is NSNumber
      default: false
      }
    }
  }

  /// Command lines, with the names of the documents that they print. SERVER stands for a server's address.
  static let printing: [(line: String, schema: String)] = [
    ("plan --json m.yaml", "plan"), ("plan --json --failed m.yaml", "plan"),
    ("inspect --json a.png s.gif", "inspect"), ("inspect --json --placeholders a.png", "inspect"),
    ("pipe --json -o {name}-{index}.webp a.png none.png", "result"),
    ("fetch --json --any-status SERVER/a SERVER/none", "fetch"), ("fetch --json --body SERVER/a", "fetch"),
    ("fetch --json --retries 0 http://127.0.0.1:1/", "fetch"),
    ("ls --json --s3-endpoint SERVER s3://b", "ls"), ("cache stats --json", "cache-stats"),
    ("cache list --json", "cache-list"),
    ("cache explain --json b-8.webp", "cache-explain"), ("doctor --json", "doctor"),
    ("config --json m.yaml", "config"), ("run -q --report - m.yaml", "result"),
    ("run -q --placeholders --report - m.yaml", "result"), ("run -q --events - m.yaml", "event"),
    ("run -q --force --placeholders --events - m.yaml", "event"), ("run -q --emit json=- m.yaml", "markup"),
    ("run -q --placeholders --emit json=- m.yaml", "markup"), ("run -q --lock - ok.yaml", "lock"),
    ("run -q --report r.json m.yaml", "report"), ("run -q --prune --events - fewer.yaml", "event"),
  ]

  @Test("describe what is printed, member by member", arguments: printing.map(\.line))
  func documents(line: String) async throws {
    let command = try CommandRun()
    let image = PNGImage.bytes(width: 40, height: 30)
    let spinner = try Data(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Examples/images/spinner.gif"))
    let listing = """
      <ListBucketResult><Contents><Key>a.png</Key><Size>9</Size><ETag>"e"</ETag>\
      <LastModified>2026-05-01T09:30:00.000Z</LastModified></Contents></ListBucketResult>
      """
    let server = try LoopbackServer(pages: [
      "/a": Page(image, type: "image/png"), "/b": Page(text: listing, type: "application/xml"),
    ])
    defer { server.stop() }
    try command.write(image, to: "a.png")
    try command.write(Array(spinner), to: "s.gif")
    let jobs = """
      imagemill: 1
      jobs:
        - {source: ./a.png, output: "b-{width}.webp", matrix: {width: [8, 9]}, filter: "limit:{width}x"}
        - {source: "\(server.url("/a"))", output: d.webp, variables: {n: 1.50, t: [x]}}
      """.replacing(", t: [x]", with: "")
    try command.write(jobs + "\n", to: "ok.yaml")
    try command.write(jobs + "\n  - {source: ./none.png, output: c.webp}\n", to: "m.yaml")
    try command.write(jobs + "\n  - {source: ./s.gif, output: e.webp}\n", to: "fewer.yaml")
    let environment = ["IMAGEMILL_ALLOW_NET": "loopback"]
    try await command.run(["run", "-q", "m.yaml"], environment: environment)
    if line.contains("fewer") {
      try await command.run(["run", "-q", "fewer.yaml"], environment: environment)
      try command.write(jobs + "\n", to: "fewer.yaml")
    }
    let words = line.replacing("SERVER", with: server.url("")).split(separator: " ").map(String.init)
    let outcome = try await command.run(words, environment: environment)
    let name = try #require(Self.printing.first { $0.line == line }).schema
    let printed = try await command.run("schema", name)
    let schema = try #require(try JSONSerialization.jsonObject(with: printed.output) as? [String: Any])
    let data = name == "report" ? try #require(command.read("r.json")) : outcome.output
    var documents: [Any] = []
    if let whole = try? JSONSerialization.jsonObject(with: data) {
      documents = [whole]
    } else {
      documents = try data.split(separator: UInt8(ascii: "\n")).map {
        try JSONSerialization.jsonObject(with: $0)
      }
    }
    #expect(!documents.isEmpty, "\(outcome.errors)")
    for document in documents {
      let complaints = Validator().complaints(document, schema)
      #expect(complaints.isEmpty, "\(complaints)")
      // A schema that takes anything would prove nothing.
      var other = try #require(document as? [String: Any])
      other["surprise"] = 1
      #expect(!Validator().complaints(other, schema).isEmpty)
      other = try #require(document as? [String: Any])
      other["version"] = 2
      #expect(!Validator().complaints(other, schema).isEmpty)
    }
  }

  @Test("there is one for every option --json, and each is held against something")
  func complete() throws {
    #expect(Set(Self.printing.map(\.schema)) == Set(DocumentSchema.all.map(\.name)))
    for line in JSONDocumentTests.printing {
      let words = line.split(separator: " ").prefix { !$0.hasPrefix("-") }
      #expect(Self.printing.contains { $0.line.hasPrefix(words.joined(separator: " ")) }, "\(line)")
    }
  }
}
