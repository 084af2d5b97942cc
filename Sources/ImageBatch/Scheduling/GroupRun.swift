import ImageCaches
import ImageDownloads

/// One group's way: its source, its outputs' keys, what is known of them, the rendering of the rest, the writing.
///
/// A group may name several sources. They are tried in order: one that can't be downloaded and one that can't be
/// decoded have both failed, and the next takes over, at last the placeholder. With `publish: progressive` they are
/// versions of rising quality: all are downloaded, and each that is better than what is in place takes its place.
struct GroupRun {
  let batch: Batch
  let group: JobGroup
  private let downloads: [PendingDownload]
  private let start = ContinuousClock.now

  /// Asks for the group's first source at once, so that downloads are asked for in the order of the groups.
  init(batch: Batch, group: JobGroup) {
    self.batch = batch
    self.group = group
    let wanted = group.isProgressive ? group.key.sources[...] : group.key.sources.prefix(1)
    downloads = wanted.map { Self.download($0, of: group, from: batch.downloader) }
  }

  private static func download(
    _ source: ImageSource, of group: JobGroup, from downloader: ImageDownloader
  ) -> PendingDownload {
    PendingDownload(
      ImageRequest(source), priority: group.priority, pinnedDigest: group.key.pinnedDigest, from: downloader)
  }

  func run() async {
    let outcome = group.isProgressive ? await runProgressively() : await runInOrder()
    switch outcome {
    case .made(let results):
      for (job, result) in zip(group.jobs, results) { await finish(result, of: job) }
    case .failed(let errors):
      let error = JobError(allOf: errors)
      for job in group.jobs { await batch.finish(JobResult(failing: job, error, seconds: seconds)) }
    case .cancelled: batch.skip(group)
    }
  }

  private var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  private enum Outcome {
    case made([JobResult])
    case failed([JobError])
    case cancelled
  }

  // MARK: Sources

  /// The sources one after the other, until one has been downloaded and decoded.
  private func runInOrder() async -> Outcome {
    var errors: [JobError] = []
    let candidates =
      group.key.sources.map { ($0, false) } + (group.key.placeholder.map { [($0, true)] } ?? [])
    for (position, (source, isPlaceholder)) in candidates.enumerated() {
      let download =
        position < downloads.count
        ? downloads[position]
        : isPlaceholder
          ? PendingDownload(
            ImageRequest(source), priority: group.priority, pinnedDigest: nil, from: batch.downloader)
          : Self.download(source, of: group, from: batch.downloader)
      switch await attempt(download, isPlaceholder ? .placeholder(for: errors) : .source) {
      case .made(let results):
        if !isPlaceholder { for error in errors { await warnOfAlternative(error, used: source) } }
        return .made(results)
      case .failed(let new): errors += new
      case .cancelled: return .cancelled
      }
    }
    return .failed(errors)
  }

  /// All sources at once; the results are those of the best that was downloaded.
  private func runProgressively() async -> Outcome {
    var errors: [Int: [JobError]] = [:]
    var best: (position: Int, results: [JobResult])?
    var wasCancelled = false
    await withTaskGroup(of: Int.self) { tasks in
      for (position, download) in downloads.enumerated() {
        tasks.addTask {
          _ = await download.outcome
          return position
        }
      }
      // One at a time, and never one that is no better than what is in place: so none overtakes another.
      for await position in tasks where position > best?.position ?? -1 {
        switch await attempt(downloads[position], .source) {
        case .made(let results): best = (position, results)
        case .failed(let new): errors[position] = new
        case .cancelled: wasCancelled = true
        }
      }
    }
    let inOrder = errors.sorted { $0.key < $1.key }.flatMap(\.value)
    if let best {
      for error in inOrder { await warnOfAlternative(error, used: group.key.sources[best.position]) }
      return .made(best.results)
    }
    if wasCancelled { return .cancelled }
    guard let placeholder = group.key.placeholder else { return .failed(inOrder) }
    let download = PendingDownload(
      ImageRequest(placeholder), priority: group.priority, pinnedDigest: nil, from: batch.downloader)
    let outcome = await attempt(download, .placeholder(for: inOrder))
    if case .failed(let new) = outcome { return .failed(inOrder + new) }
    return outcome
  }

  /// What a source is to its group.
  private enum Role {
    case source
    /// It replaces sources that failed.
    case placeholder(for: [JobError])
  }

  /// Downloads a source and makes all outputs of it.
  ///
  /// In a group of several sources, nothing of one that can't be decoded for all outputs is put in place: a job's
  /// outputs are of one image.
  private func attempt(_ download: PendingDownload, _ role: Role) async -> Outcome {
    let source: StoredSource
    do throws(DownloadError) {
      source = try await download.source
    } catch {
      return error.isCancelled ? .cancelled : .failed([JobError(error)])
    }
    if case .placeholder(let errors) = role { await warnOfPlaceholder(JobError(allOf: errors)) }
    batch.countMerged(group.jobs.count - 1)
    batch.count(source)
    if group.key.hasAlternatives, !batch.configuration.force,
      let error = await batch.writer.records.failure(of: source, batch.configuration)
    {
      return .failed([error])
    }
    return await make(of: source, role)
  }

  private func warnOfPlaceholder(_ error: JobError) async {
    await warn { _ in "the placeholder is used: \(error.message)" }
  }

  private func warnOfAlternative(_ error: JobError, used: ImageSource) async {
    let failure = error.source.map { "\($0): " } ?? ""
    await warn { _ in "\(used.displayText) is used, since another source failed: \(failure)\(error.message)" }
  }

  private func warn(_ message: (Job) -> String) async {
    for job in group.jobs {
      await batch.send(
        .warning(BatchWarning(source: job.displaySource, message: message(job), location: job.location)))
    }
  }

  // MARK: The outputs

  private func make(of source: StoredSource, _ role: Role) async -> Outcome {
    let auxiliary = await AuxiliarySources(of: group.jobs, downloader: batch.downloader)
    // From here on nothing more is downloaded for this source: it can wait for others without holding them up.
    let bytes = source.disposition == .local ? 0 : source.byteCount
    batch.backlog.enter(bytes)
    defer { batch.backlog.leave(bytes) }
    var plan = GroupPlan(
      group, source: source, auxiliary: auxiliary, configuration: batch.configuration)
    plan.lookedUpAt = RequestLocks.now
    let known = await known(plan.wantedKeys)
    plan.learn(known)
    plan.claimPaths(batch.claims)
    let survey = await batch.writer.survey(plan.outputs, known: known)
    plan.settle(survey)
    var made = survey.objects.mapValues { OutputFlights.Landing.success($0) }
    var led: [ContentDigest] = []
    var followed: [ContentDigest: OutputFlights.Flight] = [:]
    for key in plan.wantedKeys where made[key] == nil {
      switch batch.flights.join(key) {
      case .leader: led.append(key)
      case .follower(let flight): followed[key] = flight
      }
    }
    made.merge(await render(led, of: source, plan: plan)) { $1 }
    for (key, flight) in followed { made[key] = await flight.value }
    if group.key.hasAlternatives, let error = sourceFailure(in: made, of: source) {
      await batch.writer.records.record(error, of: source, batch.configuration)
      return .failed([error])
    }
    var usedPlaceholder = false
    if case .placeholder = role { usedPlaceholder = true }
    if let onSource = batch.onSource {
      let facts = await batch.writer.records.facts(of: source.digest)
      onSource(
        SourceRecord(stored: source, format: facts?.format, width: facts?.width, height: facts?.height))
      for stored in auxiliary.found {
        onSource(SourceRecord(stored: stored, format: nil, width: nil, height: nil))
      }
    }
    let results = await place(made, of: source, plan: plan, usedPlaceholder: usedPlaceholder)
    withExtendedLifetime(source) {}
    return .made(results)
  }

  /// Why the source itself can't be used, if it can't: not the failure of a filter, an encoder or another image.
  private func sourceFailure(
    in made: [ContentDigest: OutputFlights.Landing], of source: StoredSource
  ) -> JobError? {
    for case .failure(var error) in made.values where error.concerns(source.displayText) {
      error.source = source.displayText
      return error
    }
    return nil
  }

  /// What earlier runs have stored; nothing where all is to be made again.
  private func known(_ keys: [ContentDigest]) async -> [ContentDigest: StoredOutput] {
    guard !batch.configuration.force else { return [:] }
    switch await batch.writer.records.outputs(keys) {
    case .success(let known):
      // Where placeholders are wanted, what was made without them is made once more.
      return batch.configuration.wantsPlaceholders
        ? known.filter { RememberedOutput($0.value).placeholders != nil }
        : known.mapValues(RememberedOutput.withoutPlaceholders)
    case .failure(let error):
      await batch.send(.warning(BatchWarning(message: error.message)))
      return [:]
    }
  }

  /// Renders what this group leads, and lands every one of those flights.
  private func render(
    _ keys: [ContentDigest], of source: StoredSource, plan: GroupPlan
  ) async -> [ContentDigest: OutputFlights.Landing] {
    guard !keys.isEmpty else { return [:] }
    var landings: [ContentDigest: OutputFlights.Landing] = [:]
    if !batch.stops {
      landings = await RenderStep(batch: batch, source: source, plan: plan).run(keys)
    }
    for key in keys { batch.flights.land(key, landings[key] ?? .failure(.cancelled)) }
    return landings
  }

  // MARK: Places

  /// Puts every output in its place: a result for each job, in their order.
  private func place(
    _ made: [ContentDigest: OutputFlights.Landing], of source: StoredSource, plan: GroupPlan,
    usedPlaceholder: Bool
  ) async -> [JobResult] {
    var results: [JobResult] = []
    var outputs = plan.outputs[...]
    for job in group.jobs {
      var result = JobResult(
        index: job.index, source: job.displaySource, outputs: [], location: job.location)
      // The plan has the jobs' outputs in the jobs' order.
      for planned in outputs.prefix(job.outputs.count) {
        var output = OutputResult(of: planned)
        output.usedPlaceholder = usedPlaceholder
        output.sourceBytes = source.byteCount
        await place(planned, made, into: &output)
        output.seconds = seconds
        result.outputs.append(output)
      }
      outputs = outputs.dropFirst(job.outputs.count)
      results.append(result)
    }
    return results
  }

  private func place(
    _ planned: PlannedOutput, _ made: [ContentDigest: OutputFlights.Landing], into output: inout OutputResult
  ) async {
    if planned.isInPlace {
      output.status = .unchanged
      if let known = planned.known {
        batch.ledger.note(planned, known.digest)
        batch.count(found: known, isInPlace: true)
      }
    } else if planned.isKept {
      output.status = .kept
      await warnOfKept(output)
    } else if let error = planned.error {
      output.fail(error)
    } else {
      switch planned.key.flatMap({ made[$0] }) ?? .failure(.cancelled) {
      case .success(let made):
        guard let placed = await batch.writer.place(planned, made, claims: batch.claims, into: &output) else {
          return
        }
        guard output.status != .kept else { return await warnOfKept(output) }
        batch.ledger.note(placed, made.image.digest)
        // Another process must see at once which run has written it.
        if group.isProgressive { batch.ledger.flush() }
        if !made.isNew, let known = planned.known { batch.count(found: known, isInPlace: false) }
      case .failure(let error): output.fail(error)
      }
    }
  }

  private func warnOfKept(_ output: OutputResult) async {
    await batch.send(
      .warning(
        BatchWarning(
          source: output.source,
          message: "\(output.path ?? "the output") is kept: this run has not written the file that is there",
          location: output.location)))
  }

  private func finish(_ result: JobResult, of job: Job) async {
    if result.outputs.contains(where: { $0.error?.code == JobError.cancelled.code }) {
      batch.skip(JobGroup(job))
    } else {
      await batch.finish(result)
    }
  }
}
