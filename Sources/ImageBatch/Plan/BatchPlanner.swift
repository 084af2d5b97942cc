public import ImageCaches
public import ImageDownloads

/// Makes plans. Its downloader must be one that sends no request (`CacheMode.offline`).
///
///     let plan = await BatchPlanner(configuration, downloader: offline, store: store).plan(groups)
public struct BatchPlanner: Sendable {
  private let configuration: BatchConfiguration
  private let downloader: ImageDownloader
  private let store: DiskStore
  private let writer: OutputWriter
  private let claims: OutputClaims
  private let sources: SourceFiles
  private let ledger: OutputLedger
  private let costs: PlanCosts
  private let drawsGraph: Bool

  /// A planner over a store. It makes a graph of all steps where that is wanted: it takes memory.
  public init(
    _ configuration: BatchConfiguration, downloader: ImageDownloader, store: DiskStore,
    drawsGraph: Bool = false
  ) {
    self.drawsGraph = drawsGraph
    costs = PlanCosts(store: store, configuration: configuration)
    self.configuration = configuration
    self.downloader = downloader
    self.store = store
    sources = SourceFiles(store: store, records: false)
    ledger = OutputLedger(store: store, template: configuration.commandTemplate, remembersPaths: false)
    claims = OutputClaims(sources: sources, replacing: configuration.replacing)
    writer = OutputWriter(
      store: store, ledger: ledger, sources: sources, replacing: configuration.replacing)
  }

  /// What running `groups` would do.
  public func plan(_ groups: [JobGroup]) async -> BatchPlan {
    var plan = BatchPlan()
    if drawsGraph { plan.graph = PlanGraph() }
    var rendered: Set<ContentDigest> = []
    var sources: Set<ImageSource> = []
    for group in groups { self.sources.add(group.jobs) }
    for group in groups {
      plan.totals.jobs += group.jobs.count
      let isNew = group.key.sources.first.map { sources.insert($0).inserted } ?? false
      if isNew { plan.totals.sources += 1 }
      let graph = await decide(group)
      let failures = graph.failures
      if let decided = graph.decided, !graph.isGuess {
        let source = decided.source
        plan.graph?.add(
          "source \(source.displayText)", .init(kind: .source, label: source.displayText, isDone: true),
          from: nil)
        let isStale = source.disposition == .stale || source.disposition == .revalidated
        if isStale {
          plan.totals.isExact = false
          if isNew { plan.totals.revalidations += 1 }
        }
        add(decided, isStale: isStale, to: &plan, rendered: &rendered)
      } else {
        if isNew, graph.isGuess { plan.totals.downloads += 1 }
        let name = group.jobs.first?.displaySource ?? ""
        plan.graph?.add(
          "source \(name)", .init(kind: .source, label: "\(name)\ndownload", isDone: false), from: nil)
        addUnstored(
          group, graph.isGuess ? nil : JobError(allOf: failures), inPlace: graph.decided?.inPlace ?? [],
          to: &plan)
      }
    }
    for entry in plan.entries { plan.totals.actions[entry.action.rawValue, default: 0] += 1 }
    plan.totals.outputs = plan.entries.count
    plan.stale = stale(plan)
    return plan
  }

  /// What the manifests have made and don't make any more. Where a path isn't known yet, neither is what is stale.
  private func stale(_ plan: BatchPlan) -> [String] {
    guard !configuration.prunedScopes.isEmpty, plan.entries.allSatisfy({ $0.path != nil }) else {
      return []
    }
    let made = Set(plan.entries.compactMap(\.realPath))
    do throws(CacheError) {
      let stale = try ledger.stale(in: configuration.prunedScopes).filter { !made.contains($0.path) }
      return try writer.removable(stale).sorted()
    } catch {
      store.noteRepair(error)
      return []
    }
  }

  /// Why an output is rendered: what of its recipe differs from that of the file in its place.
  private func reason(toRender output: PlannedOutput) -> String {
    guard output.known == nil else { return "its stored bytes are gone" }
    guard let location = output.location, let recipe = output.recipe else {
      return "never made of this source"
    }
    do throws(CacheError) {
      guard let entry = try LedgerLookup(store: store).entry(of: location),
        let earlier = OutputRecipe(json: entry.recipe)
      else { return "never made of this source" }
      let parts = recipe.differences(from: earlier).map(\.part)
      guard !parts.isEmpty else { return "its stored bytes are gone" }
      return "\(parts.joined(separator: ", ")) \(parts.count == 1 ? "differs" : "differ") from the last run"
    } catch {
      store.noteRepair(error)
      return "never made of this source"
    }
  }

  /// Runs a group's graph as far as reading goes.
  private func decide(_ group: JobGroup) async -> StepGraph {
    var graph = StepGraph(group, configuration)
    var events: [StepGraph.Event] = []
    for action in graph.handle(.begun, now: 0) {
      if let event = await perform(action) { events.append(event) }
    }
    // Of sources that are published one after the other, the best is what stays.
    await drive(&graph, events.reversed())
    return graph
  }

  private func add(
    _ decided: StepGraph.Attempt, isStale: Bool, to plan: inout BatchPlan, rendered: inout Set<ContentDigest>
  ) {
    let (source, auxiliary) = (decided.source, decided.auxiliary)
    var renderings: [ContentDigest: PlanCosts.Rendering] = [:]
    var order: [ContentDigest] = []
    for output in decided.outputs {
      var entry = BatchPlan.Entry(output)
      entry.content = source.digest
      (entry.action, entry.reason) = fate(of: output, isStale: isStale)
      if case .failed(let error) = output.state { entry.error = error }
      let write = entry.node(isDone: output.state == .inPlace || output.state == .kept)
      if let key = output.key, output.state == .wanted {
        if rendered.insert(key).inserted {
          order.append(key)
          // A reference that can't be read fails its output in the run, at no cost.
          renderings[key] = PlanCosts.Rendering(
            output: output.output, auxiliary: (try? auxiliary.files(of: output.output)) ?? [:])
        }
        renderings[key]?.writes.append(write)
      } else if entry.action != .refuse {
        plan.graph?.add(write.key, write.node, from: "source \(source.displayText)")
      }
      plan.entries.append(entry)
    }
    costs.add(order.compactMap { renderings[$0] }, of: .stored(source), to: &plan)
  }

  private func fate(of output: PlannedOutput, isStale: Bool) -> (BatchPlan.Action, String) {
    switch output.state {
    case .failed(let error): (.refuse, error.message)
    case .kept: (.keep, "kept: no run has written the file that is there")
    case .inPlace where isStale: (.revalidate, BatchPlan.Entry.inPlaceButStale)
    case .inPlace: (.keep, "in place with the right bytes")
    case .stored, .wanted, .unknown:
      if isStale {
        (.revalidate, "the stored source is stale")
      } else if output.state == .stored {
        (.copy, "missing or edited; its bytes are stored")
      } else {
        (.render, reason(toRender: output))
      }
    }
  }

  /// - Parameters:
  ///   - error: Why no source can be used; nil where one has to be downloaded first.
  ///   - inPlace: Outputs that are in place, made from the placeholder.
  private func addUnstored(
    _ group: JobGroup, _ error: JobError?, inPlace: Set<[Int]>, to plan: inout BatchPlan
  ) {
    var renderings: [ContentDigest: PlanCosts.Rendering] = [:]
    var order: [ContentDigest] = []
    let source = PlanCosts.Source.unknown(group.jobs.first?.displaySource ?? "")
    for job in group.jobs {
      for (position, output) in job.outputs.enumerated() {
        var entry = BatchPlan.Entry(job: job, position: position, output: output)
        entry.action = error == nil ? .download : .refuse
        entry.reason = error?.message ?? "the source isn't stored"
        entry.error = error
        if inPlace.contains([job.index, position]) { entry.reason = BatchPlan.Entry.inPlaceOfPlaceholder }
        if entry.action == .download {
          let key = RenderKeys.output(of: source.content, chain: output.chain, encoding: output.encoding)
          if renderings[key] == nil { order.append(key) }
          renderings[key, default: PlanCosts.Rendering(output: output)].writes.append(
            entry.node(isDone: false))
        }
        plan.entries.append(entry)
      }
    }
    costs.add(order.compactMap { renderings[$0] }, of: source, to: &plan)
  }
}

extension BatchPlanner: StepDriver {
  /// Performs what reads from the store, and nothing else.
  func perform(_ action: StepGraph.Action) async -> StepGraph.Event? {
    switch action {
    case .download(let position, let source, let pinnedDigest):
      do throws(DownloadError) {
        let stored = try await downloader.download(ImageRequest(source), pinnedDigest: pinnedDigest)
        return .downloaded(position, .success(stored))
      } catch {
        return .downloaded(position, .failure(error))
      }
    case .findFailure(let source):
      return .failureFound(await writer.records.failure(of: source, configuration))
    case .downloadAuxiliary(let sources):
      return .auxiliaryDownloaded(await AuxiliarySources(downloading: sources, with: downloader))
    case .findOutputs(let keys): return .outputsFound(await writer.records.outputs(keys))
    case .inspectPlaces(let outputs, let known):
      return .placesInspected(await writer.survey(outputs, known: known, claims: claims))
    case .use, .hold, .release, .render, .recordFailure, .recordSource, .confirm, .place, .warn, .finish,
      .skip:
      return nil
    }
  }
}

extension StepGraph {
  /// Whether what has been decided depends on a source that isn't stored: it was taken as failed, since nothing better
  /// is known.
  fileprivate var isGuess: Bool {
    let isMissing = failures.contains { $0.code == .notCached }
    guard let decided else { return isMissing }
    return isMissing && candidates[decided.position].isPlaceholder
  }
}

extension StepGraph.Attempt {
  /// Outputs that are in place: by job and position.
  fileprivate var inPlace: Set<[Int]> {
    Set(outputs.filter { $0.state == .inPlace }.map { [$0.job.index, $0.position] })
  }
}

extension BatchPlan.Entry {
  /// Its file, as a step of the graph.
  fileprivate func node(isDone: Bool) -> (key: String, node: PlanGraph.Node) {
    let name = path ?? "output of job \(index)"
    return (
      "write \(index) \(name)",
      PlanGraph.Node(kind: .write, label: "\(name)\n\(action.rawValue)", isDone: isDone)
    )
  }
}

extension BatchPlan.Entry {
  fileprivate init(job: Job, position: Int, output: Output) {
    self.init(
      index: job.index, source: job.displaySource, path: nil, action: .render, reason: "",
      filter: output.chain.identifier, format: output.encoding.formatText, content: nil, key: nil,
      recipe: nil,
      location: output.location ?? job.location)
    path = output.template.expanded(.init(job, output), variables: output.variables)
  }

  fileprivate init(_ planned: PlannedOutput) {
    self.init(job: planned.job, position: planned.position, output: planned.output)
    path = planned.location ?? planned.path
    key = planned.key
    recipe = planned.recipe
    if let format = planned.values.format { self.format = format.rawValue }
  }
}
