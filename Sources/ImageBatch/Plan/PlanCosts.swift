import ImageCaches
import ImageDownloads
import ImageFilters
import ImageRendering

/// Computes the cost of rendering a group's outputs from the same ``RenderTree`` as the renderer.
struct PlanCosts {
  let store: DiskStore
  let configuration: BatchConfiguration
  /// The time limit of a rendering; nil for none.
  let timeLimit: Duration?

  /// A source that is stored or yet to be downloaded.
  enum Source {
    case stored(StoredSource)
    /// A source to download. Its name replaces its digest in keys.
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

  /// One output to render, and the files that get its bytes.
  struct Rendering {
    var output: JobOutput
    var auxiliary: [String: AuxiliarySource] = [:]
    /// A key and a node for each file to write.
    var writes: [(key: StepKey, node: PlanGraph.Node)] = []
  }

  /// Adds the cost of one source's `renderings` to the totals, and their steps to the graph.
  func add(_ renderings: [Rendering], of source: Source, to plan: inout BatchPlan) {
    guard !renderings.isEmpty else { return }
    let request = RenderRequest(
      sourceName: source.name, source: .path(path(of: source)), sourceDigest: source.content,
      limits: configuration.limits,
      auxiliary: renderings.reduce(into: [:]) { $0.merge($1.auxiliary) { $1 } },
      recipes: renderings.enumerated().map { id, rendering in
        RenderRecipe(
          id: id, chain: rendering.output.chain, encoding: rendering.output.encoding, temporaryPath: "")
      })
    guard let shape = shape(of: source) else {
      // Shrinking and frames depend on the source's header, so that this is a lower bound.
      plan.totals.isExact = false
      let roots = RenderTree.roots(of: request) { StillRequirements(DecodeRequirements(request.recipes[$0])) }
      for (number, root) in roots.enumerated() {
        add(root.node, "decode", "\(number)", request, source, stored: [], renderings, to: &plan)
      }
      return
    }
    check(TimeEstimate(of: shape, recipes: request.recipes, limits: request.limits), of: source, &plan)
    let keys = RenditionCache.keys(of: request, shape)
    var stored: Set<ContentDigest> = []
    if !configuration.force, configuration.renditions != .never {
      stored = renditions(keys)
    }
    // A recipe that fails a check costs nothing.
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

  private func check(_ estimate: TimeEstimate, of source: Source, _ plan: inout BatchPlan) {
    guard let timeLimit else { return }
    let limit = timeLimit / .seconds(1)
    guard estimate.seconds > limit else { return }
    plan.longRenderings.append(
      BatchPlan.LongRendering(source: source.name, seconds: estimate.seconds.rounded(.up), limit: limit))
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
    let root = StepKey.decode(content: source.content.hex, options: identifier)
    if counts.decodes > 0 {
      plan.graph?.add(
        root, PlanGraph.Node(kind: .decode, label: label, isDone: false), from: .source(source.name))
    }
    plan.graph?.add(node, root: root, request, stored: stored) { renderings[$0].writes }
  }

  /// Why outputs that are wanted of a stored source can't be made, as far as its header and the chains tell; by their
  /// positions.
  func refusals(of outputs: [PlannedOutput], from source: StoredSource) -> [Int: JobError] {
    guard outputs.contains(where: { $0.state == .wanted }), let shape = shape(of: .stored(source)) else {
      return [:]
    }
    var refusals: [Int: JobError] = [:]
    for (position, planned) in outputs.enumerated() where planned.state == .wanted {
      let recipe = RenderRecipe(
        id: position, chain: planned.output.chain, encoding: planned.output.encoding, temporaryPath: "")
      let error = DecodeOptions.refusal(of: recipe, of: shape, within: configuration.limits)
      refusals[position] = error.map { JobError($0) }
    }
    return refusals
  }

  private func path(of source: Source) -> String {
    if case .stored(let source) = source { source.path } else { "" }
  }

  /// The source's shape, recorded by an earlier run or read from its header.
  private func shape(of source: Source) -> SourceShape? {
    guard case .stored(let stored) = source else { return nil }
    do throws(CacheError) {
      let known = try store.rows(of: SourceFacts.self, forKeys: [stored.digest])[stored.digest]
      if let shape = known.flatMap(SourceShape.init) { return shape }
    } catch {
      store.noteRepair(error)
    }
    // The run reports an unreadable source.
    return (try? SourceFile(path: stored.path, limits: configuration.limits))?.shape
  }

  private func renditions(_ keys: [ContentDigest]) -> Set<ContentDigest> {
    do throws(CacheError) {
      return Set(try RenditionCache.stored(keys, in: store).keys)
    } catch {
      store.noteRepair(error)
      return []
    }
  }
}

/// Decode requirements of a still image without shrink-on-load, for a source that isn't known.
private struct StillRequirements: DecodeKey {
  let keepsOrientation: Bool
  let keepsColorSpace: Bool
  var identifier: String? { nil }

  init(_ wish: DecodeRequirements) {
    keepsOrientation = wish.keepsOrientation
    keepsColorSpace = wish.keepsColorSpace
  }
}
