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
    let source = candidates[position].source
    return .download(
      position, source, pinnedDigest: manifestDigest(at: position) ?? configuration.frozen?.digest(of: source)
    )
  }

  /// The digest that the manifest demands.
  private func manifestDigest(at position: Int) -> ContentDigest? {
    candidates[position].isPlaceholder ? nil : group.key.pinnedDigest
  }

  /// The error of a source with other bytes than a lock file has.
  private func refusal(at position: Int, _ result: Result<StoredSource, DownloadError>) -> JobError? {
    guard let frozen = configuration.frozen else { return nil }
    let candidate = candidates[position]
    let found: ContentDigest?
    switch result {
    case .success(let stored): found = stored.digest
    // Other bytes than the manifest demands are the manifest's failure.
    case .failure(let error): found = manifestDigest(at: position) == nil ? error.foundDigest : nil
    }
    // A placeholder that wasn't used when the lock was written has no digest.
    return found.flatMap {
      frozen.refusal(of: candidate.source, with: $0, isRequired: !candidate.isPlaceholder)
    }
  }

  mutating func downloaded(
    _ position: Int, _ result: Result<StoredSource, DownloadError>, _ now: Double
  ) -> [Action] {
    guard candidates.indices.contains(position), candidates[position].isDownloading else {
      return []
    }
    if let refusal = refusal(at: position, result) {
      candidates[position].state = .refused(refusal)
      return advance(now)
    }
    switch result {
    case .success(let source):
      candidates[position].state = .arrived(source)
      arrivals.insert(position)
      guard group.key.hasAlternatives else { break }
      return [.recordArrival(source)] + advance(now)
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
    // With a lock file, nothing is written before all versions have been compared with it.
    if configuration.frozen != nil, isDownloading { return [] }
    if hasRefused {
      let error = JobError(allOf: failures)
      return finish(group.jobs.map { JobResult(failing: $0, error, seconds: now - began) })
    }
    while let position = arrivals.max() {
      if postponed.contains(position) {
        if candidates[(position + 1)...].contains(where: \.isDownloading) { return [] }
        // A better source that was cancelled may still be the one that made the existing file.
        if wasCancelled { break }
      }
      arrivals.remove(position)
      guard case .arrived(let source) = candidates[position].state else { continue }
      // A worse version must never replace a better one that arrived first.
      guard position > best?.position ?? -1 else {
        candidates[position].state = .passedOver
        continue
      }
      return begin(with: source, at: position, now)
    }
    if isDownloading { return [] }
    if let best {
      let record: [Action] =
        group.isProgressive ? [.recordSource(best.source, auxiliary: best.auxiliary)] : []
      return record + warnings(ofFailuresInPlaceOfWhich: best.position) + finish(best.results)
    }
    if wasCancelled { return stop() }
    if let next = candidates.firstIndex(where: \.isWaiting) { return [download(next)] }
    let error = JobError(allOf: failures)
    return finish(group.jobs.map { JobResult(failing: $0, error, seconds: now - began) })
  }

  private var isDownloading: Bool { candidates.contains(where: \.isDownloading) }

  /// Whether a lock file refuses a source.
  private var hasRefused: Bool {
    guard configuration.frozen != nil else { return false }
    return candidates.contains { if case .refused = $0.state { true } else { false } }
  }

  private mutating func finish(_ results: [JobResult]) -> [Action] {
    isFinished = true
    return [.finish(results)]
  }

  /// The errors of failed and refused sources, in the sources' order.
  var failures: [JobError] {
    candidates.flatMap { candidate -> [JobError] in
      switch candidate.state {
      case .failed(let errors): errors
      case .refused(let error): [error]
      case .waiting, .downloading, .arrived, .passedOver, .used: []
      }
    }
  }

  private mutating func begin(with source: StoredSource, at position: Int, _ now: Double) -> [Action] {
    candidates[position].state = .used
    attempt = Attempt(position: position, source: source)
    var actions: [Action] = []
    if candidates[position].isPlaceholder {
      actions += warnings("using the placeholder: ", of: JobError(allOf: failures))
    }
    if postponed.remove(position) == nil {
      actions.append(.use(source, mergedJobs: group.jobs.count - 1))
    }
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
    guard let attempt else { return [] }
    let actions = release()
    self.attempt = nil
    best = Best(
      position: attempt.position, source: attempt.source, auxiliary: attempt.auxiliary.found, results: results
    )
    return actions + advance(now)
  }

  /// Whether the attempt's outputs have to wait for a better source: one that has arrived, or one that may arrive and
  /// replace an existing file, which may be its own from an earlier run.
  func waitsForBetter(_ survey: OutputWriter.Survey) -> Bool {
    guard group.isProgressive, let attempt else { return false }
    return arrivals.contains { $0 > attempt.position }
      || !survey.occupied.isEmpty && candidates[(attempt.position + 1)...].contains(where: \.isDownloading)
  }

  /// Ends the attempt until no better source can be used.
  mutating func postpone(_ now: Double) -> [Action] {
    guard let attempt else { return [] }
    let actions = release()
    self.attempt = nil
    candidates[attempt.position].state = .arrived(attempt.source)
    arrivals.insert(attempt.position)
    postponed.insert(attempt.position)
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
