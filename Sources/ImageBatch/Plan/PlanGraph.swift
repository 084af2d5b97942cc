import ImageCaches
public import OrderedCollections

/// A plan as a graph of keyed steps: download, decode, filter, encode, write. Equal keys are one node.
public struct PlanGraph: Sendable {
  /// A step.
  public struct Node: Sendable, Hashable {
    /// What a step does.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      case source, decode, filter, encode, write
    }
    /// What it does.
    public var kind: Kind
    /// What it is, in words.
    public var label: String
    /// Whether nothing has to be done for it: it is stored, or in place.
    public var isDone: Bool
  }

  /// Steps by their keys, in the order in which they were found.
  public private(set) var nodes: OrderedDictionary<String, Node> = [:]
  /// From a step to what is made of it.
  public private(set) var edges: OrderedSet<Edge> = []

  /// That one step needs another's result.
  public struct Edge: Sendable, Hashable {
    /// The key of the step whose result is needed.
    public var from: String
    /// The key of the step that needs it.
    public var to: String
  }

  /// Adds a step that is made of another one.
  mutating func add(_ key: String, _ node: Node, from: String?) {
    if nodes[key] == nil { nodes[key] = node }
    if let from { edges.append(Edge(from: from, to: key)) }
  }

  /// Adds what a tree of filters makes.
  /// - Parameters:
  ///   - root: The key of the decoding.
  ///   - outputs: The outputs of a recipe, by its position: key, label and whether it is in place.
  mutating func add(
    _ node: RenderTree.Node, root: String, _ request: RenderRequest, stored: Set<ContentDigest>,
    writes: (Int) -> [(key: String, node: Node)]
  ) {
    let here = node.depth == 0 ? root : "\(root)|\(prefix(node, request))"
    for ending in node.endings {
      guard let first = ending.first else { continue }
      let encoding = request.recipes[first].encoding
      let encode = "\(here)|\(encoding.identifier)"
      add(encode, Node(kind: .encode, label: encoding.formatText, isDone: false), from: here)
      for index in ending {
        for write in writes(index) { add(write.key, write.node, from: encode) }
      }
    }
    for child in node.children {
      let key = "\(root)|\(prefix(child, request))"
      let step = request.recipes[child.indices[0]].chain.step(child.depth - 1)
      let isStored = child.key.map(stored.contains) ?? false
      add(key, Node(kind: .filter, label: step, isDone: isStored), from: isStored ? nil : here)
      add(child, root: root, request, stored: stored, writes: writes)
    }
  }

  private func prefix(_ node: RenderTree.Node, _ request: RenderRequest) -> String {
    request.recipes[node.indices[0]].chain.prefix(node.depth).identifier
  }
}
