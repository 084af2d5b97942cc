import TestSupport

@testable import Manifests

/// Random values, and random ways to write them in YAML.
struct RandomYAML {
  private var generator: SeededRandom
  private static let nowhere = TextPlace(line: 1, column: 1)

  init(seed: UInt64) { generator = SeededRandom(seed: seed) }

  private mutating func number(in range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  private mutating func pick<T>(_ values: [T]) -> T { values[number(in: 0...(values.count - 1))] }

  mutating func value(depth: Int) -> ManifestNode {
    let value: ManifestNode.Value
    switch number(in: 0...(depth < 4 ? 9 : 6)) {
    case 0: value = .null
    case 1: value = .bool(number(in: 0...1) == 0)
    case 2: value = .number(pick(["0", "-7", "1.5", "6e3", "0x1F", "0o17"]))
    case 3...6: value = .text(text())
    case 7: value = .list((0..<number(in: 0...4)).map { _ in self.value(depth: depth + 1) })
    default:
      let entries = (0..<number(in: 0...4)).map { index in
        ManifestNode.Entry(key: "\(index)" + text(), place: Self.nowhere, value: self.value(depth: depth + 1))
      }
      value = .mapping(entries)
    }
    return ManifestNode(value, at: Self.nowhere)
  }

  private mutating func text() -> String {
    let pieces = [
      "a", "b.png", "é", "😀", "\u{F0000}", " ", ": ", " #", "*", "&", "!", "'", "\"", "\\", "[", "}", ",",
      "no", "1", "~",
      "-", "%", "\u{A0}", "`",
    ]
    return (0..<number(in: 0...5)).map { _ in pick(pieces) }.joined()
  }

  mutating func document(_ value: ManifestNode) -> String {
    let text = block(value, indentation: 0)
    return pick(["", "---\n", "# a comment\n", "%YAML 1.2\n---\n"]) + text
      + pick(["\n", "\n...\n", "\n\n# a comment"])
  }

  /// The value at the beginning of a line; its other lines are indented.
  private mutating func block(_ node: ManifestNode, indentation: Int) -> String {
    let margin = "\n" + String(repeating: " ", count: indentation)
    switch node.value {
    case .list(let nodes) where !nodes.isEmpty && number(in: 0...2) > 0:
      return nodes.map { "- " + block($0, indentation: indentation + 2) }.joined(separator: margin)
    case .mapping(let entries) where !entries.isEmpty && number(in: 0...2) > 0:
      return entries.map { entry in
        let value = block(entry.value, indentation: indentation + 2)
        let isScalar = entry.value.list == nil && entry.value.entries == nil
        return scalar(.text(entry.key)) + (isScalar ? ": " : ":\(margin)  ") + value
      }.joined(separator: margin)
    default: return flow(node, margin: margin)
    }
  }

  private mutating func flow(_ node: ManifestNode, margin: String) -> String {
    let space = pick(["", " ", margin + " "])
    switch node.value {
    case .list(let nodes):
      return "[" + space + nodes.map { flow($0, margin: margin) }.joined(separator: "," + space) + "]"
    case .mapping(let entries):
      return "{" + space
        + entries.map { scalar(.text($0.key)) + ": " + flow($0.value, margin: margin) }.joined(
          separator: ", " + space) + space + "}"
    default: return scalar(node.value)
    }
  }

  private mutating func scalar(_ value: ManifestNode.Value) -> String {
    guard case .text(let text) = value else {
      switch value {
      case .bool(let flag): return pick(flag ? ["true", "True", "TRUE"] : ["false", "False", "FALSE"])
      case .number(let text): return text
      default: return pick(["~", "null", "Null", "NULL"])
      }
    }
    // Letters and points alone are plain, unless they are a word of the schema.
    let isPlain =
      !text.isEmpty && text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0 == "." }
    if isPlain, number(in: 0...2) > 0 { return text }
    if number(in: 0...1) == 0 { return "'" + text.replacing("'", with: "''") + "'" }
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      default:
        number(in: 0...5) == 0
          ? "\\U" + String(0x1_0000_0000 + Int(scalar.value), radix: 16).dropFirst() : "\(scalar)"
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}
