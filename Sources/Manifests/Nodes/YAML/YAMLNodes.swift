/// Reads a YAML document into nodes, in one pass. YAML 1.2's core schema applies: `no`, `on` and `12:30` are strings.
///
/// libyaml parses the structure. Plain scalars are interpreted here, since libraries still follow YAML 1.1. Aliases are
/// resolved here and counted: with them, a few lines can expand to billions of nodes.
struct YAMLNodes: ~Copyable {
  private var events: YAMLEvents
  private var log: DiagnosticLog
  /// Duplicate keys, reported only for a document that can't be read: otherwise the key tables report them.
  private var repeatedKeys: DiagnosticLog
  /// The anchored nodes so far, with the number and the depth of their nodes.
  private var anchors: [String: (node: ManifestNode, count: Int, height: Int)] = [:]
  private var remainingNodes: Int
  /// The depth of the deepest node within the current one.
  private var deepest = 0
  /// Whether every alias had an anchor.
  private var isWhole = true

  private static let maximumDepth = 64

  private typealias Failure = JSONNodes.Failure

  /// The root node; nil, with errors in the log, if the text isn't YAML.
  static func read(_ text: ManifestText, log: inout DiagnosticLog) -> ManifestNode? {
    var nodes = YAMLNodes(text, log)
    let root = nodes.document()
    log = nodes.log
    return root
  }

  private init(_ text: ManifestText, _ log: DiagnosticLog) {
    events = YAMLEvents(text.text)
    self.log = log
    repeatedKeys = DiagnosticLog(text)
    // Without aliases a document has fewer nodes than bytes.
    remainingNodes = text.text.utf8.count + 100_000
  }

  private mutating func next() throws(Failure) -> YAMLEvent {
    do { return try events.next() } catch { throw error.failure(in: log.text) }
  }

  private mutating func document() -> ManifestNode? {
    do {
      let root = try root()
      if isWhole { return root }
    } catch {
      log.error(error.place, error.message)
    }
    for diagnostic in repeatedKeys.diagnostics { log.add(diagnostic) }
    return nil
  }

  private mutating func root() throws(Failure) -> ManifestNode {
    guard try next().kind == .documentStart else {
      throw Failure(
        place: TextPlace(line: 1, column: 1), message: "the manifest is empty; begin it with 'imagemill: 1'")
    }
    let root = try node(next(), depth: 0)
    _ = try next()
    let rest = try next()
    guard rest.kind == .end else {
      throw Failure(
        place: rest.start,
        message:
          "a manifest must be one document: remove this line and the rest, or move them to another file")
    }
    return root
  }

  private mutating func node(_ event: YAMLEvent, depth: Int) throws(Failure) -> ManifestNode {
    if case .alias(let name) = event.kind { return try anchored(name, at: event.start, depth: depth) }
    try checkDepth(depth, at: event.start)
    let (remainingBefore, deepestBefore) = (remainingNodes, deepest)
    (remainingNodes, deepest) = (remainingNodes - 1, depth)
    let node: ManifestNode
    switch event.kind {
    case .scalar(let text, let isPlain): node = scalar(text, isPlain: isPlain, event)
    case .listStart: node = ManifestNode(.list(try elements(depth: depth + 1)), at: event.start)
    case .mappingStart: node = ManifestNode(.mapping(try entries(depth: depth + 1)), at: event.start)
    // libyaml reports ends only after starts, so no other event arrives here.
    default: throw Failure(place: event.start, message: "not YAML: unexpected end of the text")
    }
    if let anchor = event.anchor {
      anchors[anchor] = (node, remainingBefore - remainingNodes, deepest - depth)
    }
    deepest = max(deepest, deepestBefore)
    return node
  }

  private func checkDepth(_ depth: Int, at place: TextPlace) throws(Failure) {
    guard depth >= Self.maximumDepth else { return }
    throw Failure(place: place, message: "nested more than \(Self.maximumDepth) deep")
  }

  private mutating func anchored(_ name: String, at place: TextPlace, depth: Int) throws(Failure)
    -> ManifestNode
  {
    guard let (anchored, count, height) = anchors[name] else {
      log.error(place, "no anchor '&\(name)' before this alias; quote a string that begins with '*'")
      isWhole = false
      return ManifestNode(.null, at: place)
    }
    // Nodes are visited recursively: aliases of aliases could nest deeper than the stack allows.
    try checkDepth(depth + height, at: place)
    deepest = max(deepest, depth + height)
    remainingNodes -= count
    guard remainingNodes > 0 else {
      throw Failure(
        place: place,
        message: "the aliases expand to too many values: write the values out, or use 'defaults'")
    }
    return ManifestNode(anchored.value, at: place)
  }

  private mutating func elements(depth: Int) throws(Failure) -> [ManifestNode] {
    var list: [ManifestNode] = []
    while case let event = try next(), event.kind != .listEnd { list.append(try node(event, depth: depth)) }
    return list
  }

  private mutating func entries(depth: Int) throws(Failure) -> [ManifestNode.Entry] {
    var entries: [ManifestNode.Entry] = []
    // `defer`, to check a mapping that isn't read to its end too.
    defer { KeyTable.checkDuplicates(entries, log: &repeatedKeys) }
    while case let event = try next(), event.kind != .mappingEnd {
      let key = try key(event, depth: depth)
      let value = try node(next(), depth: depth)
      if let key { entries.append(.init(key: key, place: event.start, value: value)) }
    }
    return entries
  }

  /// A key's string; nil, with an error in the log, if it can't be a key.
  private mutating func key(_ event: YAMLEvent, depth: Int) throws(Failure) -> String? {
    switch event.kind {
    case .scalar("<<", isPlain: true):
      log.error(event.start, "'<<' isn't part of YAML 1.2: use 'defaults', or write the keys out")
      return nil
    case .scalar(let text, let isPlain):
      if let anchor = event.anchor { anchors[anchor] = (scalar(text, isPlain: isPlain, event), 1, 0) }
      return text
    case .alias: break
    default: _ = try node(event, depth: depth)
    }
    log.error(event.start, "a key must be a string, not an alias, list or mapping")
    return nil
  }

  private mutating func scalar(_ text: String, isPlain: Bool, _ event: YAMLEvent) -> ManifestNode {
    if let tag = event.tag, tag != "tag:yaml.org,2002:str" {
      log.error(event.start, "tags are not supported: remove '\(tag)'")
    }
    // With the tag `!!str`, a plain scalar is a string even if it looks like a number.
    let isText = !isPlain || event.tag != nil
    var node = ManifestNode(isText ? .text(text) : CoreSchema.value(of: text), at: event.start)
    // Escapes, folding, anchors and tags make the written form longer than the string.
    let quote = isPlain ? 0 : 1
    let length = event.end.column - event.start.column
    if event.start.line == event.end.line, length == text.unicodeScalars.count + 2 * quote {
      node.textPlace = TextPlace(line: event.start.line, column: event.start.column + quote)
    }
    return node
  }
}
