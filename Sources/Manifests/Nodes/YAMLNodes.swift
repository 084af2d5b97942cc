import Yams

/// Reads a YAML document into nodes: YAML 1.2's core schema, where `no`, `on` and `12:30` are texts.
///
/// libyaml finds the structure; what a plain scalar means is decided here, since the libraries still follow YAML
/// 1.1. Aliases are resolved here too: Yams would put the anchored node in each alias's place, and a document of a
/// few lines can stand for billions of nodes. It is shown a text without aliases, and the walk over it counts.
struct YAMLNodes {
  private let text: ManifestText
  private let hiddenKeys: [String]
  private var cursor = ManifestText.LineCursor()
  private var remainingNodes: Int
  /// What has been anchored so far, with the number of its nodes.
  private var anchors: [String: (node: ManifestNode, count: Int)] = [:]

  /// No manifest nests deeper.
  private static let maximumDepth = 64
  /// What Yams calls a scalar that bears no tag, quoted or not, and YAML's own tag for texts.
  private static let ownTags: Set = ["", Tag.implicit.description, "tag:yaml.org,2002:str"]
  /// Marks a repeated key; see ``read(_:log:)``.
  private static let firstMark: UInt32 = 0xF0000
  /// Stands for `*`, so that Yams sees no alias.
  private static let star: Unicode.Scalar = "\u{F1000}"

  /// The root node; nil where the text isn't YAML, which is then in the log.
  static func read(_ text: ManifestText, log: inout DiagnosticLog) -> ManifestNode? {
    // Yams stops at a repeated key. Its first use is given another name, of the same length, and the text is read
    // again, so that the reader can go on to find what else is wrong.
    if let place = firstPrivate(in: text) {
      log.error(
        place, "a character of Unicode's private plane 15: write it otherwise, such as in a JSON escape")
      return nil
    }
    var source = text.text.replacing("*", with: String(star))
    var hiddenKeys: [String] = []
    var hiddenPlaces: [(key: String, place: TextPlace)] = []
    // Each repeated key costs another reading: of a long document only few.
    let mostReadings = min(100, (32 << 20) / max(1, source.utf8.count))
    if let depth = FlowDepth.exceeded(in: source, limit: maximumDepth) {
      log.error(depth, "nested more than \(maximumDepth) deep: no manifest needs that")
      return nil
    }
    while true {
      do {
        let parser = try Parser(yaml: source, resolver: Resolver.basic, encoding: .utf8)
        guard let root = try parser.singleRoot() else {
          log.error(TextPlace(line: 1, column: 1), "the manifest is empty; it begins with 'imagemill: 1'")
          return nil
        }
        var nodes = YAMLNodes(text: text, hiddenKeys: hiddenKeys)
        // The nodes hold their anchors weakly; the parser owns them.
        if let node = withExtendedLifetime(parser, { nodes.node(root, depth: 0, log: &log) }) { return node }
        // Nobody will look at the keys.
        report(hiddenPlaces, log: &log)
        return nil
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        let mark = Self.firstMark + UInt32(hiddenKeys.count)
        hiddenPlaces.append((keys.first ?? "", place(context.mark)))
        guard let key = keys.first, hiddenKeys.count < mostReadings,
          let hidden = hide(key, at: context.mark, in: source, as: mark)
        else {
          // What else is wrong isn't known, but each of these is.
          report(hiddenPlaces, log: &log)
          return nil
        }
        hiddenKeys.append(key)
        source = hidden
      } catch let error as YamlError {
        report(error, in: text, log: &log)
        return nil
      } catch {
        log.error(TextPlace(line: 1, column: 1), "this can't be read as YAML: \(error)")
        return nil
      }
    }
  }

  private init(text: ManifestText, hiddenKeys: [String]) {
    self.text = text
    self.hiddenKeys = hiddenKeys
    // Without aliases a document has fewer nodes than bytes.
    remainingNodes = text.text.utf8.count + 100_000
  }

  private mutating func node(_ node: Node, depth: Int, log: inout DiagnosticLog) -> ManifestNode? {
    if case .scalar(let scalar) = node, scalar.style == .plain,
      scalar.string.unicodeScalars.first == Self.star
    {
      return aliased(String(scalar.string.unicodeScalars.dropFirst()), at: Self.place(node.mark), log: &log)
    }
    let before = remainingNodes
    guard let value = content(of: node, depth: depth, log: &log) else { return nil }
    if let anchor = node.anchor { anchors[anchor.rawValue] = (value, before - remainingNodes) }
    return value
  }

  private mutating func aliased(_ name: String, at place: TextPlace, log: inout DiagnosticLog)
    -> ManifestNode?
  {
    guard let (anchored, count) = anchors[name] else {
      log.error(place, "nothing before this is anchored as '&\(name)'; quote a text that begins with '*'")
      return nil
    }
    remainingNodes -= count
    guard remainingNodes > 0 else {
      log.error(place, "the aliases stand for too many values: write the values out, or use 'defaults'")
      return nil
    }
    var node = anchored
    node.place = place
    node.textPlace = nil
    return node
  }

  private mutating func content(of node: Node, depth: Int, log: inout DiagnosticLog) -> ManifestNode? {
    let place = Self.place(node.mark)
    remainingNodes -= 1
    guard depth < Self.maximumDepth else {
      log.error(place, "nested more than \(Self.maximumDepth) deep: no manifest needs that")
      return nil
    }
    switch node {
    case .scalar(let scalar):
      if !Self.ownTags.contains(scalar.tag.description) {
        log.error(place, "tags have no meaning in a manifest: remove '\(scalar.tag.description)'")
      }
      return self.scalar(scalar, place)
    case .sequence(let sequence):
      var list: [ManifestNode] = []
      for element in sequence {
        guard let value = self.node(element, depth: depth + 1, log: &log) else { return nil }
        list.append(value)
      }
      return ManifestNode(.list(list), at: place)
    case .mapping(let mapping):
      var entries: [ManifestNode.Entry] = []
      for (key, element) in mapping {
        guard let value = self.node(element, depth: depth + 1, log: &log) else { return nil }
        guard case .scalar(let scalar) = key,
          scalar.string.unicodeScalars.first != Self.star || scalar.style != .plain
        else {
          log.error(Self.place(key.mark), "a key must be a text, and no alias")
          continue
        }
        if scalar.style == .plain, scalar.string == "<<" {
          log.error(
            Self.place(key.mark), "'<<' isn't part of YAML 1.2: use 'defaults', or write the keys out")
          continue
        }
        entries.append(
          .init(key: unhidden(Self.starred(scalar.string)), place: Self.place(key.mark), value: value))
      }
      return ManifestNode(.mapping(entries), at: place)
    case .alias:
      log.error(place, "an alias without its anchor")
      return nil
    }
  }

  private mutating func scalar(_ scalar: Node.Scalar, _ place: TextPlace) -> ManifestNode {
    let string = Self.starred(scalar.string)
    if scalar.style == .plain {
      let textPlace = textPlace(of: string, at: place, quoted: false)
      return ManifestNode(CoreSchema.value(of: string), at: place, textPlace: textPlace)
    }
    return ManifestNode(.text(string), at: place, textPlace: textPlace(of: string, at: place, quoted: true))
  }

  private static func starred(_ text: String) -> String { text.replacing(String(star), with: "*") }

  private static func firstPrivate(in text: ManifestText) -> TextPlace? {
    // In UTF-8 all of these begin with one byte, which few texts hold.
    guard text.text.utf8.contains(0xF3) else { return nil }
    for number in 1...text.lineCount {
      let scalars = (text.line(number) ?? "").unicodeScalars
      let column = scalars.prefix { !(0xF0000...0xFFFFD).contains($0.value) }.count
      if column < scalars.count { return TextPlace(line: number, column: column + 1) }
    }
    return nil
  }

  /// The text's own place, where it stands on one line as it reads (no escapes, no folding).
  private mutating func textPlace(of value: String, at place: TextPlace, quoted: Bool) -> TextPlace? {
    let column = place.column + (quoted ? 1 : 0)
    guard let rest = text.rest(ofLine: place.line, fromColumn: column, &cursor), rest.starts(with: value.utf8)
    else { return nil }
    return TextPlace(line: place.line, column: column)
  }

  private static func place(_ mark: Mark?) -> TextPlace {
    TextPlace(line: max(mark?.line ?? 1, 1), column: max(mark?.column ?? 1, 1))
  }

  private static func report(_ error: YamlError, in text: ManifestText, log: inout DiagnosticLog) {
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let doing = context.map { " (\($0.text))" } ?? ""
      let place = place(mark)
      let message =
        wholeMessage(problem, at: text.line(place.line)?.unicodeScalars.dropFirst(place.column - 1).first)
      log.error(place, message ?? "not YAML: \(problem)\(doing)\(remedy(problem))")
    case .reader(let problem, let offset, _, let yaml):
      let before = yaml.utf8.prefix(offset ?? 0)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let start =
        before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
      let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
      log.error(
        TextPlace(line: line, column: column),
        "not YAML: \(problem): remove it, or write it in double quotes as an escape, such as \\u0007")
    default:
      log.error(TextPlace(line: 1, column: 1), "not YAML: \(error)")
    }
  }

  /// What is said in the place of libyaml's words, where those tell its own affairs.
  private static func wholeMessage(_ problem: String, at found: Unicode.Scalar?) -> String? {
    if problem.hasPrefix("Maximum nesting level") {
      return "nested more than \(maximumDepth) deep: no manifest needs that"
    }
    if problem.contains("found another document") {
      return "a manifest is one document: remove this line and what follows it, or move that to another file"
    }
    let isTab = found == "\t" && problem.contains("cannot start any token")
    return isTab || problem.contains("found a tab character")
      ? "not YAML: a tab can't indent a line: use spaces" : nil
  }

  private static func remedy(_ problem: String) -> String {
    switch problem {
    case let text where text.contains("cannot start any token"):
      "; put the text in quotes, and indent with spaces"
    case let text where text.contains("mapping values are not allowed"): "; put a text with ': ' in quotes"
    case let text where text.contains("could not find expected ':'"): "; a key is followed by ': '"
    default: ""
    }
  }

  // MARK: Repeated keys

  private static func report(_ repeated: [(key: String, place: TextPlace)], log: inout DiagnosticLog) {
    for (key, place) in repeated { log.error(place, KeyTable.duplicateMessage(key, at: place, first: nil)) }
  }

  private static func hide(_ key: String, at mark: Mark, in source: String, as value: UInt32) -> String? {
    guard let replacement = Unicode.Scalar(value) else { return nil }
    var lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.indices.contains(mark.line - 1) else { return nil }
    var scalars = Array(lines[mark.line - 1].unicodeScalars)
    var position = mark.column - 1
    guard scalars.indices.contains(position) else { return nil }
    if scalars[position] == "\"" || scalars[position] == "'" { position += 1 }
    guard scalars.indices.contains(position), scalars[position] == key.unicodeScalars.first else {
      return nil
    }
    scalars[position] = replacement
    lines[mark.line - 1] = String(String.UnicodeScalarView(scalars))
    return lines.joined(separator: "\n")
  }

  private func unhidden(_ key: String) -> String {
    guard let first = key.unicodeScalars.first, first.value >= Self.firstMark else { return key }
    let index = Int(first.value - Self.firstMark)
    return hiddenKeys.indices.contains(index) ? hiddenKeys[index] : key
  }
}

/// YAML 1.2.2, section 10.3: what plain scalars mean.
enum CoreSchema {
  static func value(of plain: String) -> ManifestNode.Value {
    switch plain {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: return isNumber(plain) ? .number(plain) : .text(plain)
    }
  }

  private static func isNumber(_ text: String) -> Bool {
    if text.hasPrefix("0x") || text.hasPrefix("0o") {
      return Int(text.dropFirst(2), radix: text.hasPrefix("0x") ? 16 : 8) != nil
    }
    let body = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard body.utf8.contains(where: { (48...57).contains($0) }) else { return false }
    // Double's own parser takes what the core schema takes, and also words and hexadecimal, which are ruled out.
    return body.utf8.allSatisfy { (48...57).contains($0) || ".eE+-".utf8.contains($0) } && Double(text) != nil
  }
}

/// libyaml parses deep nesting by recursion in its callers: brackets are counted before it sees them.
private enum FlowDepth {
  static func exceeded(in text: String, limit: Int) -> TextPlace? {
    var depth = 0
    var place = TextPlace(line: 1, column: 0)
    for scalar in text.unicodeScalars {
      place.column += 1
      switch scalar {
      case "\n": place = TextPlace(line: place.line + 1, column: 0)
      case "[", "{": depth += 1
      case "]", "}": depth = max(0, depth - 1)
      default: break
      }
      if depth > limit * 4 { return place }
    }
    return nil
  }
}
