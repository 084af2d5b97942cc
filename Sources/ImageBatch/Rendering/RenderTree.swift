import ImageCaches
import ImageFilters

/// The steps of a request, each once: what is decoded, what is filtered on from there, and what is encoded.
///
/// Recipes that want their source decoded in one way share a root; those whose chains begin with the same filters
/// share the way to where they part.
struct RenderTree {
  /// The picture after the first filters of some recipes.
  struct Node {
    /// Positions among the request's recipes.
    let indices: [Int]
    /// How many filters have run.
    let depth: Int
    /// What the picture is known by: equal keys are equal pixels. Nil for a source that is only decoded, which the
    /// store has anyway, and where too little is known.
    let key: ContentDigest?
    /// The recipes that end here, those with one encoding together.
    let endings: [[Int]]
    let children: [Node]
    /// Whether the first filter brings the picture to its size: what follows works on few pixels.
    let isResized: Bool

    /// How many want the picture as it is here.
    var consumers: Int { endings.count + children.count }

    /// Whether the picture is worth a thought of keeping: recipes end or part here, or the costly first step is done.
    var isCandidate: Bool { depth > 0 && (!endings.isEmpty || children.count > 1 || isResized) }

    /// This node and all that come after it.
    var all: [Node] { [self] + children.flatMap(\.all) }
  }

  /// One way of decoding and what is made from it.
  struct Root<Options> {
    let options: Options
    let node: Node
  }

  /// Groups the recipes of a request by `options`, in the order of their first ones.
  /// - Parameter options: How a recipe wants its source; one that has none isn't in the tree.
  static func roots<Options: DecodeDistinction>(
    of request: RenderRequest, by options: (Int) throws -> Options?
  ) rethrows -> [Root<Options>] {
    let auxiliary = request.auxiliary.mapValues(\.digest)
    let indices = Array(request.recipes.indices)
    let wanted = try indices.map(options)
    return grouped(indices.filter { wanted[$0] != nil }) { wanted[$0] }.compactMap { indices in
      guard let first = indices.first, let options = wanted[first] else { return nil }
      return Root(options: options, node: node(indices, depth: 0, request, options.identifier, auxiliary))
    }
  }

  private static func node(
    _ indices: [Int], depth: Int, _ request: RenderRequest, _ decoding: String?,
    _ auxiliary: [String: ContentDigest]
  ) -> Node {
    let recipes = request.recipes
    let prefix = recipes[indices[0]].chain.prefix(depth)
    let endings = grouped(indices.filter { recipes[$0].chain.stepCount == depth }) {
      recipes[$0].encoding.identifier
    }
    let growing = grouped(indices.filter { recipes[$0].chain.stepCount > depth }) {
      recipes[$0].chain.prefix(depth + 1).identifier
    }
    return Node(
      indices: indices, depth: depth,
      key: depth == 0
        ? nil
        : decoding.map {
          RenderKeys.rendition(of: request.sourceDigest, decoding: $0, chain: prefix, auxiliary: auxiliary)
        },
      endings: endings, children: growing.map { node($0, depth: depth + 1, request, decoding, auxiliary) },
      isResized: depth == 1 && prefix.resizesFirst)
  }

  /// Keeps the order of first appearance.
  private static func grouped<Key: Hashable>(_ indices: [Int], by key: (Int) -> Key) -> [[Int]] {
    var order: [Key] = []
    var groups: [Key: [Int]] = [:]
    for index in indices {
      let key = key(index)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(index)
    }
    return order.compactMap { groups[$0] }
  }
}

extension RenderTree.Node {
  /// Whether all of it comes down to one file, made in one go.
  var isSingleFile: Bool {
    endings.isEmpty ? children.count == 1 && children[0].isSingleFile : endings.count == 1 && children.isEmpty
  }

  /// What making it costs, where the pictures of `stored` are at hand.
  func counts(stored: Set<ContentDigest>) -> RenderCounts {
    var counts = RenderCounts()
    if addCounts(to: &counts, stored: stored) { counts.decodes += 1 }
    return counts
  }

  /// Whether the picture that this one is made of is needed.
  private func addCounts(to counts: inout RenderCounts, stored: Set<ContentDigest>) -> Bool {
    counts.outputs += endings.count
    var isNeeded = !endings.isEmpty
    for child in children where child.addCounts(to: &counts, stored: stored) { isNeeded = true }
    guard isNeeded else { return false }
    if let key, stored.contains(key) {
      counts.renditionsReused += 1
      return false
    }
    if depth > 0 { counts.filterRuns += 1 }
    return true
  }
}
