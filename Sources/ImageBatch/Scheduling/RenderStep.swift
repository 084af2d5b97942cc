import ImageCaches
import ImageDownloads
import Synchronization

/// Renders some of a group's output keys, and stores what comes out.
struct RenderStep {
  let batch: Batch
  let source: StoredSource
  let plan: GroupPlan

  /// One request's recipes, by their numbers, and the images that their chains name.
  private struct Part {
    var keys: [Int: ContentDigest] = [:]
    var outputs: [Int: Output] = [:]
    var auxiliary: [String: StoredSource] = [:]

    /// Whether every name that both know means one image.
    func agrees(with other: [String: StoredSource]) -> Bool {
      other.allSatisfy { name, source in auxiliary[name].map { $0.digest == source.digest } ?? true }
    }
  }

  /// What a request holds open while it is rendered.
  private struct Opened: Sendable {
    var slot: Int
    var start: ContinuousClock.Instant
    var held: [HeldSource] = []
    var files: [Int: TemporaryPath] = [:]
    var loan = RenditionShelf.Loan()
  }

  func run(_ keys: [ContentDigest]) async -> [ContentDigest: OutputFlights.Landing] {
    var landings: [ContentDigest: OutputFlights.Landing] = [:]
    let limits = batch.rendering.limitsIdentifier
    let remembered =
      batch.configuration.force ? [:] : await batch.writer.deaths(of: keys, limits: limits)
    for (key, error) in remembered { landings[key] = .failure(error) }
    var parts: [Part] = []
    for (id, key) in keys.enumerated() where landings[key] == nil {
      do throws(JobError) {
        try add(key, id, to: &parts)
      } catch {
        landings[key] = .failure(error)
      }
    }
    for part in parts { landings.merge(await render(part)) { $1 } }
    var deaths: [ContentDigest: JobError] = [:]
    for (key, landing) in landings where remembered[key] == nil {
      if case .failure(let error) = landing, JobError.deaths.contains(error.code) { deaths[key] = error }
    }
    await batch.writer.record(deaths, limits: limits)
    return landings
  }

  /// Puts an output in the first part in which its names mean what it means: jobs of two manifests may have different
  /// pictures of one name.
  private func add(_ key: ContentDigest, _ id: Int, to parts: inout [Part]) throws(JobError) {
    guard let output = plan.output(for: key) else { throw .cancelled }
    let auxiliary = try plan.auxiliary.sources(of: output)
    if !parts.contains(where: { $0.agrees(with: auxiliary) }) { parts.append(Part()) }
    guard let index = parts.firstIndex(where: { $0.agrees(with: auxiliary) }) else { throw .cancelled }
    parts[index].keys[id] = key
    parts[index].outputs[id] = output
    parts[index].auxiliary.merge(auxiliary) { $1 }
  }

  private func render(_ part: Part) async -> [ContentDigest: OutputFlights.Landing] {
    let opened = Mutex<Result<Opened, JobError>?>(nil)
    let response = await batch.rendering.render { slot in
      guard !batch.stops else { return nil }
      do throws(JobError) {
        let (request, held) = try await open(part, in: slot)
        opened.withLock { $0 = .success(held) }
        await batch.send(
          .renderingStarted(
            slot: slot, job: plan.outputs.first?.job.index ?? 0, source: source.displayText))
        return request
      } catch {
        opened.withLock { $0 = .failure(error) }
        return nil
      }
    }
    let result = opened.withLock(\.self)
    guard let response, case .success(let opened)? = result else {
      var failure = JobError.cancelled
      if case .failure(let error)? = result { failure = error }
      return Dictionary(part.keys.values.map { ($0, .failure(failure)) }) { $1 }
    }
    let seconds = (ContinuousClock.now - opened.start) / .seconds(1)
    await batch.send(.renderingFinished(slot: opened.slot))
    batch.count(response)
    do throws(JobError) {
      // Before anything is stored under a key that names the digested bytes.
      for source in opened.held { try source.check() }
    } catch {
      return Dictionary(part.keys.values.map { ($0, .failure(error)) }) { $1 }
    }
    if let facts = response.source { await batch.writer.record(facts, of: source.digest) }
    await warn(response)
    await batch.writer.keep(response.renditions, of: opened.loan)
    return await store(
      response, of: part, files: opened.files, seconds: seconds / Double(max(1, response.counts.outputs)))
  }

  /// Opens what a part needs, and makes its request.
  private func open(_ part: Part, in slot: Int) async throws(JobError) -> (RenderRequest, Opened) {
    var opened = Opened(slot: slot, start: .now)
    let main = try HeldSource(source)
    opened.held.append(main)
    var auxiliary: [String: AuxiliarySource] = [:]
    for (name, source) in part.auxiliary {
      let held = try HeldSource(source)
      opened.held.append(held)
      auxiliary[name] = AuxiliarySource(path: held.path, digest: source.digest)
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
    opened.loan = await batch.writer.loan(for: request, force: batch.configuration.force)
    request.renditions = opened.loan.plan
    return (request, opened)
  }

  /// Where nothing was made, the error says what there is to say.
  private func warn(_ response: RenderResponse) async {
    let madeAny = response.outputs.contains { if case .success = $0.result { true } else { false } }
    for warning in response.warnings where madeAny {
      await batch.send(.warning(BatchWarning(source: source.displayText, message: warning)))
    }
  }

  /// - Parameter seconds: What each output took.
  private func store(
    _ response: RenderResponse, of part: Part, files: [Int: TemporaryPath], seconds: Double
  ) async -> [ContentDigest: OutputFlights.Landing] {
    var landings: [ContentDigest: OutputFlights.Landing] = [:]
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
