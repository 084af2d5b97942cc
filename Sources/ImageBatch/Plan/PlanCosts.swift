import ImageCaches
import ImageDownloads
import ImageFilters

/// What rendering a group's outputs would take: laid as the renderer lays it, without a pixel.
struct PlanCosts {
  let store: DiskStore
  let configuration: BatchConfiguration

  /// A source as far as it is known.
  enum Source {
    case stored(StoredSource)
    /// It would be downloaded first; the name stands for its content.
    case unknown(String)

    var content: ContentDigest {
      switch self {
      case .stored(let source): source.digest
      case .unknown(let name): ContentDigest(hashing: "unknown source \(name)".utf8)
      }
    }

    var name: String {
      switch self {
      case .stored(let source): source.displayText
      case .unknown(let name): name
      }
    }
  }

  /// One output to be rendered, and the outputs that get its bytes.
  struct Rendering {
    var output: Output
    var auxiliary: [String: AuxiliarySource] = [:]
    /// What is written: a key and a node for each file.
    var writes: [(key: String, node: PlanGraph.Node)] = []
  }

  /// Adds what `renderings` of one source would take to the totals, and their steps to the graph.
  func add(_ renderings: [Rendering], of source: Source, to plan: inout BatchPlan) {
    guard !renderings.isEmpty else { return }
    let request = RenderRequest(
      sourceName: source.name, sourcePath: path(of: source), sourceDigest: source.content,
      limits: configuration.limits,
      auxiliary: renderings.reduce(into: [:]) { $0.merge($1.auxiliary) { $1 } },
      recipes: renderings.enumerated().map { id, rendering in
        RenderRecipe(
          id: id, chain: rendering.output.chain, encoding: rendering.output.encoding, temporaryPath: "")
      })
    guard let shape = shape(of: source) else {
      // Whether the decoder is to shrink, and whether there are frames, isn't known: at least so many decodings.
      plan.totals.isExact = false
      let roots = RenderTree.roots(of: request) { StillWish(DecodeWish(request.recipes[$0])) }
      for (number, root) in roots.enumerated() {
        add(root.node, "decode", "\(number)", request, source, stored: [], renderings, to: &plan)
      }
      return
    }
    let keys = RenditionShelf.keys(of: request, shape)
    var stored: Set<ContentDigest> = []
    if !configuration.force, configuration.renditions != .never {
      stored = renditions(keys)
    }
    // What can't be decoded as it is wanted costs nothing, and fails.
    let roots = RenderTree.roots(of: request) {
      try? DecodeOptions(for: request.recipes[$0], of: shape, within: request.limits)
    }
    for root in roots {
      let options = root.options
      let label = options.scale == 1 ? "decode" : "decode at \(options.scale)"
      add(
        root.node, label, "\(options.identifier ?? "")|\(options.scale)", request, source, stored: stored,
        renderings, to: &plan)
    }
  }

  private func add(
    _ node: RenderTree.Node, _ label: String, _ identifier: String, _ request: RenderRequest,
    _ source: Source,
    stored: Set<ContentDigest>, _ renderings: [Rendering], to plan: inout BatchPlan
  ) {
    let counts = node.counts(stored: stored)
    plan.totals.decodes += counts.decodes
    plan.totals.filters += counts.filterRuns
    plan.totals.renderings += counts.outputs
    guard plan.graph != nil else { return }
    let root = "\(source.content.hex)|\(identifier)"
    if counts.decodes > 0 {
      plan.graph?.add(
        root, PlanGraph.Node(kind: .decode, label: label, isDone: false), from: "source \(source.name)")
    }
    plan.graph?.add(node, root: root, request, stored: stored) { renderings[$0].writes }
  }

  private func path(of source: Source) -> String {
    if case .stored(let source) = source { source.path } else { "" }
  }

  /// From an earlier run, or else from the file's header.
  private func shape(of source: Source) -> SourceShape? {
    guard case .stored(let stored) = source else { return nil }
    do throws(CacheError) {
      let known = try store.rows(of: SourceFacts.self, forKeys: [stored.digest])[stored.digest]
      if let shape = known.flatMap(SourceShape.init) { return shape }
    } catch {
      store.noteRepair(error)
    }
    // The run reports a source that can't be opened.
    return (try? SourceFile(path: stored.path, limits: configuration.limits))?.shape
  }

  /// Those of the keys of which the store has the rendition.
  private func renditions(_ keys: [ContentDigest]) -> Set<ContentDigest> {
    do throws(CacheError) {
      var found: Set<ContentDigest> = []
      for (key, rendition) in try store.rows(of: StoredRendition.self, forKeys: keys)
      where try store.object(rendition.digest) != nil {
        found.insert(key)
      }
      return found
    } catch {
      store.noteRepair(error)
      return []
    }
  }
}

/// What a recipe wants of a still picture that is as small as it should be.
private struct StillWish: DecodeDistinction {
  let keepsOrientation: Bool
  let keepsColourSpace: Bool
  var identifier: String? { nil }

  init(_ wish: DecodeWish) {
    keepsOrientation = wish.keepsOrientation
    keepsColourSpace = wish.keepsColourSpace
  }
}
