import ImageCaches
import ImageDownloads
import ImageRendering

/// The outputs of a source.
extension StepGraph {
  mutating func gather(_ now: Double) -> [Action] {
    attempt?.stage = .gathering
    let wanted = AuxiliarySources.wanted(by: group.jobs)
    return wanted.isEmpty ? lookUp(with: AuxiliarySources([:]), now) : [.downloadAuxiliary(wanted)]
  }

  mutating func lookUp(with auxiliary: AuxiliarySources, _ now: Double) -> [Action] {
    guard var attempt else { return [] }
    attempt.stage = .lookingUp
    attempt.auxiliary = auxiliary
    attempt.outputs = PlannedOutput.all(of: group, source: attempt.source, auxiliary, configuration)
    attempt.lookedUpAt = now
    var actions: [Action] = []
    if attempt.source.disposition != .local, attempt.source.byteCount > 0 {
      attempt.heldBytes = attempt.source.byteCount
      actions.append(.hold(attempt.heldBytes))
    }
    self.attempt = attempt
    let keys = distinctKeys(of: .unknown)
    guard !keys.isEmpty, !configuration.force else { return actions + inspect(.success([:]), now) }
    return actions + [.findOutputs(keys)]
  }

  mutating func inspect(
    _ found: Result<[ContentDigest: StoredOutput], JobError>, _ now: Double
  ) -> [Action] {
    guard var attempt else { return [] }
    attempt.stage = .inspecting
    var actions: [Action] = []
    var known: [ContentDigest: StoredOutput] = [:]
    switch found {
    case .success(let stored):
      known = stored.usable(withPlaceholders: configuration.wantsPlaceholders)
    case .failure(let error): actions.append(.warn(BatchWarning(message: error.message)))
    }
    for index in attempt.outputs.indices {
      guard let key = attempt.outputs[index].key else { continue }
      if let stored = known[key] { attempt.outputs[index].learn(stored) }
      do throws(JobError) {
        try attempt.outputs[index].expandPath()
      } catch {
        attempt.outputs[index].state = .failed(error)
      }
    }
    self.attempt = attempt
    guard !attempt.outputs.isEmpty else { return actions + render(after: OutputWriter.Survey(), now) }
    return actions + [.inspectPlaces(attempt.outputs, known: known)]
  }

  mutating func render(after survey: OutputWriter.Survey, _ now: Double) -> [Action] {
    if waitsForBetter(survey) { return postpone(now) }
    guard var attempt else { return [] }
    attempt.stage = .rendering
    for index in survey.inPlace { attempt.outputs[index].state = .inPlace }
    for index in survey.kept { attempt.outputs[index].state = .kept }
    for (index, error) in survey.refused {
      attempt.outputs[index].state = .failed(error)
      // The path belongs to another output or a source.
      attempt.outputs[index].location = nil
    }
    for index in attempt.outputs.indices {
      guard case .unknown = attempt.outputs[index].state, let key = attempt.outputs[index].key else {
        continue
      }
      attempt.outputs[index].state = survey.objects[key] == nil ? .wanted : .stored
    }
    // Copied before `made` is set: the copy must not keep the store's objects pinned.
    decided = attempt
    attempt.made = survey.objects.mapValues { .success($0) }
    self.attempt = attempt
    guard let rendering else { return place([:], now) }
    return [.render(rendering)]
  }

  /// The outputs that have to be rendered; nil if there are none.
  var rendering: Rendering? {
    guard let attempt else { return nil }
    let keys = distinctKeys(of: .wanted)
    guard !keys.isEmpty else { return nil }
    let outputs = Dictionary(
      attempt.outputs.compactMap { output in output.key.map { ($0, output.output) } },
      uniquingKeysWith: { first, _ in first })
    return Rendering(
      source: attempt.source, keys: keys, outputs: outputs, auxiliary: attempt.auxiliary,
      job: group.jobs.first?.index ?? 0, lookedUpAt: attempt.lookedUpAt)
  }

  /// The distinct keys of outputs in a state, in the order of the outputs.
  private func distinctKeys(of state: PlannedOutput.State) -> [ContentDigest] {
    var seen: Set<ContentDigest> = []
    return (attempt?.outputs ?? []).compactMap { output in
      guard output.state == state, let key = output.key, seen.insert(key).inserted else {
        return nil
      }
      return key
    }
  }

  mutating func place(_ outcomes: [ContentDigest: RenderOutcome], _ now: Double) -> [Action] {
    attempt?.made.merge(outcomes) { $1 }
    attempt?.stage = .placing
    guard var attempt else { return [] }
    // All of a job's outputs must show the same image: place none if another source is tried next.
    if group.key.hasAlternatives, let error = sourceFailure(in: attempt) {
      return [.recordFailure(error, of: attempt.source)] + fail([error], now)
    }
    // Of versions, only the last one is recorded as used: which others were depends on the order of arrival.
    var actions: [Action] =
      group.isProgressive ? [] : [.recordSource(attempt.source, auxiliary: attempt.auxiliary.found)]
    for (index, output) in attempt.outputs.enumerated() {
      var result = OutputResult(of: output)
      result.usedPlaceholder = candidates[attempt.position].isPlaceholder
      result.sourceBytes = attempt.source.byteCount
      result.seconds = now - began
      switch output.state {
      case .inPlace:
        result.status = .unchanged
        actions.append(.confirm(output))
      case .kept:
        result.status = .kept
        actions.append(Self.warning(ofKept: result))
      case .failed(let error): result.fail(error)
      case .unknown, .stored, .wanted:
        switch output.key.flatMap({ attempt.made[$0] }) ?? .failure(.cancelled) {
        case .success(let made):
          attempt.placing += 1
          actions.append(.place(index, output, made, result))
        case .failure(let error): result.fail(error)
        }
      }
      attempt.results.append(result)
    }
    self.attempt = attempt
    return attempt.placing == 0 ? actions + complete(jobResults, now) : actions
  }

  mutating func placed(_ index: Int, _ result: OutputResult, at time: Double, _ now: Double) -> [Action] {
    guard let count = attempt?.results.count, let placing = attempt?.placing, placing > 0, index >= 0,
      index < count
    else { return [] }
    var result = result
    result.seconds = time - began
    // Mutated in place: a copy of the attempt would copy all results for each output.
    attempt?.placing = placing - 1
    attempt?.results[index] = result
    let actions = result.status == .kept ? [Self.warning(ofKept: result)] : []
    return placing == 1 ? actions + complete(jobResults, now) : actions
  }

  /// The error of the source itself, not of a filter, an encoder or an auxiliary image.
  private func sourceFailure(in attempt: Attempt) -> JobError? {
    let name = attempt.source.displayText
    for output in attempt.outputs {
      guard case .failure(var error)? = output.key.flatMap({ attempt.made[$0] }), error.concerns(name) else {
        continue
      }
      error.source = name
      return error
    }
    return nil
  }

  private var jobResults: [JobResult] {
    var outputs = (attempt?.results ?? [])[...]
    return group.jobs.map { job in
      defer { outputs = outputs.dropFirst(job.outputs.count) }
      return JobResult(
        index: job.index, source: job.displaySource, outputs: Array(outputs.prefix(job.outputs.count)),
        location: job.location)
    }
  }

  private static func warning(ofKept result: OutputResult) -> Action {
    .warn(
      BatchWarning(
        source: result.source,
        message: "\(result.path ?? "the output") is kept: imagemill didn't write the existing file",
        location: result.location))
  }
}
