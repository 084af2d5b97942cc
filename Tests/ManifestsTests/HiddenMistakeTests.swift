import Testing

@testable import Manifests

@Suite("Mistakes beside one that comes first", .timeLimit(.minutes(8)))
struct HiddenMistakeTests {
  /// What the reader says about a manifest with one job, without the lines of the text.
  private func complaints(_ job: String) -> [String] {
    ManifestFixture.complaints("imagemill: 1\njobs:\n  - \(job)\n")
      .split(separator: "\n").filter { $0.hasPrefix("images.yaml:") }.map { String($0) }
  }

  @Test("a missing output hides nothing else in its job")
  func missingOutput() {
    let found = complaints("{source: a.png, quality: high, filter: \"fil:3\"}")
    #expect(found.count == 3, "\(found)")
    for words in ["needs 'output' or 'outputs'", "quality", "unknown filter 'fil'"] {
      #expect(found.contains { $0.contains(words) }, "\(words): \(found)")
    }
    #expect(complaints("{source: a.png}") == ["images.yaml:3:5: error: a job needs 'output' or 'outputs'"])
    #expect(
      complaints("{source: a.png, outputs: [{quality: 5}]}")
        == ["images.yaml:3:31: error: an output needs 'output', its path"])
  }

  @Test("a wrong format hides no wrong min-savings")
  func wrongFormat() {
    let found = complaints("{source: a.png, output: b.webp, format: webpp, min-savings: lots}")
    #expect(found.count == 2, "\(found)")
    #expect(found.contains { $0.contains("unknown format 'webpp'") }, "\(found)")
    #expect(found.contains { $0.contains("'min-savings' must be a percentage") }, "\(found)")
    #expect(complaints("{source: a.png, output: b.webp, format: webpp, min-savings: 5%}").count == 1)
  }

  @Test("a list without brackets is one mistake, and its remedy is a list")
  func bracketlessList() {
    #expect(
      complaints("{source: a.png, output: 'x{w}.png', matrix: {w: 10,20,30}}")
        == ["images.yaml:3:53: error: 'w' must be a list: write it in brackets, as in w: [10, 20, 30]"])
    #expect(complaints("{source: a.png, output: 'x{w}.png', matrix: {w: [10, 20, 30]}}").isEmpty)
  }

  @Test(
    "a duplicate key in TOML hides nothing else",
    arguments: [
      ("source = 'b.png'\n", "duplicate key 'source'"),
      ("[[jobs.source]]\nx = 1\n", "duplicate key 'source'"),
      ("[jobs.source.x]\ny = 1\n", "duplicate key 'source'"), ("[imagemill]\n", "duplicate key 'imagemill'"),
      ("[defaults]\n[defaults]\n", "duplicate key 'defaults'"),
    ])
  func duplicateKeys(end: String, said: String) {
    let text = """
      imagemill = 1
      [[jobs]]
      source = "a.png"
      output = "b.png"
      quality = "high"
      filter = "fil:3"
      \(end)
      """
    let found = ManifestFixture.complaints(text, form: .toml)
    for words in [said, "'quality' must be", "unknown filter 'fil'"] {
      #expect(found.contains(words), "\(words): \(found)")
    }
    #expect(found.components(separatedBy: "images.toml:").count == 4, "\(found)")
  }
}
