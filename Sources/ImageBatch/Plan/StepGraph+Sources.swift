import ImageCaches
import ImageDownloads

/// The choice of the source.
extension StepGraph {
  mutating func begin() -> [Action] {
    guard group.isProgressive else { return [download(0)] }
    return candidates.indices.filter { !candidates[$0].isPlaceholder }.map { download($0) }
  }

  private mutating func download(_ position: Int) -> Action {
    candidates[position].state = .downloading
    let candidate = candidates[position]
    return .download(
      position, candidate.source, pinnedDigest: candidate.isPlaceholder ? nil : group.key.pinnedDigest)
  }

  mutating func downloaded(
    _ position: Int, _ result: Result<StoredSource, DownloadError>, _ now: Double
  ) -> [Action] {
    guard candidates.indices.contains(position), candidates[position].isDownloading else {
      return []
    }
    switch result {
    case .success(let source):
      candidates[position].state = .arrived(source)
      arrivals.append(position)
    case .failure where position < best?.position ?? -1:
      // Outputs of a better source are in place, so that this failure doesn't matter.
      candidates[position].state = .passedOver
    case .failure(let error):
      if error.isCancelled { wasCancelled = true }
      candidates[position].state = .failed(error.isCancelled ? [] : [JobError(error)])
    }
    return advance(now)
  }

  /// Starts the next attempt with a downloaded source, or the next download, unless an attempt is running.
  mutating func advance(_ now: Double) -> [Action] {
    guard attempt == nil, !isFinished else { return [] }
    while !arrivals.isEmpty {
      let position = arrivals.removeFirst()
      guard case .arrived(let source) = candidates[position].state else { continue }
      // A worse version must never replace a better one that arrived first.
      guard position > best?.position ?? -1 else {
        candidates[position].state = .passedOver
        continue
      }
      return begin(with: source, at: position, now)
    }
    if candidates.contains(where: \.isDownloading) { return [] }
    if let best { return warnings(ofFailuresInPlaceOfWhich: best.position) + finish(best.results) }
    if wasCancelled { return stop() }
    if let next = candidates.firstIndex(where: \.isWaiting) { return [download(next)] }
    let error = JobError(allOf: failures)
    return finish(group.jobs.map { JobResult(failing: $0, error, seconds: now - began) })
  }

  private mutating func finish(_ results: [JobResult]) -> [Action] {
    isFinished = true
    return [.finish(results)]
  }

  /// The errors of failed sources, in the sources' order.
  var failures: [JobError] {
    candidates.flatMap { candidate -> [JobError] in
      if case .failed(let errors) = candidate.state { errors } else { [] }
    }
  }

  private mutating func begin(with source: StoredSource, at position: Int, _ now: Double) -> [Action] {
    candidates[position].state = .used
    attempt = Attempt(position: position, source: source)
    var actions: [Action] = []
    if candidates[position].isPlaceholder {
      actions += warnings("using the placeholder: ", of: JobError(allOf: failures))
    }
    actions.append(.use(source, mergedJobs: group.jobs.count - 1))
    guard group.key.hasAlternatives, !configuration.force else { return actions + gather(now) }
    return actions + [.findFailure(source)]
  }

  /// Ends the attempt because its source failed.
  mutating func fail(_ errors: [JobError], _ now: Double) -> [Action] {
    let actions = release()
    if let position = attempt?.position { candidates[position].state = .failed(errors) }
    attempt = nil
    decided = nil
    return actions + advance(now)
  }

  /// Ends the attempt with a result for each output.
  mutating func complete(_ results: [JobResult], _ now: Double) -> [Action] {
    guard let position = attempt?.position else { return [] }
    let actions = release()
    attempt = nil
    best = (position, results)
    return actions + advance(now)
  }

  mutating func release() -> [Action] {
    guard let bytes = attempt?.heldBytes, bytes > 0 else { return [] }
    attempt?.heldBytes = 0
    return [.release(bytes)]
  }

  /// Warnings about failed sources that another source replaces. The placeholder's warning already includes them.
  private func warnings(ofFailuresInPlaceOfWhich used: Int) -> [Action] {
    guard !candidates[used].isPlaceholder else { return [] }
    let name = candidates[used].source.displayText
    return failures.flatMap { error in
      let failure = error.source.map { "\($0): " } ?? ""
      return warnings("using \(name) because another source failed: \(failure)", of: error)
    }
  }

  private func warnings(_ fact: String, of error: JobError) -> [Action] {
    group.jobs.map {
      .warn(
        BatchWarning(
          source: $0.displaySource, message: fact + error.message, error: error, location: $0.location))
    }
  }
}
