import ImageCaches
import ImageDownloads
import Synchronization
import SystemIO
import ImageRendering

/// Runs one group's graph and performs its actions as slots become free.
final class GroupScheduler: StepDriver {
  private let batch: Batch
  private let group: JobGroup
  /// As it is at the beginning of ``run()``.
  private let graph: StepGraph
  private let events: AsyncStream<StepGraph.Event>
  private let mailbox: AsyncStream<StepGraph.Event>.Continuation
  private let receipts = Mutex<[RequestReceipt]>([])
  /// Whether an image that this group uses must stay on the machine.
  private let isPrivate = Mutex(false)
  /// The sources in use whose responses are cached once a decoder has read them.
  private let unconfirmed = Mutex<[StoredSource]>([])

  /// Requests the group's first sources immediately, so that downloads are queued in the order of the groups.
  init(_ group: JobGroup, of batch: Batch) {
    self.batch = batch
    self.group = group
    (events, mailbox) = AsyncStream.makeStream()
    var graph = StepGraph(group, batch.configuration)
    let actions = graph.handle(.begun, now: SystemTime.monotonic)
    self.graph = graph
    for case .download(let position, let source, let pinnedDigest) in actions {
      download(position, source, pinnedDigest)
    }
  }

  /// Runs the graph to its end. Cancelling the task cancels its downloads.
  func run() async {
    // An empty store has no outputs, so there will be something to render.
    if batch.store.isNew { await batch.rendering.startAhead() }
    var graph = graph
    for await event in events {
      await drive(&graph, [event])
      if graph.isFinished { break }
    }
    guard !graph.isFinished else { return }
    for receipt in receipts.withLock(\.self) { batch.downloader.cancel(receipt) }
    await drive(&graph, [.stopped])
  }

  private func download(_ position: Int, _ source: ImageSource, _ pinnedDigest: ContentDigest?) {
    let receipt = batch.downloader.download(
      ImageRequest(source), priority: group.priority, pinnedDigest: pinnedDigest
    ) { [mailbox] in
      mailbox.yield(.downloaded(position, $0))
    }
    receipts.withLock { $0.append(receipt) }
  }

  func perform(_ action: StepGraph.Action) async -> StepGraph.Event? {
    switch action {
    case .download(let position, let source, let pinnedDigest):
      // `Batch.stop()` has cancelled the downloads of its time, and nothing would cancel this one.
      if batch.stops {
        let error = DownloadError(.cancelled, "the run was stopped", source: source.displayText)
        return .downloaded(position, .failure(error))
      }
      download(position, source, pinnedDigest)
    case .recordArrival(let source): batch.configuration.onArrival?(source)
    case .use(let source, let mergedJobs):
      batch.countMerged(mergedJobs)
      batch.count(source)
      note([source])
    case .findFailure(let source):
      return .failureFound(await batch.writer.records.failure(of: source, batch.configuration))
    case .downloadAuxiliary(let sources):
      let auxiliary = await AuxiliarySources(
        downloading: sources, with: batch.downloader, frozen: batch.configuration.frozen
      ) { !batch.stops }
      note(auxiliary.found)
      return .auxiliaryDownloaded(auxiliary)
    case .hold(let bytes): batch.backlog.enter(bytes)
    case .release(let bytes): batch.backlog.leave(bytes)
    case .findOutputs(let keys): return .outputsFound(await batch.writer.records.outputs(keys))
    case .inspectPlaces(let outputs, let known):
      return .placesInspected(
        await batch.writer.survey(
          outputs, known: known, outputPaths: batch.outputPaths, findsOccupied: group.isProgressive))
    case .render(let rendering): return .rendered(await render(rendering))
    case .recordFailure(let error, let source):
      await batch.writer.records.record(error, of: source, batch.configuration)
    case .recordSource(let source, let auxiliary):
      unconfirmed.withLock { $0 = ([source] + auxiliary).filter { $0.unconfirmed != nil } }
      await record(source, auxiliary)
    case .confirm(let output): await confirm(output)
    case .place(let index, let output, let made, let result):
      let result = await place(output, made, result)
      return .placed(index, result, at: SystemTime.monotonic)
    case .warn(let warning): await batch.send(.warning(warning))
    case .finish(let results): await finish(results)
    case .skip: batch.skip(group)
    }
    return nil
  }

  /// Renders the keys that no other group is rendering, and waits for the others.
  private func render(_ rendering: StepGraph.Rendering) async -> [ContentDigest: StepGraph.RenderOutcome] {
    var own: [ContentDigest] = []
    var others: [ContentDigest: SingleFlight<ContentDigest, StepGraph.RenderOutcome>.Execution] = [:]
    for key in rendering.keys {
      if let execution = batch.flights.join(key) { others[key] = execution } else { own.append(key) }
    }
    var outcomes = await completed(own)
    var missing = own.filter { outcomes[$0] == nil }
    if let remote = batch.remote, !missing.isEmpty, !batch.stops {
      outcomes.merge(await found(missing, of: rendering, in: remote)) { $1 }
      missing.removeAll { outcomes[$0] != nil }
    }
    if !missing.isEmpty, !batch.stops {
      outcomes.merge(await RenderStep(batch: batch, rendering: rendering).run(missing)) { $1 }
      if let remote = batch.remote { offer(outcomes, of: rendering, to: remote) }
    }
    for key in own { batch.flights.complete(key, outcomes[key] ?? .failure(.cancelled)) }
    for (key, execution) in others { outcomes[key] = await execution.value }
    return outcomes
  }

  /// Outputs that another group completed after this one looked for them.
  private func completed(_ keys: [ContentDigest]) async -> [ContentDigest: StepGraph.RenderOutcome] {
    let late = keys.filter(batch.flights.wasCompleted)
    // With `force`, what the store has may be from an earlier run.
    guard !late.isEmpty, !batch.configuration.force else { return [:] }
    return await batch.writer.found(late, withPlaceholders: batch.configuration.wantsPlaceholders)
      .mapValues { .success($0) }
  }

  /// The outputs that the remote cache has.
  private func found(
    _ keys: [ContentDigest], of rendering: StepGraph.Rendering, in remote: RemoteCache
  ) async -> [ContentDigest: StepGraph.RenderOutcome] {
    // With `force`, outputs are rendered, whoever has them.
    guard !batch.configuration.force else { return [:] }
    var wanted: [ContentDigest: JobOutput] = [:]
    for key in keys where rendering.isShareable(key, besides: remote.privateOutputs) {
      wanted[key] = rendering.outputs[key]
    }
    return await remote.find(wanted, withPlaceholders: batch.configuration.wantsPlaceholders)
      .mapValues { .success($0) }
  }

  private func offer(
    _ outcomes: [ContentDigest: StepGraph.RenderOutcome], of rendering: StepGraph.Rendering,
    to remote: RemoteCache
  ) {
    for (key, outcome) in outcomes {
      guard case .success(let output) = outcome, output.isNew,
        rendering.isShareable(key, besides: remote.privateOutputs)
      else { continue }
      remote.offer(key, output)
    }
  }

  private func note(_ sources: [StoredSource]) {
    guard let privates = batch.remote?.privateOutputs, sources.contains(where: privates.isPrivate) else {
      return
    }
    isPrivate.withLock { $0 = true }
  }

  /// Keeps what other jobs make from an output on the machine, if the output has to stay there.
  private func keepPrivate(_ output: PlannedOutput, _ digest: ContentDigest) {
    guard output.job.neededOutputs.contains(output.position), isPrivate.withLock(\.self) else { return }
    batch.remote?.privateOutputs.insert(digest)
  }

  private func record(_ source: StoredSource, _ auxiliary: [StoredSource]) async {
    guard let onSource = batch.onSource else { return }
    let facts = await batch.writer.records.facts(of: source.digest)
    onSource(SourceRecord(stored: source, format: facts?.format, width: facts?.width, height: facts?.height))
    for stored in auxiliary { onSource(SourceRecord(stored: stored, format: nil, width: nil, height: nil)) }
  }

  private func confirm(_ output: PlannedOutput) async {
    guard let known = output.known else { return }
    keepPrivate(output, known.digest)
    await note(output, known.digest, flushes: false)
    batch.count(found: known, isInPlace: true)
  }

  private func place(
    _ output: PlannedOutput, _ made: EncodedOutput, _ planned: OutputResult
  ) async -> OutputResult {
    var result = planned
    keepPrivate(output, made.image.digest)
    if output.job.neededOutputs.contains(output.position) {
      await batch.writer.announce(output, made.image.digest)
    }
    guard let placed = await batch.writer.place(output, made, outputPaths: batch.outputPaths, into: &result),
      result.status != .kept
    else { return result }
    // Another process must see immediately which run wrote the file of a progressive group.
    await note(placed, made.image.digest, flushes: group.isProgressive)
    if !made.isNew, let known = output.known { batch.count(found: known, isInPlace: false) }
    return result
  }

  private func note(_ output: PlannedOutput, _ digest: ContentDigest, flushes: Bool) async {
    let isFull = batch.registry.note(output, digest)
    // An SQLite write, which may wait for those of other processes.
    if isFull || flushes { await batch.writer.blocking { [batch] in batch.registry.flush() } }
  }

  /// Caches responses whose end wasn't announced: every output was made from them, in this run or an earlier one.
  private func confirmSources(_ results: [JobResult]) async {
    let sources = unconfirmed.withLock(\.self)
    let statuses = Set(results.flatMap(\.outputs).map(\.status))
    guard !sources.isEmpty, batch.configuration.onCorrupt == .fail, !statuses.isEmpty,
      statuses.isDisjoint(with: [.failed, .kept])
    else { return }
    await batch.writer.blocking { sources.forEach { $0.confirmEnd() } }
  }

  private func finish(_ results: [JobResult]) async {
    await confirmSources(results)
    for (job, result) in zip(group.jobs, results) {
      for output in result.outputs where output.status == .kept {
        if let path = output.path { batch.registry.remember(path) }
      }
      if result.outputs.contains(where: { $0.error?.code == .cancelled }) {
        batch.skip(JobGroup(job))
      } else {
        await batch.finish(result, of: job)
      }
    }
  }
}
