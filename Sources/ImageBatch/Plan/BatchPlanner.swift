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
      switch await stored(group) {
      case .success(let source):
        plan.graph?.add(
          "source \(source.displayText)", .init(kind: .source, label: source.displayText, isDone: true),
          from: nil)
        let isStale = source.disposition == .stale || source.disposition == .revalidated
        if isStale {
          plan.totals.isExact = false
          if isNew { plan.totals.revalidations += 1 }
        }
        await add(group, source, isStale: isStale, to: &plan, rendered: &rendered)
      case .failure(let error):
        if isNew, error.code == .notCached { plan.totals.downloads += 1 }
        let name = group.jobs.first?.displaySource ?? ""
        plan.graph?.add(
          "source \(name)", .init(kind: .source, label: "\(name)\ndownload", isDone: false), from: nil)
        let inPlace = await outputsOfPlaceholder(group)
        addUnstored(group, error, inPlace: inPlace, to: &plan)
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
      store.noteRepair(error.message)
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
      store.noteRepair(error.message)
      return "never made of this source"
    }
  }

  private func stored(_ group: JobGroup) async -> Result<StoredSource, DownloadError> {
    var failure = DownloadError(.notCached, "no source", source: "")
    for source in group.key.sources {
      do throws(DownloadError) {
        let stored = try await downloader.download(
          ImageRequest(source), pinnedDigest: group.key.pinnedDigest)
        if group.key.hasAlternatives, !configuration.force,
          let error = await writer.records.failure(of: stored, configuration)
        {
          failure = DownloadError(.notCached, error.message, source: stored.displayText)
          continue
        }
        return .success(stored)
      } catch {
        failure = error
      }
    }
    return .failure(failure)
  }

  private func add(
    _ group: JobGroup, _ source: StoredSource, isStale: Bool, to plan: inout BatchPlan,
    rendered: inout Set<ContentDigest>
  ) async {
    let auxiliary = await AuxiliarySources(of: group.jobs, downloader: downloader)
    var groupPlan = GroupPlan(group, source: source, auxiliary: auxiliary, configuration: configuration)
    var known: [ContentDigest: StoredOutput] = [:]
    if !configuration.force, case .success(let found) = await writer.records.outputs(groupPlan.wantedKeys) {
      known = found
    }
    groupPlan.learn(known)
    groupPlan.claimPaths(claims)
    let survey = await writer.survey(groupPlan.outputs, known: known)
    var renderings: [ContentDigest: PlanCosts.Rendering] = [:]
    var order: [ContentDigest] = []
    for (index, output) in groupPlan.outputs.enumerated() {
      var entry = BatchPlan.Entry(output)
      entry.content = source.digest
      let isInPlace = survey.inPlace.contains(index) || survey.kept.contains(index)
      let isStored = output.key.map { survey.objects[$0] != nil } ?? false
      (entry.action, entry.reason) =
        survey.kept.contains(index)
        ? (.keep, "kept: no run has written the file that is there")
        : fate(of: output, isInPlace: isInPlace, isStored: isStored, isStale: isStale)
      let write = entry.node(isDone: isInPlace)
      if let key = output.key, entry.action == .render || entry.action == .revalidate, !isInPlace, !isStored {
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

  private func fate(
    of output: PlannedOutput, isInPlace: Bool, isStored: Bool, isStale: Bool
  ) -> (BatchPlan.Action, String) {
    if let error = output.error { return (.refuse, error.message) }
    if isInPlace {
      return isStale
        ? (.revalidate, BatchPlan.Entry.inPlaceButStale) : (.keep, "in place with the right bytes")
    }
    if isStale { return (.revalidate, "the stored source is stale") }
    if isStored { return (.copy, "missing or edited; its bytes are stored") }
    return (.render, reason(toRender: output))
  }

  /// The outputs that are in place as made from the placeholder: by job and position.
  private func outputsOfPlaceholder(_ group: JobGroup) async -> Set<[Int]> {
    guard let placeholder = group.key.placeholder else { return [] }
    let source: StoredSource
    do throws(DownloadError) {
      source = try await downloader.download(ImageRequest(placeholder))
    } catch {
      // The run says why it can't be used.
      return []
    }
    let auxiliary = await AuxiliarySources(of: group.jobs, downloader: downloader)
    var plan = GroupPlan(group, source: source, auxiliary: auxiliary, configuration: configuration)
    guard case .success(let known) = await writer.records.outputs(plan.wantedKeys) else { return [] }
    plan.learn(known)
    // Of its own: these paths are those of the same outputs.
    plan.claimPaths(OutputClaims(sources: sources, replacing: configuration.replacing))
    let survey = await writer.survey(plan.outputs, known: known)
    return Set(survey.inPlace.map { [plan.outputs[$0].job.index, plan.outputs[$0].position] })
  }

  private func addUnstored(
    _ group: JobGroup, _ error: DownloadError, inPlace: Set<[Int]>, to plan: inout BatchPlan
  ) {
    var renderings: [ContentDigest: PlanCosts.Rendering] = [:]
    var order: [ContentDigest] = []
    let source = PlanCosts.Source.unknown(group.jobs.first?.displaySource ?? "")
    for job in group.jobs {
      for (position, output) in job.outputs.enumerated() {
        var entry = BatchPlan.Entry(job: job, position: position, output: output)
        entry.action = error.code == .notCached ? .download : .refuse
        entry.reason = error.code == .notCached ? "the source isn't stored" : error.message
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
