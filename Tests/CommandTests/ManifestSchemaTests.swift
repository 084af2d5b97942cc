import Foundation
import Testing

@testable import Manifests

enum SchemaValidator {
  static let isInstalled: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import jsonschema; jsonschema.Draft202012Validator"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}

/// What 'imagemill schema' prints, held against manifests by another's validator: Python's jsonschema.
@Suite("imagemill schema", .timeLimit(.minutes(8)), .enabled(if: SchemaValidator.isInstalled))
struct ManifestSchemaTests {
  private static let repository =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."

  /// How many complaints the validator has of each document. A document that can't be parsed has none to have.
  private func complaints(_ documents: [(name: String, text: String)]) async throws -> [String: Int] {
    let command = try CommandRun()
    let schema = try await command.run("schema")
    try command.write([UInt8](schema.output), to: "schema.json")
    var names: [String] = []
    for (index, document) in documents.enumerated() {
      guard case .document(let form) = ManifestKind(fileName: document.name),
        let json = Self.json(document.text, form)
      else { continue }
      try command.write(json, to: "\(index).json")
      names.append(document.name)
      try command.write(document.name, to: "\(index).name")
    }
    let script = """
      import glob, json, jsonschema
      schema = json.load(open("schema.json"))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      for path in glob.glob("[0-9]*.json"):
          errors = list(validator.iter_errors(json.load(open(path))))
          print(len(errors), open(path.replace(".json", ".name")).read())
      """
    let outcome = try await command.run(["python3", "-c", script], executable: "/usr/bin/env")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let counts = outcome.lines.map { $0.split(separator: " ", maxSplits: 1) }
    return Dictionary(
      counts.map { (String($0[1]), Int($0[0]) ?? -1) }, uniquingKeysWith: max)
  }

  private static func json(_ text: String, _ form: ManifestReader.Form) -> String? {
    let text = ManifestText(name: "m", text: text)
    var log = DiagnosticLog(text)
    switch form {
    case .yaml: return YAMLNodes.read(text, log: &log).flatMap { log.isEmpty ? $0.json : nil }
    case .json: return (try? JSONNodes.read(text.text))?.json
    case .toml: return (try? TOMLNodes.read(text.text))?.json
    }
  }

  @Test("accepts every manifest that is shown anywhere")
  func examples() async throws {
    var documents: [(String, String)] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.repository + "/Examples").sorted() {
      guard ManifestKind(fileName: name) != nil else { continue }
      documents.append(
        (name, try String(contentsOfFile: Self.repository + "/Examples/" + name, encoding: .utf8)))
    }
    #expect(documents.count >= 4)
    for page in ExampleTests.pages {
      let text = try String(contentsOfFile: Self.repository + "/man/" + page, encoding: .utf8)
      for case .file(let name, let text) in ExampleTests.steps(ofPage: text) {
        documents.append(("\(documents.count)-\(page)-\(name)", text))
      }
    }
    let readme = try String(contentsOfFile: Self.repository + "/README.md", encoding: .utf8)
    for case .file(let name, let text) in ExampleTests.steps(ofMarkdown: readme) {
      documents.append(("\(documents.count)-README-\(name)", text))
    }
    let manifests = documents.filter {
      if case .document = ManifestKind(fileName: $0.0) { true } else { false }
    }
    #expect(manifests.count >= 8)
    let counts = try await complaints(manifests.map { (name: $0.0, text: $0.1) })
    #expect(counts.count == manifests.count, "one of them can't be parsed")
    for (name, count) in counts { #expect(count == 0, "\(name)") }
  }

  @Test("refuses the wrong manifests that a schema can know of, and those alone")
  func wrongManifests() async throws {
    let directory = Self.repository + "/Tests/CommandTests/Golden/manifests/"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    // What isn't UTF-8 is no document.
    let documents = names.compactMap { name in
      (try? String(contentsOfFile: directory + name, encoding: .utf8)).map { (name: name, text: $0) }
    }
    let counts = try await complaints(documents)
    #expect(
      counts.filter { $0.value > 0 }.keys.sorted() == [
        "bare.yaml", "kinds.yaml", "names.yaml", "quoting.yaml", "secrets.yaml", "several.yaml", "slips.yaml",
        "times.yaml", "values.yaml",
      ])
    // A schema doesn't know where paths lead, or what needs what.
    #expect(counts.filter { $0.value == 0 }.keys.sorted() == ["circle.yaml", "paths.yaml"])
  }
}
