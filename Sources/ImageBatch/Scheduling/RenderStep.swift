import ImageCaches
import ImageDownloads
import Synchronization

/// Renders some of a group's output keys, and stores what comes out.
struct RenderStep {
  let batch: Batch
  let rendering: StepGraph.Rendering

  private var source: StoredSource { rendering.source }

  /// One request's recipes, by their numbers, and the images that their chains name.
  private struct Part: Sendable {
    var keys: [Int: ContentDigest] = [:]
    var outputs: [Int: Output] = [:]
    var auxiliary: [String: StoredSource] = [:]

    /// Whether every name that both know means one image.
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

    /// One failure for all that is in it.
    func failing(_ error: JobError) -> [ContentDigest: StepGraph.Landing] {
      Dictionary(keys.values.map { ($0, .failure(error)) }) { $1 }
    }
  }

  /// What a request holds open while it is rendered.
  private struct Opened: Sendable {
    var part: Part
    var slot: Int
    var start: ContinuousClock.Instant
    var held: [HeldSource] = []
    var files: [Int: TemporaryPath] = [:]
    var loan = RenditionShelf.Loan()
  }

  /// - Parameter keys: Those of the rendering's keys that no other group renders.
  func run(_ keys: [ContentDigest]) async -> [ContentDigest: StepGraph.Landing] {
    var landings: [ContentDigest: StepGraph.Landing] = [:]
    let limits = batch.rendering.limitsIdentifier
    let remembered =
      batch.configuration.force ? [:] : await batch.writer.records.deaths(of: keys, limits: limits)
    for (key, error) in remembered { landings[key] = .failure(error) }
    var parts: [Part] = []
    for (id, key) in keys.enumerated() where landings[key] == nil {
      do throws(JobError) {
        try add(key, id, to: &parts)
      } catch {
        landings[key] = .failure(error)
      }
    }
    for part in parts { landings.merge(await renderShared(part)) { $1 } }
    var deaths: [ContentDigest: JobError] = [:]
    for (key, landing) in landings where remembered[key] == nil {
      if case .failure(let error) = landing, JobError.Code.deaths.contains(error.code) { deaths[key] = error }
    }
    await batch.writer.records.record(deaths, limits: limits)
    return landings
  }

  /// Puts an output in the first part in which its names mean what it means: jobs of two manifests may have different
  /// pictures of one name.
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

  /// The longest wait for another process's rendering, in seconds; then this one does it too. A process that was stopped,
  /// and not killed, keeps its locks.
  private static let patience = 10.0

  /// Renders a part. What another process on the same cache renders at the moment is waited for, and rendered here if
  /// that process dies or has nothing to show for it.
  private func renderShared(_ part: Part) async -> [ContentDigest: StepGraph.Landing] {
    // What is to be made again is made by each that asks for it.
    guard let locks = batch.store.requestLocks, !batch.configuration.force else {
      return await render(part, RenderClaims(locks: nil))
    }
    var (part, landings) = (part, [ContentDigest: StepGraph.Landing]())
    var mayWait = true
    while !part.keys.isEmpty {
      let claims = RenderClaims(locks: mayWait ? locks : nil)
      landings.merge(await render(part, claims)) { $1 }
      part.remove(landings.keys)
      guard !part.keys.isEmpty, let busy = claims.elsewhere.first else { break }
      // Without a slot: others are rendered meanwhile.
      mayWait = await locks.wait(for: busy, seconds: Self.patience, patience: Self.patience) { 0 }
      guard !batch.stops else { break }
      landings.merge(await found(part)) { $1 }
      part.remove(landings.keys)
    }
    for key in part.keys.values { landings[key] = .failure(.cancelled) }
    return landings
  }

  /// The outputs of a part that have been stored meanwhile.
  private func found(_ part: Part) async -> [ContentDigest: StepGraph.Landing] {
    await batch.writer.found(
      Array(part.keys.values), withPlaceholders: batch.configuration.wantsPlaceholders
    ).mapValues { .success($0) }
  }

  /// Renders the outputs of a part that no other process renders.
  private func render(
    _ part: Part, _ claims: RenderClaims
  ) async -> [ContentDigest: StepGraph.Landing] {
    defer { claims.release() }
    let opened = Mutex<Result<Opened, JobError>?>(nil)
    let stored = Mutex<[ContentDigest: StepGraph.Landing]>([:])
    let response = await batch.rendering.render { slot in
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
        let (request, held) = try await open(own, in: slot)
        opened.withLock { $0 = .success(held) }
        await batch.send(
          .renderingStarted(
            slot: slot, job: rendering.job, source: source.displayText))
        return request
      } catch {
        opened.withLock { $0 = .failure(error) }
        return nil
      }
    }
    var landings = stored.withLock(\.self)
    switch opened.withLock(\.self) {
    case .success(let opened)?:
      let made =
        if let response { await land(response, opened) } else { opened.part.failing(.cancelled) }
      landings.merge(made) { $1 }
    case .failure(let error)?: landings.merge(part.failing(error)) { old, _ in old }
    case nil:
      // Withdrawn: everything was found, or is somebody else's, or the run was stopped.
      if claims.elsewhere.isEmpty { landings.merge(part.failing(.cancelled)) { old, _ in old } }
    }
    return landings
  }

  /// Takes in what a request has made.
  private func land(
    _ response: RenderResponse, _ opened: Opened
  ) async -> [ContentDigest: StepGraph.Landing] {
    let seconds = (ContinuousClock.now - opened.start) / .seconds(1)
    await batch.send(.renderingFinished(slot: opened.slot))
    batch.count(response)
    do throws(JobError) {
      // Before anything is stored under a key that names the digested bytes.
      for source in opened.held { try source.check() }
    } catch {
      return opened.part.failing(error)
    }
    if let facts = response.source { await batch.writer.records.record(facts, of: source.digest) }
    await warn(response)
    await batch.writer.keep(response.renditions, of: opened.loan)
    return await store(
      response, of: opened.part, files: opened.files,
      seconds: seconds / Double(max(1, response.counts.outputs)))
  }

  /// Opens what a part needs, and makes its request.
  private func open(_ part: Part, in slot: Int) async throws(JobError) -> (RenderRequest, Opened) {
    var opened = Opened(part: part, slot: slot, start: .now)
    let main = try HeldSource(source)
    opened.held.append(main)
    var auxiliary: [String: AuxiliarySource] = [:]
    for (name, source) in part.auxiliary {
      let held = try HeldSource(source)
      opened.held.append(held)
      auxiliary[name] = AuxiliarySource(
        path: held.path, digest: source.digest, name: source.displayText)
    }
    var recipes: [RenderRecipe] = []
    for (id, output) in part.outputs.sorted(by: { $0.key < $1.key }) {
      let file = try batch.writer.temporaryPath()
      opened.files[id] = file
      recipes.append(
        RenderRecipe(id: id, chain: output.chain, encoding: output.encoding, temporaryPath: file.path))
    }
    var request = RenderRequest(
      sourceName: source.displayText, sourcePath: main.path, sourceDigest: source.digest,
      limits: batch.configuration.limits, onCorrupt: batch.configuration.onCorrupt, auxiliary: auxiliary,
      recipes: recipes, wantsPlaceholders: batch.configuration.wantsPlaceholders,
      concurrency: batch.threadsPerRendering)
    request.memoryEstimate = estimate(request)
    opened.loan = await batch.writer.loan(for: request, force: batch.configuration.force)
    request.renditions = opened.loan.plan
    return (request, opened)
  }

  /// What the request needs, by the headers of the source and of the images that its chains name; nil where the source's
  /// header isn't understood.
  private func estimate(_ request: RenderRequest) -> Int? {
    guard let facts = SourceFacts(headerOf: request.sourcePath) else { return nil }
    return MemoryEstimate(
      of: facts, recipes: request.recipes,
      auxiliary: request.auxiliary.compactMapValues { SourceFacts(headerOf: $0.path) },
      limits: request.limits, wantsPlaceholders: request.wantsPlaceholders
    ).bytes
  }

  /// Where nothing was made, the error is the message.
  private func warn(_ response: RenderResponse) async {
    let madeAny = response.outputs.contains { if case .success = $0.result { true } else { false } }
    for warning in response.warnings where madeAny {
      await batch.send(.warning(BatchWarning(source: source.displayText, message: warning)))
    }
  }

  /// - Parameter seconds: What each output took.
  private func store(
    _ response: RenderResponse, of part: Part, files: [Int: TemporaryPath], seconds: Double
  ) async -> [ContentDigest: StepGraph.Landing] {
    var landings: [ContentDigest: StepGraph.Landing] = [:]
    var rendered: [OutputWriter.Rendered] = []
    for output in response.outputs {
      guard let key = part.keys[output.id], let file = files[output.id] else { continue }
      switch output.result {
      case .success(let image):
        rendered.append(OutputWriter.Rendered(key: key, image: image, file: file, seconds: seconds))
      case .failure(let error): landings[key] = .failure(error)
      }
    }
    landings.merge(await batch.writer.store(rendered)) { $1 }
    return landings
  }
}
