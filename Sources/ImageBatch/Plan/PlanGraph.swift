import ImageCaches
package import OrderedCollections
import ImageRendering

/// A plan as a graph of keyed steps: download, decode, filter, encode, write. Equal keys are one node.
package struct PlanGraph: Sendable {
  /// A step.
  package struct Node: Sendable, Hashable {
    /// The operation of a step.
    package enum Kind: String, Sendable, Codable, CaseIterable {
      case source, decode, filter, encode, write
    }
    /// The operation.
    package var kind: Kind
    /// The label to draw.
    package var label: String
    /// Whether the result is already stored or in place.
    package var isDone: Bool
  }

  /// The steps by key, in the order in which they were added.
  package private(set) var nodes: OrderedDictionary<StepKey, Node> = [:]
  /// The edges from each step to the steps that use its result.
  package private(set) var edges: OrderedSet<Edge> = []

  /// A dependency between two steps.
  package struct Edge: Sendable, Hashable {
    /// The key of the step whose result is used.
    package var from: StepKey
    /// The key of the step that uses it.
    package var to: StepKey
  }

  /// Adds a step and, unless `from` is nil, an edge from the step that it depends on.
  mutating func add(_ key: StepKey, _ node: Node, from: StepKey?) {
    if nodes[key] == nil { nodes[key] = node }
    if let from { edges.append(Edge(from: from, to: key)) }
  }

  /// Adds a tree of filters and its outputs.
  /// - Parameters:
  ///   - root: The key of the decoding.
  ///   - writes: Returns the nodes of the files that the recipe at an index writes.
  mutating func add(
    _ node: RenderTree.Node, root: StepKey, _ request: RenderRequest, stored: Set<ContentDigest>,
    writes: (Int) -> [(key: StepKey, node: Node)]
  ) {
    let here = key(of: node, root, request)
    for ending in node.endings {
      guard let first = ending.first else { continue }
      let encoding = request.recipes[first].encoding
      let encode = StepKey.encode(here, encoding: encoding.identifier)
      add(encode, Node(kind: .encode, label: encoding.formatText, isDone: false), from: here)
      for index in ending {
        for write in writes(index) { add(write.key, write.node, from: encode) }
      }
    }
    for child in node.children {
      let key = key(of: child, root, request)
      let step = request.recipes[child.indices[0]].chain.withoutSecrets.step(child.depth - 1)
      let isStored = child.key.map(stored.contains) ?? false
      add(key, Node(kind: .filter, label: step, isDone: isStored), from: isStored ? nil : here)
      add(child, root: root, request, stored: stored, writes: writes)
    }
  }

  private func key(of node: RenderTree.Node, _ root: StepKey, _ request: RenderRequest) -> StepKey {
    guard node.depth > 0 else { return root }
    return .filter(
      decoding: root, chain: request.recipes[node.indices[0]].chain.prefix(node.depth).identifier)
  }
}
