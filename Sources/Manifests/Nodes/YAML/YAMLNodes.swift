/// Reads a YAML document into nodes, in one pass: YAML 1.2's core schema, where `no`, `on` and `12:30` are texts.
///
/// libyaml finds the structure; what a plain scalar means is decided here, since the libraries still follow YAML 1.1.
/// Aliases are resolved here too, and counted: a document of a few lines can stand for billions of nodes.
struct YAMLNodes: ~Copyable {
  private var events: YAMLEvents
  private var log: DiagnosticLog
  /// The repeated keys, for a document that can't be read: its keys are checked nowhere else.
  private var repeatedKeys: DiagnosticLog
  /// What has been anchored so far, with the number of its nodes and how deep they nest.
  private var anchors: [String: (node: ManifestNode, count: Int, height: Int)] = [:]
  private var remainingNodes: Int
  /// The depth of the deepest node in the one that is being read.
  private var deepest = 0
  /// Whether every alias had an anchor.
  private var isWhole = true

  /// No manifest nests deeper.
  private static let maximumDepth = 64

  private typealias Failure = JSONNodes.Failure

  /// The root node; nil where the text isn't YAML, which is then in the log.
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
        place: TextPlace(line: 1, column: 1), message: "the manifest is empty; it begins with 'imagemill: 1'")
    }
    let root = try node(next(), depth: 0)
    _ = try next()
    let rest = try next()
    guard rest.kind == .end else {
      throw Failure(
        place: rest.start,
        message:
          "a manifest is one document: remove this line and what follows it, or move that to another file")
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
    // libyaml closes what it opens, so no other event comes here.
    default: throw Failure(place: event.start, message: "not YAML: it ends too early")
    }
    if let anchor = event.anchor {
      anchors[anchor] = (node, remainingBefore - remainingNodes, deepest - depth)
    }
    deepest = max(deepest, deepestBefore)
    return node
  }

  private func checkDepth(_ depth: Int, at place: TextPlace) throws(Failure) {
    guard depth >= Self.maximumDepth else { return }
    throw Failure(place: place, message: "nested more than \(Self.maximumDepth) deep: no manifest needs that")
  }

  private mutating func anchored(_ name: String, at place: TextPlace, depth: Int) throws(Failure)
    -> ManifestNode
  {
    guard let (anchored, count, height) = anchors[name] else {
      log.error(place, "nothing before this is anchored as '&\(name)'; quote a text that begins with '*'")
      isWhole = false
      return ManifestNode(.null, at: place)
    }
    // Nodes are walked by recursion: aliases of aliases could nest them deeper than the stack is.
    try checkDepth(depth + height, at: place)
    deepest = max(deepest, depth + height)
    remainingNodes -= count
    guard remainingNodes > 0 else {
      throw Failure(
        place: place,
        message: "the aliases stand for too many values: write the values out, or use 'defaults'")
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
    // Also those of a mapping that isn't read to its end.
    defer { KeyTable.checkDuplicates(entries, log: &repeatedKeys) }
    while case let event = try next(), event.kind != .mappingEnd {
      let key = try key(event, depth: depth)
      let value = try node(next(), depth: depth)
      if let key { entries.append(.init(key: key, place: event.start, value: value)) }
    }
    return entries
  }

  /// A key's text; nil for what can't be a key, which is then in the log.
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
    log.error(event.start, "a key must be a text, and no alias")
    return nil
  }

  private mutating func scalar(_ text: String, isPlain: Bool, _ event: YAMLEvent) -> ManifestNode {
    if let tag = event.tag, tag != "tag:yaml.org,2002:str" {
      log.error(event.start, "tags have no meaning in a manifest: remove '\(tag)'")
    }
    // A plain text with the tag of texts is one, whatever it looks like.
    let isText = !isPlain || event.tag != nil
    var node = ManifestNode(isText ? .text(text) : CoreSchema.value(of: text), at: event.start)
    // Escapes, folding, an anchor and a tag all make what is written longer than the text.
    let quote = isPlain ? 0 : 1
    let length = event.end.column - event.start.column
    if event.start.line == event.end.line, length == text.unicodeScalars.count + 2 * quote {
      node.textPlace = TextPlace(line: event.start.line, column: event.start.column + quote)
    }
    return node
  }
}
