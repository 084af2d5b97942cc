import ImageCaches
import ImageDownloads
import Synchronization

/// Renders some of a group's output keys in one request, and stores what comes out.
struct RenderStep {
  let batch: Batch
  let source: StoredSource
  let plan: GroupPlan

  func run(_ keys: [ContentDigest]) async -> [ContentDigest: OutputFlights.Landing] {
    var landings: [ContentDigest: OutputFlights.Landing] = [:]
    var recipes: [RenderRecipe] = []
    var files: [Int: TemporaryFile] = [:]
    var auxiliary: [String: AuxiliarySource] = [:]
    let limits = batch.rendering.limitsIdentifier
    let remembered =
      batch.configuration.force ? [:] : await batch.writer.deaths(of: keys, limits: limits)
    for (key, error) in remembered { landings[key] = .failure(error) }
    for (id, key) in keys.enumerated() where landings[key] == nil {
      do throws(JobError) {
        guard let output = plan.output(for: key) else { throw .cancelled }
        auxiliary.merge(try plan.auxiliary.files(of: output)) { $1 }
        let file = try batch.writer.temporaryFile()
        files[id] = file
        recipes.append(
          RenderRecipe(id: id, chain: output.chain, encoding: output.encoding, temporaryPath: file.path))
      } catch {
        landings[key] = .failure(error)
      }
    }
    guard !recipes.isEmpty else { return landings }
    let response = await render(recipes, auxiliary: auxiliary)
    var stored: [(key: ContentDigest, image: RenderedFile, file: TemporaryFile)] = []
    for output in response.outputs {
      guard let file = files[output.id] else { continue }
      switch output.result {
      case .success(let image): stored.append((keys[output.id], image, file))
      case .failure(let error): landings[keys[output.id]] = .failure(error)
      }
    }
    landings.merge(await batch.writer.store(stored)) { $1 }
    var deaths: [ContentDigest: JobError] = [:]
    for (key, landing) in landings where remembered[key] == nil {
      if case .failure(let error) = landing, JobError.deaths.contains(error.code) { deaths[key] = error }
    }
    await batch.writer.record(deaths, limits: limits)
    return landings
  }

  private func render(
    _ recipes: [RenderRecipe], auxiliary: [String: AuxiliarySource]
  ) async -> RenderResponse {
    let request = RenderRequest(
      sourceName: source.displayText, sourcePath: source.path, sourceDigest: source.digest,
      limits: batch.configuration.limits, onCorrupt: batch.configuration.onCorrupt, auxiliary: auxiliary,
      recipes: recipes, wantsPlaceholders: batch.configuration.wantsPlaceholders, concurrency: 1)
    let taken = Mutex<Int?>(nil)
    let response = await batch.rendering.render(request) { slot in
      taken.withLock { $0 = slot }
      await batch.send(
        .renderingStarted(
          slot: slot, job: plan.outputs.first?.job.index ?? 0, source: source.displayText))
    }
    if let slot = taken.withLock({ $0 }) { await batch.send(.renderingFinished(slot: slot)) }
    batch.count(response)
    if let facts = response.source { await batch.writer.record(facts, of: source.digest) }
    // Where nothing was made, the error says what there is to say.
    let madeAny = response.outputs.contains { if case .success = $0.result { true } else { false } }
    for warning in response.warnings where madeAny {
      await batch.send(.warning(BatchWarning(source: source.displayText, message: warning)))
    }
    return response
  }
}
