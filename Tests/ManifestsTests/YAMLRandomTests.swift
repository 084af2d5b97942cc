import Foundation
import TestSupport
import Testing

@testable import Manifests

@Suite("Random YAML", .timeLimit(.minutes(8)))
struct YAMLRandomTests {
  @Test func `what is written is read, whatever the style`() throws {
    let seed = SeededRandom.seed
    print("seed of the random documents: \(seed)")
    var writer = RandomYAML(seed: seed)
    for _ in 0..<400 {
      let value = writer.value(depth: 0)
      let text = writer.document(value)
      let (root, complaints) = YAMLTests.read(text)
      try #require(complaints == [], "seed \(seed)\n\(text)")
      try #require(YAMLTests.json(root) == YAMLTests.json(value), "seed \(seed)\n\(text)")
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
        Array($0.unicodeScalars)
      }
      func check(_ node: ManifestNode) throws {
        if let place = node.textPlace, let text = node.text {
          let rest = lines[place.line - 1].dropFirst(place.column - 1)
          try #require(rest.starts(with: text.unicodeScalars), "seed \(seed)\n\(text)")
        }
        for node in node.list ?? node.entries?.map(\.value) ?? [] { try check(node) }
      }
      try check(#require(root))
    }
  }

  @Test func `a document cut anywhere is a value or a mistake at a place in it`() {
    let seed = SeededRandom.seed
    print("seed of the cut documents: \(seed)")
    var writer = RandomYAML(seed: seed)
    let value = ManifestNode(
      .list((0..<12).map { _ in writer.value(depth: 0) }), at: TextPlace(line: 1, column: 1))
    let bytes = Array((writer.document(value) + "\n- &a [1]\n- *a\n- !t x\n- {k: 1, k: 2}\n").utf8)
    for count in 0..<bytes.count {
      let text = String(decoding: bytes.prefix(count), as: UTF8.self)
      let (root, complaints) = YAMLTests.read(text)
      #expect(root != nil || !complaints.isEmpty, "seed \(seed), \(count) bytes")
      Self.check(complaints, in: text, "seed \(seed), \(count) bytes")
    }
  }

  @Test func `random bytes are a value or a mistake at a place in them`() {
    let seed = SeededRandom.seed
    print("seed of the random bytes: \(seed)")
    var generator = SeededRandom(seed: seed)
    let pieces = [
      "a", "é", "😀", " ", "  ", "\n", "\r\n", "\t", "- ", "? ", ": ", ", ", "[", "]", "{", "}", "&a ", "*a ",
      "!t ",
      "!!str ", "'", "\"", "\\", "|", ">", "|2-", "#", "%", "---\n", "...\n", "<<", "~", "1", "\0", "\u{7F}",
      "\u{FEFF}",
      "\u{F0000}",
    ]
    for round in 0..<3000 {
      let text =
        round % 3 == 0
        ? String(
          decoding: (0..<Int.random(in: 0...200, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }, as: UTF8.self)
        : (0..<Int.random(in: 0...60, using: &generator)).compactMap { _ in
          pieces.randomElement(using: &generator)
        }.joined()
      let (root, complaints) = YAMLTests.read(text)
      #expect(root != nil || !complaints.isEmpty, "seed \(seed)\n\(text)")
      Self.check(complaints, in: text, "seed \(seed)\n\(text)")
    }
  }

  /// That each complaint has a message, and a place in the text or after its last character.
  private static func check(_ complaints: [String], in text: String, _ comment: Comment) {
    // libyaml's line breaks are YAML 1.1's.
    let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]
    let lines = text.unicodeScalars.count { breaks.contains($0) } + 1
    for complaint in complaints {
      let parts = complaint.split(separator: ":", maxSplits: 2)
      #expect((1...lines).contains(Int(parts[0]) ?? 0), comment)
      #expect((1...(text.unicodeScalars.count + 1)).contains(Int(parts[1]) ?? 0), comment)
      #expect(parts[2].count > 8, comment)
    }
  }
}
