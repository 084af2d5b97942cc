import ImageCaches
import ImageDownloads
import Synchronization
import SystemIO

/// Runs one group's graph: performs its actions as slots come free.
final class GroupScheduler: StepDriver {
  private let batch: Batch
  private let group: JobGroup
  private let graph: Mutex<StepGraph>
  private let events: AsyncStream<StepGraph.Event>
  private let mailbox: AsyncStream<StepGraph.Event>.Continuation
  private let receipts = Mutex<[RequestReceipt]>([])

  /// Asks for the group's first sources at once, so that downloads are asked for in the order of the groups.
  init(_ group: JobGroup, of batch: Batch) {
    self.batch = batch
    self.group = group
    (events, mailbox) = AsyncStream.makeStream()
    var graph = StepGraph(group, batch.configuration)
    let actions = graph.handle(.begun, now: SystemTime.monotonic)
    self.graph = Mutex(graph)
    for case .download(let position, let source, let pinnedDigest) in actions {
      download(position, source, pinnedDigest)
    }
  }

  /// Runs the graph to its end. Cancelling the task cancels its downloads.
  func run() async {
    var graph = graph.withLock(\.self)
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
    case .download(let position, let source, let pinnedDigest): download(position, source, pinnedDigest)
    case .use(let source, let mergedJobs):
      batch.countMerged(mergedJobs)
      batch.count(source)
    case .findFailure(let source):
      return .failureFound(await batch.writer.records.failure(of: source, batch.configuration))
    case .downloadAuxiliary(let sources):
      return .auxiliaryDownloaded(await AuxiliarySources(downloading: sources, with: batch.downloader))
    case .hold(let bytes): batch.backlog.enter(bytes)
    case .release(let bytes): batch.backlog.leave(bytes)
    case .findOutputs(let keys): return .outputsFound(await batch.writer.records.outputs(keys))
    case .inspectPlaces(let outputs, let known):
      return .placesInspected(await batch.writer.survey(outputs, known: known, claims: batch.claims))
    case .render(let rendering): return .rendered(await render(rendering))
    case .recordFailure(let error, let source):
      await batch.writer.records.record(error, of: source, batch.configuration)
    case .recordSource(let source, let auxiliary): await record(source, auxiliary)
    case .confirm(let output): confirm(output)
    case .place(let index, let output, let made, let result):
      let result = await place(output, made, result)
      return .placed(index, result, at: SystemTime.monotonic)
    case .warn(let warning): await batch.send(.warning(warning))
    case .finish(let results): await finish(results)
    case .skip: batch.skip(group)
    }
    return nil
  }

  /// Renders what no other group renders, and waits for the rest.
  private func render(_ rendering: StepGraph.Rendering) async -> [ContentDigest: StepGraph.Landing] {
    var own: [ContentDigest] = []
    var others: [ContentDigest: SingleFlight<ContentDigest, StepGraph.Landing>.Flight] = [:]
    for key in rendering.keys {
      if let flight = batch.flights.join(key) { others[key] = flight } else { own.append(key) }
    }
    var landings: [ContentDigest: StepGraph.Landing] = [:]
    if !own.isEmpty, !batch.stops {
      landings = await RenderStep(batch: batch, rendering: rendering).run(own)
    }
    for key in own { batch.flights.complete(key, landings[key] ?? .failure(.cancelled)) }
    for (key, flight) in others { landings[key] = await flight.value }
    return landings
  }

  private func record(_ source: StoredSource, _ auxiliary: [StoredSource]) async {
    guard let onSource = batch.onSource else { return }
    let facts = await batch.writer.records.facts(of: source.digest)
    onSource(SourceRecord(stored: source, format: facts?.format, width: facts?.width, height: facts?.height))
    for stored in auxiliary { onSource(SourceRecord(stored: stored, format: nil, width: nil, height: nil)) }
  }

  private func confirm(_ output: PlannedOutput) {
    guard let known = output.known else { return }
    batch.ledger.note(output, known.digest)
    batch.count(found: known, isInPlace: true)
  }

  private func place(
    _ output: PlannedOutput, _ made: MadeOutput, _ planned: OutputResult
  ) async -> OutputResult {
    var result = planned
    guard let placed = await batch.writer.place(output, made, claims: batch.claims, into: &result),
      result.status != .kept
    else { return result }
    batch.ledger.note(placed, made.image.digest)
    // Another process must see at once which run has written it.
    if group.isProgressive { batch.ledger.flush() }
    if !made.isNew, let known = output.known { batch.count(found: known, isInPlace: false) }
    return result
  }

  private func finish(_ results: [JobResult]) async {
    for (job, result) in zip(group.jobs, results) {
      if result.outputs.contains(where: { $0.error?.code == .cancelled }) {
        batch.skip(JobGroup(job))
      } else {
        await batch.finish(result)
      }
    }
  }
}
