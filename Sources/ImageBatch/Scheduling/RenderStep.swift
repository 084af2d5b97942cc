import ImageCaches
import ImageDownloads
import Synchronization
import ImageRendering

/// Renders some of a group's output keys and stores the results.
struct RenderStep {
  let batch: Batch
  let rendering: StepGraph.Rendering

  private var source: StoredSource { rendering.source }

  /// One request's keys and outputs by recipe number, and the images that their chains refer to.
  private struct Part: Sendable {
    var keys: [Int: ContentDigest] = [:]
    var outputs: [Int: JobOutput] = [:]
    var auxiliary: [String: StoredSource] = [:]

    /// Whether names that occur in both refer to the same image.
    func agrees(with other: [String: StoredSource]) -> Bool {
      other.allSatisfy { name, source in auxiliary[name].map { $0.digest == source.digest } ?? true }
    }

    mutating func keep(_ wanted: Set<ContentDigest>) {
      keys = keys.filter { wanted.contains($0.value) }
      outputs = outputs.filter { keys[$0.key] != nil }
    }

    mutating func remove(_ gone: some Collection<ContentDigest>) {
      guard !gone.isEmpty else { return }
      keep(Set(keys.values).subtracting(gone))
    }

    func failing(_ error: JobError) -> [ContentDigest: StepGraph.RenderOutcome] {
      Dictionary(keys.values.map { ($0, .failure(error)) }) { $1 }
    }
  }

  /// Resources that a request holds open while it is rendered.
  private struct Opened: Sendable {
    var part: Part
    /// nil when they are closed.
    var held: HeldSources?
    /// Why what was rendered must be discarded.
    var problem: JobError?
    var files: [Int: TemporaryPath] = [:]
    var lease = RenditionCache.Lease()
    /// What the lease is for; nil if it is empty.
    var request: RenderRequest?
  }

  /// The time for which a request had a slot.
  private struct Interval: Sendable {
    let start = ContinuousClock.now
    var end: ContinuousClock.Instant?

    var seconds: Double { end.map { ($0 - start) / .seconds(1) } ?? 0 }
  }

  /// - Parameter keys: The keys of the rendering that no other group renders.
  func run(_ keys: [ContentDigest]) async -> [ContentDigest: StepGraph.RenderOutcome] {
    var outcomes: [ContentDigest: StepGraph.RenderOutcome] = [:]
    let limits = batch.rendering.limitsIdentifier
    let remembered =
      batch.configuration.force ? [:] : await batch.writer.records.decoderFailures(of: keys, limits: limits)
    for (key, error) in remembered { outcomes[key] = .failure(error) }
    var parts: [Part] = []
    for (id, key) in keys.enumerated() where outcomes[key] == nil {
      do throws(JobError) {
        try add(key, id, to: &parts)
      } catch {
        outcomes[key] = .failure(error)
      }
    }
    for part in parts { outcomes.merge(await renderShared(part)) { $1 } }
    var decoderFailures: [ContentDigest: JobError] = [:]
    for (key, outcome) in outcomes where remembered[key] == nil {
      guard case .failure(let error) = outcome, JobError.Code.decoderFailures.contains(error.code) else {
        continue
      }
      if !error.isTemporary { decoderFailures[key] = error }
    }
    await batch.writer.records.record(decoderFailures, limits: limits)
    return outcomes
  }

  /// Adds an output to the first part whose names don't conflict: jobs of two manifests may use one name for different
  /// images.
  private func add(_ key: ContentDigest, _ id: Int, to parts: inout [Part]) throws(JobError) {
    guard let output = rendering.outputs[key] else { throw .cancelled }
    let auxiliary = try rendering.auxiliary.sources(of: output)
    if !parts.contains(where: { $0.agrees(with: auxiliary) }) { parts.append(Part()) }
    guard let index = parts.firstIndex(where: { $0.agrees(with: auxiliary) }) else { throw .cancelled }
    parts[index].keys[id] = key
    parts[index].outputs[id] = output
    parts[index].auxiliary.merge(auxiliary) { $1 }
  }

  // MARK: Sharing with other processes

  /// The longest wait for another process, in seconds, before rendering its output here as well. A suspended process
  /// keeps its locks.
  private static let patience = 30.0

  /// Renders a part. It waits for outputs that another process on the same cache is rendering, and renders them itself
  /// if that process dies or fails.
  private func renderShared(_ part: Part) async -> [ContentDigest: StepGraph.RenderOutcome] {
    // With `force`, every process renders its own outputs.
    guard let locks = batch.store.requestLocks, !batch.configuration.force else {
      return await render(part, RenderClaims(locks: nil))
    }
    var (part, outcomes) = (part, [ContentDigest: StepGraph.RenderOutcome]())
    var mayWait = true
    while !part.keys.isEmpty {
      let claims = RenderClaims(locks: mayWait ? locks : nil)
      outcomes.merge(await render(part, claims)) { $1 }
      part.remove(outcomes.keys)
      guard !part.keys.isEmpty, let busy = claims.elsewhere.first else { break }
      // Waiting takes no rendering slot.
      mayWait = await locks.wait(for: busy, seconds: Self.patience, patience: Self.patience) { 0 }
      guard !batch.stops else { break }
      outcomes.merge(await found(part)) { $1 }
      part.remove(outcomes.keys)
    }
    for key in part.keys.values { outcomes[key] = .failure(.cancelled) }
    return outcomes
  }

  /// The outputs of a part that another process has stored.
  private func found(_ part: Part) async -> [ContentDigest: StepGraph.RenderOutcome] {
    await batch.writer.found(
      Array(part.keys.values), withPlaceholders: batch.configuration.wantsPlaceholders
    ).mapValues { .success($0) }
  }

  /// Renders the outputs of a part that no other process has claimed.
  private func render(
    _ part: Part, _ claims: RenderClaims
  ) async -> [ContentDigest: StepGraph.RenderOutcome] {
    defer { claims.release() }
    let opened = Mutex<Result<Opened, JobError>?>(nil)
    let stored = Mutex<[ContentDigest: StepGraph.RenderOutcome]>([:])
    let interval = Mutex<Interval?>(nil)
    let response = await batch.rendering.render {
      guard !batch.stops else { return nil }
      do throws(JobError) {
        var own = part
        own.keep(try claims.take(Array(part.keys.values)))
        if try claims.hasCompany(since: rendering.lookedUpAt) {
          let found = await found(own)
          stored.withLock { $0 = found }
          own.remove(found.keys)
        }
        guard !own.keys.isEmpty else { return nil }
        let (request, held) = try await open(own)
        opened.withLock { $0 = .success(held) }
        return request
      } catch {
        opened.withLock { $0 = .failure(error) }
        return nil
      }
    } onStart: { slot in
      // Stopped while it waited for its slot.
      guard !batch.stops else { return false }
      interval.withLock { $0 = Interval() }
      await batch.send(.renderingStarted(slot: slot, job: rendering.job, source: source.displayText))
      return true
    } onEnd: { slot in
      interval.withLock { $0?.end = .now }
      await batch.send(.renderingFinished(slot: slot))
    } afterwards: {
      guard case .success(var ended)? = opened.withLock(\.self) else { return }
      await close(&ended)
      opened.withLock { [ended] in $0 = .success(ended) }
    }
    var outcomes = stored.withLock(\.self)
    switch opened.withLock(\.self) {
    case .success(let opened)?:
      let seconds = interval.withLock { $0?.seconds ?? 0 }
      let made =
        if let response { await land(response, opened, seconds) } else { opened.part.failing(.cancelled) }
      outcomes.merge(made) { $1 }
    case .failure(let error)?: outcomes.merge(part.failing(error)) { old, _ in old }
    case nil:
      // Withdrawn: every output was found or claimed by another process, or the run was stopped.
      if claims.elsewhere.isEmpty { outcomes.merge(part.failing(.cancelled)) { old, _ in old } }
    }
    return outcomes
  }

  /// - Parameter seconds: The rendering time.
  private func land(
    _ response: RenderResponse, _ opened: Opened, _ seconds: Double
  ) async -> [ContentDigest: StepGraph.RenderOutcome] {
    batch.count(response)
    if let problem = opened.problem { return opened.part.failing(problem) }
    await warn(response)
    await batch.writer.keep(response, to: opened.request, of: opened.lease)
    return await store(
      response, of: opened.part, files: opened.files,
      seconds: seconds / Double(max(1, response.counts.outputs)))
  }

  /// Checks a part's sources, before anything is stored under a key that names the digested bytes, and closes them: outputs
  /// may wait a long time to be stored.
  private func close(_ opened: inout Opened) async {
    guard let held = opened.held else { return }
    opened.held = nil
    guard held.areChangeable else { return }
    do throws(JobError) {
      try await batch.writer.blocking { () throws(JobError) in try held.check() }
    } catch {
      opened.problem = error
    }
  }

  /// Opens a part's sources and files, and creates its request.
  private func open(_ part: Part) async throws(JobError) -> (RenderRequest, Opened) {
    try await batch.writer.blocking { () throws(JobError) in
      var (request, opened) = try openFiles(of: part)
      opened.lease = batch.writer.lease(for: request, force: batch.configuration.force)
      request.renditions = opened.lease.plan
      if !request.renditions.files.isEmpty { opened.request = request }
      return (request, opened)
    }
  }

  /// The blocking part of ``open(_:)``.
  private func openFiles(of part: Part) throws(JobError) -> (RenderRequest, Opened) {
    let held = try HeldSources(source, auxiliary: part.auxiliary)
    var opened = Opened(part: part, held: held)
    var recipes: [RenderRecipe] = []
    for (id, output) in part.outputs.sorted(by: { $0.key < $1.key }) {
      let file = try batch.writer.temporaryPath()
      opened.files[id] = file
      recipes.append(
        RenderRecipe(id: id, chain: output.chain, encoding: output.encoding, temporaryPath: file.path))
    }
    var request = RenderRequest(
      sourceName: source.displayText, source: held.place, sourceDigest: source.digest,
      limits: batch.configuration.limits, onCorrupt: batch.configuration.onCorrupt, auxiliary: held.auxiliary,
      recipes: recipes, wantsPlaceholders: batch.configuration.wantsPlaceholders,
      concurrency: batch.threadsPerRendering)
    request.memoryEstimate = estimate(request)
    return (request, opened)
  }

  /// The request's estimated memory in bytes; nil if the source's header isn't supported.
  private func estimate(_ request: RenderRequest) -> Int? {
    guard let facts = SourceFacts(headerOf: request.source) else { return nil }
    return MemoryEstimate(
      of: facts, recipes: request.recipes,
      auxiliary: request.auxiliary.compactMapValues { SourceFacts(headerOf: $0.place) },
      limits: request.limits, wantsPlaceholders: request.wantsPlaceholders
    ).bytes
  }

  /// Reports the response's warnings unless every output failed, in which case the errors suffice.
  private func warn(_ response: RenderResponse) async {
    let madeAny = response.outputs.contains { if case .success = $0.result { true } else { false } }
    for warning in response.warnings where madeAny {
      await batch.send(.warning(BatchWarning(source: source.displayText, message: warning)))
    }
  }

  /// - Parameter seconds: The rendering time per output.
  private func store(
    _ response: RenderResponse, of part: Part, files: [Int: TemporaryPath], seconds: Double
  ) async -> [ContentDigest: StepGraph.RenderOutcome] {
    var outcomes: [ContentDigest: StepGraph.RenderOutcome] = [:]
    var rendered: [OutputWriter.Rendered] = []
    for output in response.outputs {
      guard let key = part.keys[output.id], let file = files[output.id] else { continue }
      switch output.result {
      case .success(let image):
        rendered.append(OutputWriter.Rendered(key: key, image: image, file: file, seconds: seconds))
      case .failure(let error): outcomes[key] = .failure(JobError(error))
      }
    }
    let facts = response.source.map { [source.digest: $0] } ?? [:]
    outcomes.merge(await batch.writer.store(rendered, facts: facts)) { $1 }
    return outcomes
  }
}
