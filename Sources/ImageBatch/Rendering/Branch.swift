import ImageFilters

/// The recipes whose chains begin with the same filters.
struct Branch {
  /// Positions among the request's recipes.
  let indices: [Int]
  /// How many filters have run.
  let depth: Int

  init(request: RenderRequest, indices: [Int], depth: Int) {
    self.indices = indices
    self.depth = depth
  }

  /// The recipes that end here, those with one encoding together.
  func ending(_ request: RenderRequest) -> [[Int]] {
    grouped(indices.filter { request.recipes[$0].chain.stepCount == depth }) {
      request.recipes[$0].encoding.identifier
    }
  }

  /// The recipes that go on, those with one next filter together.
  func growing(_ request: RenderRequest) -> [Branch] {
    grouped(indices.filter { request.recipes[$0].chain.stepCount > depth }) {
      request.recipes[$0].chain.prefixIdentifier(depth + 1)
    }.map { Branch(request: request, indices: $0, depth: depth + 1) }
  }

  /// How many want the picture as it is here.
  func consumers(_ request: RenderRequest) -> Int { ending(request).count + growing(request).count }

  /// Whether all of it comes down to one file, made in one go.
  func isSingleFile(_ request: RenderRequest) -> Bool {
    guard let first = indices.first else { return true }
    let recipe = request.recipes[first]
    return indices.allSatisfy {
      request.recipes[$0].chain == recipe.chain
        && request.recipes[$0].encoding.identifier == recipe.encoding.identifier
    }
  }

  /// Keeps the order of first appearance.
  private func grouped(_ indices: [Int], by key: (Int) -> String) -> [[Int]] {
    var order: [String] = []
    var groups: [String: [Int]] = [:]
    for index in indices {
      let key = key(index)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(index)
    }
    return order.compactMap { groups[$0] }
  }
}
