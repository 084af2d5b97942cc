public import ImageCaches
public import ImageDownloads
import ImageRendering
import SystemIO

/// Computes a ``BatchPlan``. The downloader must be offline (`CacheMode.offline`).
///
///     let plan = await BatchPlanner(configuration, downloader: offline, store: store).plan(groups)
public struct BatchPlanner: Sendable {
  private let configuration: BatchConfiguration
  private let downloader: ImageDownloader
  private let store: DiskStore
  private let writer: OutputWriter
  private let outputPaths: OutputPathRegistry
  private let sources: SourceFiles
  private let registry: OutputRegistry
  private let costs: PlanCosts
  private let drawsGraph: Bool
  private let sendsRequests: Bool

  /// Creates a planner.
  /// - Parameters:
  ///   - configuration: The configuration of the run to plan.
  ///   - downloader: A downloader with `CacheMode.offline`.
  ///   - store: The disk store to read.
  ///   - drawsGraph: Whether to build `BatchPlan.graph`, which takes memory. Default: false.
  ///   - timeLimit: The time limit of a rendering, for ``BatchPlan/longRenderings``. Default: none.
  ///   - sendsRequests: Whether the run sends requests; one without uses stale responses as they are. Default: true.
  public init(
    _ configuration: BatchConfiguration, downloader: ImageDownloader, store: DiskStore,
    drawsGraph: Bool = false, timeLimit: Duration? = nil, sendsRequests: Bool = true
  ) {
    self.drawsGraph = drawsGraph
    self.sendsRequests = sendsRequests
    costs = PlanCosts(store: store, configuration: configuration, timeLimit: timeLimit)
    self.configuration = configuration
    self.downloader = downloader
    self.store = store
    sources = SourceFiles(store: store, records: false)
    registry = OutputRegistry(store: store, template: configuration.commandTemplate, remembersPaths: false)
    outputPaths = OutputPathRegistry(sources: sources, replacing: configuration.replacing)
    writer = OutputWriter(
      store: store, registry: registry, sources: sources, replacing: configuration.replacing,
      uploading: OutputWriter.Uploads(
        downloader: downloader, settings: ObjectPlaces.Settings(configuration)))
  }

  /// Plans a run, without rendering, writing, and requests for sources. Objects at outputs' addresses are inspected.
  /// - Parameter groups: The jobs, grouped by source.
  /// - Returns: One entry per output, in the order of the groups.
  public func plan(_ groups: [JobGroup]) async -> BatchPlan {
    var plan = BatchPlan()
    if drawsGraph { plan.graph = PlanGraph() }
    var rendered: Set<ContentDigest> = []
    var sources: Set<ImageSource> = []
    var level = -1
    // Outputs that a run would write, for jobs that need them.
    var written: [OutputReference: String] = [:]
    // The nodes of all outputs, from which edges lead to the jobs that need them.
    var places: [OutputReference: StepKey] = [:]
    for (number, group) in groups.enumerated() {
      if group.level != level {
        level = group.level
        // As in a run: sources of a higher level are outputs that this level may write.
        for other in groups[number...].prefix(while: { $0.level == level }) { self.sources.add(other.jobs) }
      }
      let before = plan.entries.count
      defer {
        for entry in plan.entries[before...] {
          let reference = OutputReference(job: entry.index, output: entry.position)
          places[reference] = entry.node(isDone: false).key
          if !entry.isCurrent { written[reference] = entry.path ?? entry.source }
        }
      }
      plan.totals.jobs += group.jobs.count
      let needed = group.jobs.flatMap(\.needs)
      if let source = needed.lazy.compactMap({ written[$0] }).first {
        addUnmade(group, source, from: needed.compactMap { places[$0] }, to: &plan)
        continue
      }
      let isNew = group.key.sources.first.map { sources.insert($0).inserted } ?? false
      if isNew { plan.totals.sources += 1 }
      let graph = await decide(group)
      let failures = graph.failures
      let isGuess = sendsRequests && graph.isGuess
      if let decided = graph.decided, !isGuess {
        let source = decided.source
        let node = PlanGraph.Node(kind: .source, label: source.displayText, isDone: true)
        plan.graph?.add(.source(source.displayText), node, from: nil)
        for place in needed.compactMap({ places[$0] }) {
          plan.graph?.add(.source(source.displayText), node, from: place)
        }
        let isStale =
          sendsRequests && (source.disposition == .stale || source.disposition == .revalidated)
        if isStale {
          plan.totals.isExact = false
          if isNew { plan.totals.revalidations += 1 }
        }
        add(decided, isStale: isStale, to: &plan, rendered: &rendered)
      } else {
        if isNew, isGuess { plan.totals.downloads += 1 }
        let name = group.jobs.first?.displaySource ?? ""
        plan.graph?.add(
          .source(name), .init(kind: .source, label: "\(name)\ndownload", isDone: false), from: nil)
        addUnstored(
          group, isGuess ? nil : JobError(allOf: failures), inPlace: graph.decided?.inPlace ?? [],
          to: &plan)
      }
    }
    for entry in plan.entries { plan.totals.actions[entry.action.rawValue, default: 0] += 1 }
    plan.totals.outputs = plan.entries.count
    plan.stale = stale(plan)
    return plan
  }

  /// Files that the manifests made in earlier runs and no longer make. Empty if any output's path is still unknown,
  /// because that could be one of them.
  private func stale(_ plan: BatchPlan) -> [String] {
    guard !configuration.prunedScopes.isEmpty, plan.entries.allSatisfy({ $0.path != nil }) else {
      return []
    }
    let made = Set(plan.entries.compactMap(\.realPath))
    do throws(CacheError) {
      let stale = try registry.stale(in: configuration.prunedScopes).filter { !made.contains($0.path) }
      return try writer.removable(stale).sorted()
    } catch {
      store.noteRepair(error)
      return []
    }
  }

  /// Why an output that isn't in place is made: the parts of its recipe that differ from the existing file's, or what has
  /// happened to the file.
  private func reason(toMake output: PlannedOutput) -> String {
    let isStored = output.state == .stored
    if configuration.force, !isStored { return "forced" }
    guard let location = output.location else {
      return output.known == nil ? "never made from this source" : "no longer in the cache"
    }
    let earlier: RegistryEntry?
    do throws(CacheError) {
      earlier = try store.registryEntry(at: location)
    } catch {
      store.noteRepair(error)
      earlier = nil
    }
    let ending = isStored ? "; the cache has it" : output.known == nil ? "" : ", and no longer in the cache"
    guard let recipe = output.recipe, let earlier, let before = OutputRecipe(json: earlier.recipe) else {
      guard isStored || output.known != nil else { return "never made from this source" }
      let isThere = OutputDirectory.object(at: location) == nil && File.exists(location)
      return (isThere ? "imagemill didn't write the existing file" : "missing") + ending
    }
    let parts = recipe.differences(from: before).map(\.part)
    guard parts.isEmpty else {
      let verb = parts.count == 1 ? "differs" : "differ"
      return "\(parts.joined(separator: ", ")) \(verb) from the last run\(isStored ? ending : "")"
    }
    guard OutputDirectory.object(at: location) == nil else { return "missing or modified\(ending)" }
    guard File.exists(location) else { return "missing" + ending }
    // What a file in place was made from is no longer known.
    if FileDigestCache(store: store).isUnchanged(earlier, at: location) { return "no longer in the cache" }
    return "changed since imagemill wrote it" + ending
  }

  /// Runs a group's graph up to the point where a run would write.
  private func decide(_ group: JobGroup) async -> StepGraph {
    var graph = StepGraph(group, configuration)
    var events: [StepGraph.Event] = []
    for action in graph.handle(.begun, now: 0) {
      if let event = await perform(action) { events.append(event) }
    }
    // Progressive sources replace each other, so that the best one, which is last, decides.
    await drive(&graph, events.reversed())
    return graph
  }

  private func add(
    _ decided: StepGraph.Attempt, isStale: Bool, to plan: inout BatchPlan, rendered: inout Set<ContentDigest>
  ) {
    let (source, auxiliary) = (decided.source, decided.auxiliary)
    var renderings: [ContentDigest: PlanCosts.Rendering] = [:]
    var order: [ContentDigest] = []
    // A stale source may have another size by then.
    let refusals = isStale ? [:] : costs.refusals(of: decided.outputs, from: source)
    for (position, output) in decided.outputs.enumerated() {
      var entry = BatchPlan.Entry(output)
      entry.content = source.digest
      (entry.action, entry.reason) = fate(of: output, isStale: isStale)
      if case .failed(let error) = output.state { entry.error = error }
      if let refusal = refusals[position] {
        (entry.action, entry.reason, entry.error) = (.refuse, refusal.message, refusal)
      }
      let write = entry.node(isDone: output.state == .inPlace || output.state == .kept)
      if let key = output.key, output.state == .wanted, entry.action != .refuse {
        if rendered.insert(key).inserted {
          order.append(key)
          // In a run, an unreadable reference fails its output, so its cost doesn't matter.
          renderings[key] = PlanCosts.Rendering(
            output: output.output, auxiliary: (try? auxiliary.files(of: output.output)) ?? [:])
        }
        renderings[key]?.writes.append(write)
      } else if entry.action != .refuse {
        plan.graph?.add(write.key, write.node, from: .source(source.displayText))
      }
      plan.entries.append(entry)
    }
    costs.add(order.compactMap { renderings[$0] }, of: .stored(source), to: &plan)
  }

  private func fate(of output: PlannedOutput, isStale: Bool) -> (BatchPlan.Action, String) {
    switch output.state {
    case .failed(let error): (.refuse, error.message)
    case .kept: (.keep, "kept: no run wrote the existing file")
    case .inPlace where isStale: (.revalidate, BatchPlan.Entry.inPlaceButStale)
    case .inPlace: (.keep, "up to date")
    case .stored, .wanted, .unknown:
      if isStale {
        (.revalidate, "\(reason(toMake: output)); the cached source is stale")
      } else {
        (output.state == .stored ? .copy : .render, reason(toMake: output))
      }
    }
  }

  /// Adds outputs whose source is an output that a run would write first.
  /// - Parameter places: The nodes of the outputs that the group needs.
  private func addUnmade(
    _ group: JobGroup, _ source: String, from places: [StepKey], to plan: inout BatchPlan
  ) {
    plan.totals.isExact = false
    for job in group.jobs {
      for (position, output) in job.outputs.enumerated() {
        var entry = BatchPlan.Entry(job: job, position: position, output: output)
        entry.reason = "its source \(source) is made first"
        let write = entry.node(isDone: false)
        // The filters may be merged with those of other outputs once the source is made: they are one step here.
        let filter = StepKey.filter(decoding: .source(source), chain: output.chain.identifier)
        let encode = StepKey.encode(filter, encoding: output.encoding.identifier)
        let label = entry.filter.isEmpty ? "decode" : entry.filter
        for place in places {
          plan.graph?.add(filter, .init(kind: .filter, label: label, isDone: false), from: place)
        }
        plan.graph?.add(encode, .init(kind: .encode, label: entry.format, isDone: false), from: filter)
        plan.graph?.add(write.key, write.node, from: encode)
        plan.entries.append(entry)
      }
    }
  }

  /// - Parameters:
  ///   - error: Why no source can be used; nil if one has to be downloaded first.
  ///   - inPlace: Outputs, by job and position, that are up to date with the placeholder.
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
        entry.reason = error?.message ?? "the source isn't cached"
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
  /// Performs only actions that read from the store.
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
      return .auxiliaryDownloaded(
        await AuxiliarySources(downloading: sources, with: downloader, frozen: configuration.frozen))
    case .findOutputs(let keys): return .outputsFound(await writer.records.outputs(keys))
    case .inspectPlaces(let outputs, let known):
      return .placesInspected(await writer.survey(outputs, known: known, outputPaths: outputPaths))
    case .recordArrival, .use, .hold, .release, .render, .recordFailure, .recordSource, .confirm, .place,
      .warn, .finish,
      .skip:
      return nil
    }
  }
}

extension StepGraph {
  /// Whether the decision depends on a source that isn't stored. The offline downloader reports it as failed,
  /// but a run may succeed in downloading it.
  fileprivate var isGuess: Bool {
    let isMissing = failures.contains { $0.code == .notCached }
    guard let decided else { return isMissing }
    return isMissing && candidates[decided.position].isPlaceholder
  }
}

extension StepGraph.Attempt {
  fileprivate var inPlace: Set<[Int]> {
    Set(outputs.filter { $0.state == .inPlace }.map { [$0.job.index, $0.position] })
  }
}
