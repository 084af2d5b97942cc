import ImageCaches
import ImageDownloads
import Synchronization

/// Renders some of a group's output keys, and stores what comes out.
struct RenderStep {
  let batch: Batch
  let source: StoredSource
  let plan: GroupPlan

  /// One request's recipes, the files that they are written to, and the pictures that their chains name.
  private struct Part {
    var keys: [Int: ContentDigest] = [:]
    var recipes: [RenderRecipe] = []
    var files: [Int: TemporaryFile] = [:]
    var auxiliary: [String: AuxiliarySource] = [:]

    /// Whether every name that both know means one picture.
    func agrees(with other: [String: AuxiliarySource]) -> Bool {
      other.allSatisfy { name, source in auxiliary[name].map { $0 == source } ?? true }
    }
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
    let auxiliary = try plan.auxiliary.files(of: output)
    let file = try batch.writer.temporaryFile()
    if !parts.contains(where: { $0.agrees(with: auxiliary) }) { parts.append(Part()) }
    guard let index = parts.firstIndex(where: { $0.agrees(with: auxiliary) }) else { throw .cancelled }
    parts[index].keys[id] = key
    parts[index].files[id] = file
    parts[index].auxiliary.merge(auxiliary) { $1 }
    parts[index].recipes.append(
      RenderRecipe(id: id, chain: output.chain, encoding: output.encoding, temporaryPath: file.path))
  }

  private func render(_ part: Part) async -> [ContentDigest: OutputFlights.Landing] {
    var request = RenderRequest(
      sourceName: source.displayText, sourcePath: source.path, sourceDigest: source.digest,
      limits: batch.configuration.limits, onCorrupt: batch.configuration.onCorrupt, auxiliary: part.auxiliary,
      recipes: part.recipes, wantsPlaceholders: batch.configuration.wantsPlaceholders,
      concurrency: batch.threadsPerRendering)
    let loan = await batch.writer.loan(for: request, force: batch.configuration.force)
    request.renditions = loan.plan
    let taken = Mutex<(slot: Int, start: ContinuousClock.Instant)?>(nil)
    let response = await batch.rendering.render(request) { slot in
      taken.withLock { $0 = (slot, .now) }
      await batch.send(
        .renderingStarted(
          slot: slot, job: plan.outputs.first?.job.index ?? 0, source: source.displayText))
    }
    var seconds = 0.0
    if let (slot, start) = taken.withLock(\.self) {
      seconds = (ContinuousClock.now - start) / .seconds(1)
      await batch.send(.renderingFinished(slot: slot))
    }
    batch.count(response)
    if let facts = response.source { await batch.writer.record(facts, of: source.digest) }
    await warn(response)
    await batch.writer.keep(response.renditions, of: loan)
    return await store(response, of: part, seconds: seconds / Double(max(1, response.counts.outputs)))
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
    _ response: RenderResponse, of part: Part, seconds: Double
  ) async -> [ContentDigest: OutputFlights.Landing] {
    var landings: [ContentDigest: OutputFlights.Landing] = [:]
    var rendered: [OutputWriter.Rendered] = []
    for output in response.outputs {
      guard let key = part.keys[output.id], let file = part.files[output.id] else { continue }
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
