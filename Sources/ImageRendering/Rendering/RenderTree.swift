package import ImageCaches
import ImageFilters

/// The distinct steps of a request: decodings, filters and encodings.
///
/// Recipes that need the same decoding share a root, and recipes whose chains begin with the same filters share the
/// nodes of that prefix.
package struct RenderTree {
  /// The image after the first filters of some recipes.
  package struct Node {
    /// Positions among the request's recipes.
    package let indices: [Int]
    /// The number of filters that have run.
    package let depth: Int
    /// The rendition's cache key. nil at depth 0, because the source itself is stored, and if the decoding isn't known.
    package let key: ContentDigest?
    /// The recipes that end here, grouped by encoding.
    package let endings: [[Int]]
    package let children: [Node]
    /// Whether this is an initial resize, after which filters work on few pixels.
    package let isResized: Bool

    /// The number of encodings and branches that read this image.
    package var consumers: Int { endings.count + children.count }

    /// Whether the image may be worth keeping: recipes end or branch here, or the expensive initial resize is done.
    package var isCandidate: Bool { depth > 0 && (!endings.isEmpty || children.count > 1 || isResized) }

    /// This node and all its descendants.
    package var all: [Node] { [self] + children.flatMap(\.all) }
  }

  /// A decoding and the tree of filters on it.
  package struct Root<Options> {
    package let options: Options
    package let node: Node
  }

  /// Groups a request's recipes by decoding, in order of first appearance.
  /// - Parameter options: The decoding of the recipe at an index; nil leaves the recipe out of the tree.
  package static func roots<Options: DecodeKey>(
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
    let endings = grouped(indices.filter { recipes[$0].chain.count == depth }) {
      recipes[$0].encoding.identifier
    }
    let growing = grouped(indices.filter { recipes[$0].chain.count > depth }) {
      recipes[$0].chain.prefix(depth + 1).identifier
    }
    return Node(
      indices: indices, depth: depth,
      key: depth == 0
        ? nil
        : decoding.map {
          RenderKeys.rendition(
            of: request.sourceDigest, decoding: $0, chain: prefix, auxiliary: auxiliary,
            onCorrupt: request.onCorrupt)
        },
      endings: endings, children: growing.map { node($0, depth: depth + 1, request, decoding, auxiliary) },
      isResized: depth == 1 && prefix.resizesFirst)
  }

  /// Groups indices by key, in order of first appearance.
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
  /// Whether the tree makes exactly one file, without branches.
  package var isSingleFile: Bool {
    endings.isEmpty ? children.count == 1 && children[0].isSingleFile : endings.count == 1 && children.isEmpty
  }

  /// The work for this tree if the renditions in `stored` are available.
  package func counts(stored: Set<ContentDigest>) -> RenderCounts {
    var counts = RenderCounts()
    if addCounts(to: &counts, stored: stored) { counts.decodes += 1 }
    return counts
  }

  /// - Returns: Whether the parent's image is needed.
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
