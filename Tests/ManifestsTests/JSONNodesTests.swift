import Foundation
import TestSupport
import Testing

@testable import Manifests

/// The reader of JSON against Foundation's.
@Suite("JSON, against another reader", .timeLimit(.minutes(8)))
struct JSONNodesTests {
  private let seed = SeededRandom.seed

  private func foundation(_ text: String) -> Any? {
    do {
      return try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    } catch {
      return nil
    }
  }

  private func ours(_ text: String) -> Result<ManifestNode, JSONNodes.Failure> {
    do throws(JSONNodes.Failure) {
      return .success(try JSONNodes.read(text))
    } catch {
      return .failure(error)
    }
  }

  /// Whether a node says what Foundation read.
  private func same(_ node: ManifestNode, _ value: Any) -> Bool {
    switch node.value {
    case .null: return value is NSNull
    case .bool(let flag): return (value as? Bool) == flag
    case .number(let text):
      return (value as? NSNumber).map {
        abs($0.doubleValue - (Double(text) ?? .nan)) <= abs($0.doubleValue) * 1e-12
      } ?? false
    case .text(let text):
      return (value as? String).map { Array($0.unicodeScalars) == Array(text.unicodeScalars) } ?? false
    case .list(let nodes):
      guard let values = value as? [Any], values.count == nodes.count else { return false }
      return zip(nodes, values).allSatisfy { same($0, $1) }
    case .mapping(let entries):
      guard let values = value as? [String: Any] else { return false }
      // Of equal keys Foundation keeps one.
      return Set(entries.map(\.key)) == Set(values.keys)
        && entries.allSatisfy { entry in
          entries.count { $0.key == entry.key } > 1 || values[entry.key].map { same(entry.value, $0) } == true
        }
    }
  }

  @Test("what is written is read, and any damage is refused by both or read alike")
  func random() {
    var manifests = RandomManifest(seed: seed)
    var printer = ManifestPrinter(seed: seed)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "1", "-", ".", "e", "true", "null", " ", "\n", "\\u12", "0",
      "é", "/",
    ]
    var refused = 0
    for round in 0..<1500 {
      let text = printer.json(
        round % 20 == 0
          ? manifests.manifest() : .list([manifests.scalar(), .object([("k", manifests.scalar())])]))
      guard case .success(let node) = ours(text), let value = foundation(text) else {
        Issue.record("seed \(seed): \(text)")
        continue
      }
      #expect(same(node, value), "seed \(seed): \(text)")
      var scalars = Array(text.unicodeScalars)
      let place = manifests.int(0...(scalars.count - 1))
      switch manifests.int(0...2) {
      case 0: scalars.remove(at: place)
      case 1: scalars.insert(contentsOf: manifests.element(pieces).unicodeScalars, at: place)
      default: scalars.swapAt(place, manifests.int(0...(scalars.count - 1)))
      }
      let damaged = String(String.UnicodeScalarView(scalars))
      switch (ours(damaged), foundation(damaged)) {
      case (.success(let node), let value?): #expect(same(node, value), "seed \(seed): \(damaged)")
      case (.failure(let failure), _):
        refused += 1
        let lines = damaged.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
          failure.place.line >= 1 && failure.place.line <= damaged.unicodeScalars.count { $0 == "\n" } + 1)
        #expect(failure.place.column >= 1 && !lines.isEmpty)
      case (.success, nil): Issue.record("seed \(seed): only Foundation refuses \(damaged.debugDescription)")
      }
    }
    #expect(refused > 300)
  }

  @Test(
    "what JSON allows is read",
    arguments: [
      "{}", "[]", " [ ] ", "0", "-0", "1e5", "1E+5", "1.5e-3", "\"\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"",
      "\"\\/\"", "true", "null",
      "[[[]]]", "{\"\":{}}", "\"\u{7f}\"", "\t\r\n1 ", "{\"a\":1,\"a\":2}",
    ])
  func allowed(text: String) {
    guard case .success(let node) = ours(text) else {
      Issue.record("\(text)")
      return
    }
    if let value = foundation(text) { #expect(same(node, value)) }
  }

  @Test(
    "what JSON doesn't allow is refused where it stands",
    arguments: [
      ("", 1, 1), ("  ", 1, 3), ("{", 1, 2), ("[1,]", 1, 4), ("{\"a\":1,}", 1, 8), ("[1 2]", 1, 4),
      ("{\"a\" 1}", 1, 6),
      ("{a:1}", 1, 2), ("'a'", 1, 1), ("01", 1, 3), ("1.", 1, 3), (".5", 1, 1), ("+1", 1, 1), ("1e", 1, 3),
      ("-", 1, 2),
      ("nul", 1, 1), ("True", 1, 1), ("NaN", 1, 1), ("\"a", 1, 3), ("\"a\nb\"", 1, 3), ("\"\\x\"", 1, 2),
      ("\"\\u12\"", 1, 2),
      ("\"\\ud83d\"", 1, 2), ("\"\\ude00\"", 1, 2), ("[\n\n  é\n]", 3, 3), ("{} x", 1, 4), ("1 2", 1, 3),
      ("// x", 1, 1), ("[1]]", 1, 4),
      ("\"é\" x", 1, 5), ("\u{feff}1", 1, 1),
    ])
  func refused(text: String, line: Int, column: Int) {
    guard case .failure(let failure) = ours(text) else {
      Issue.record("\(text.debugDescription) is read")
      return
    }
    #expect(
      failure.place == TextPlace(line: line, column: column), "\(text.debugDescription): \(failure.message)")
  }

  @Test("values nest up to a depth, and no deeper, whatever they are")
  func depth() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
      let step = open.count { $0 == "[" || $0 == "{" }
      let most = 63 / step
      let right = String(repeating: open, count: most) + "1" + String(repeating: close, count: most)
      if case .failure(let failure) = ours(right) { Issue.record("\(failure.message)") }
      let wrong = String(repeating: open, count: 100_000)
      guard case .failure(let failure) = ours(wrong) else {
        Issue.record("too deep")
        continue
      }
      #expect(failure.message.contains("64"))
    }
  }

  @Test("every value has its place, in characters")
  func places() throws {
    let node = try ours("{\n \"é\": [1,\r\n\t\"x\"], \"😀😀\": {\"b\": null}}").get()
    #expect(node.place == TextPlace(line: 1, column: 1))
    let entries = try #require(node.entries)
    #expect(entries.map(\.place) == [TextPlace(line: 2, column: 2), TextPlace(line: 3, column: 8)])
    let list = try #require(entries[0].value.list)
    #expect(list.map(\.place) == [TextPlace(line: 2, column: 8), TextPlace(line: 3, column: 2)])
    #expect(list[1].textPlace == TextPlace(line: 3, column: 3))
    #expect(entries[1].value.place == TextPlace(line: 3, column: 14))
    #expect(try #require(entries[1].value.entries).map(\.place) == [TextPlace(line: 3, column: 15)])
  }
}
