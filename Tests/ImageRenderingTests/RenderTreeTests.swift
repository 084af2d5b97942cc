import ImageCaches
import ImageFilters
import TestSupport
import Testing

@testable import ImageRendering

@Suite("The steps of a request", .timeLimit(.minutes(8)))
struct RenderTreeTests {
  private let seed = SeededRandom.seed

  private func request(_ random: inout RandomValues) throws -> (RenderRequest, [[String]]) {
    var chains: [[String]] = []
    let recipes = try (0..<random.int(1...9)).map { id in
      let steps = (0..<random.int(0...4)).map { _ in random.element(["flip", "flop", "fit:9x9"]) }
      chains.append(steps)
      return RenderRecipe(
        id: id, chain: try FilterChain(parsing: steps.joined(separator: ",")),
        encoding: try Encoding(resolving: EncodingSettings(), pathExtension: random.element(["png", "jpg"])),
        temporaryPath: "")
    }
    return (RenderRequest(source: .path(""), sourceDigest: ContentDigest(of: "s"), recipes: recipes), chains)
  }

  @Test("any recipes: every common beginning is one step, and every recipe ends once")
  func shape() throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<300 {
      let (request, chains) = try request(&random)
      let roots = RenderTree.roots(of: request) { DecodeRequirements(request.recipes[$0]) }
      #expect(roots.flatMap { $0.node.indices }.sorted() == Array(chains.indices), "seed \(seed)")
      for root in roots {
        let nodes = root.node.all
        // A node for each distinct beginning of this root's chains.
        let beginnings = Set(
          root.node.indices.flatMap { index in
            (0...chains[index].count).map { Array(chains[index].prefix($0)) }
          })
        #expect(nodes.count == beginnings.count, "seed \(seed): \(chains)")
        let endings = nodes.flatMap(\.endings)
        #expect(endings.flatMap(\.self).sorted() == root.node.indices.sorted())
        for ending in endings { #expect(Set(ending.map { request.recipes[$0].encoding }).count == 1) }
        for node in nodes {
          #expect(node.indices.allSatisfy { chains[$0].count >= node.depth })
          #expect(node.consumers == node.endings.count + node.children.count && node.consumers > 0)
          #expect(node.children.allSatisfy { $0.depth == node.depth + 1 })
        }
        // What is known before the header is read has no key.
        #expect(nodes.allSatisfy { $0.key == nil })
      }
    }
  }

  @Test("any recipes and stored renditions: the counts are those of doing without what needn't be done")
  func counts() throws {
    var random = RandomValues(seed: seed)
    let shape = SourceShape(format: .png, stored: Size(width: 50, height: 40), frames: 1, orientation: 1)
    for _ in 0..<300 {
      let (request, chains) = try request(&random)
      let roots = try RenderTree.roots(of: request) {
        try DecodeOptions(for: request.recipes[$0], of: shape, within: request.limits)
      }
      for root in roots {
        let keys = root.node.all.compactMap(\.key)
        #expect(Set(keys).count == keys.count && keys.count == root.node.all.count - 1)
        let stored = Set(keys.filter { _ in random.chance(3) })
        let counts = root.node.counts(stored: stored)
        // By hand: each ending's way back to the nearest stored step, or to the source.
        var (run, reused): (Set<[String]>, Set<[String]>) = ([], [])
        var decodes = 0
        var byPrefix: [[String]: ContentDigest] = [:]
        for node in root.node.all { byPrefix[Array(chains[node.indices[0]].prefix(node.depth))] = node.key }
        for index in root.node.indices {
          var depth = chains[index].count
          while depth > 0 {
            let prefix = Array(chains[index].prefix(depth))
            if let key = byPrefix[prefix], stored.contains(key) {
              reused.insert(prefix)
              break
            }
            run.insert(prefix)
            depth -= 1
          }
          if depth == 0 { decodes = 1 }
        }
        #expect(counts.decodes == decodes && counts.filterRuns == run.count, "seed \(seed): \(chains)")
        #expect(counts.renditionsReused == reused.count, "seed \(seed): \(chains)")
        #expect(counts.outputs == root.node.all.reduce(0) { $0 + $1.endings.count })
      }
    }
  }

  @Test("an output's key is that of its content, its chain and its encoding")
  func keys() throws {
    var random = RandomValues(seed: seed)
    var known: [ContentDigest: String] = [:]
    for _ in 0..<300 {
      let (request, _) = try request(&random)
      for recipe in request.recipes {
        let content = ContentDigest(of: "\(random.int(0...1))")
        let key = RenderKeys.output(of: content, chain: recipe.chain, encoding: recipe.encoding)
        let text = "\(content) \(recipe.chain.identifier) \(recipe.encoding.identifier)"
        #expect(known[key, default: text] == text, "seed \(seed)")
        known[key] = text
      }
    }
    #expect(Set(known.values).count == known.count)
  }
}
