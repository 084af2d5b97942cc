import Foundation
import Testing

@testable import Manifests

@Suite("The examples", .timeLimit(.minutes(8)))
struct ExampleTests {
  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples")

  @Test func `every manifest among the examples is read`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path).sorted()
    var read = 0
    for name in names {
      guard case .document(let form) = ManifestKind(fileName: name) else { continue }
      var options = ManifestOptions()
      options.directory = Self.directory.path
      // `make demo` puts its server's address in the place of {{base}}.
      let text = try String(contentsOf: Self.directory.appendingPathComponent(name), encoding: .utf8)
        .replacingOccurrences(of: "{{base}}", with: "http://127.0.0.1:8000/")
      let manifest = try ManifestReader(options).read(Array(text.utf8), name: name, form: form)
      #expect(!manifest.jobs.isEmpty, "\(name)")
      read += 1
    }
    #expect(read >= 3)
  }
}
