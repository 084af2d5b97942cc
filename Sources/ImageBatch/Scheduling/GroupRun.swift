import ImageCaches
import ImageDownloads

/// One group's way: its source, its outputs' keys, what is known of them, the rendering of the rest, the writing.
struct GroupRun {
  let batch: Batch
  let group: JobGroup
  private let firstDownload: PendingDownload?
  private let start = ContinuousClock.now

  /// Asks for the group's first source at once, so that downloads are asked for in the order of the groups.
  init(batch: Batch, group: JobGroup) {
    self.batch = batch
    self.group = group
    firstDownload = group.key.sources.first.map { source in
      PendingDownload(
        ImageRequest(source), priority: group.priority, pinnedDigest: group.key.pinnedDigest,
        from: batch.downloader)
    }
  }

  func run() async {
    switch await acquisition() {
    case .cancelled:
      batch.skip(group)
    case .failed(let error):
      for job in group.jobs {
        await batch.finish(JobResult(failing: job, error, seconds: seconds))
      }
    case .acquired(let source, let replaced):
      if let replaced { await warnOfPlaceholder(replaced) }
      batch.countMerged(group.jobs.count - 1)
      batch.count(source)
      await make(of: source, usedPlaceholder: replaced != nil)
    }
  }

  private var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  // MARK: The source

  private enum Acquisition {
    case acquired(StoredSource, replaced: JobError?)
    case failed(JobError)
    case cancelled
  }

  /// The first source that can be had, else the placeholder.
  private func acquisition() async -> Acquisition {
    var errors: [JobError] = []
    for (position, source) in group.key.sources.enumerated() {
      let download =
        position == 0
        ? firstDownload
        : PendingDownload(
          ImageRequest(source), priority: group.priority, pinnedDigest: group.key.pinnedDigest,
          from: batch.downloader)
      guard let download else { continue }
      do throws(DownloadError) {
        return .acquired(try await download.source, replaced: nil)
      } catch {
        if error.isCancelled { return .cancelled }
        errors.append(JobError(error))
      }
    }
    let failure = JobError(allOf: errors)
    guard let placeholder = group.key.placeholder else { return .failed(failure) }
    do throws(DownloadError) {
      let stored = try await batch.downloader.download(ImageRequest(placeholder), priority: group.priority)
      return .acquired(stored, replaced: failure)
    } catch {
      if error.isCancelled { return .cancelled }
      return .failed(JobError(allOf: [failure, JobError(error)]))
    }
  }

  private func warnOfPlaceholder(_ error: JobError) async {
    for job in group.jobs {
      await batch.send(
        .warning(
          BatchWarning(
            source: job.displaySource, message: "the placeholder stands in: \(error.message)",
            location: job.location)))
    }
  }

  private func warnOfKept(_ output: OutputResult) async {
    await batch.send(
      .warning(
        BatchWarning(
          source: output.source,
          message: "\(output.path ?? "the output") is kept: no run has written the file that is there",
          location: output.location)))
  }

  // MARK: The outputs

  private func make(of source: StoredSource, usedPlaceholder: Bool) async {
    let auxiliary = await AuxiliarySources(of: group.jobs, downloader: batch.downloader)
    // From here on nothing more is downloaded for this group: it can wait for others without holding them up.
    let bytes = source.disposition == .local ? 0 : source.byteCount
    batch.backlog.enter(bytes)
    defer { batch.backlog.leave(bytes) }
    var plan = GroupPlan(
      group, source: source, auxiliary: auxiliary, configuration: batch.configuration)
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
    if let onSource = batch.onSource, !usedPlaceholder {
      let facts = await batch.writer.facts(of: source.digest)
      onSource(
        SourceRecord(stored: source, format: facts?.format, width: facts?.width, height: facts?.height))
    }
    await place(made, of: source, plan: plan, usedPlaceholder: usedPlaceholder)
    withExtendedLifetime(source) {}
  }

  /// What earlier runs have stored; nothing where all is to be made again.
  private func known(_ keys: [ContentDigest]) async -> [ContentDigest: StoredOutput] {
    guard !batch.configuration.force else { return [:] }
    switch await batch.writer.known(keys) {
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

  private func place(
    _ made: [ContentDigest: OutputFlights.Landing], of source: StoredSource, plan: GroupPlan,
    usedPlaceholder: Bool
  ) async {
    for job in group.jobs {
      var result = JobResult(
        index: job.index, source: job.displaySource, outputs: [], location: job.location)
      for planned in plan.outputs where planned.job.index == job.index {
        var output = OutputResult(of: planned)
        output.usedPlaceholder = usedPlaceholder
        output.sourceBytes = source.byteCount
        if planned.isInPlace {
          output.status = .unchanged
          if let known = planned.known {
            batch.ledger.note(planned, known.digest)
            batch.count(found: known, isInPlace: true)
          }
        } else if planned.isKept {
          output.status = .kept
        } else if let error = planned.error {
          output.fail(error)
        } else {
          switch planned.key.flatMap({ made[$0] }) ?? .failure(.cancelled) {
          case .success(let made):
            if let placed = await batch.writer.place(planned, made, claims: batch.claims, into: &output),
              output.status != .kept
            {
              batch.ledger.note(placed, made.image.digest)
              if !made.isNew, let known = planned.known { batch.count(found: known, isInPlace: false) }
            }
          case .failure(let error): output.fail(error)
          }
        }
        if output.status == .kept { await warnOfKept(output) }
        output.seconds = seconds
        result.outputs.append(output)
      }
      if result.outputs.contains(where: { $0.error?.code == JobError.cancelled.code }) {
        batch.skip(JobGroup(job))
      } else {
        await batch.finish(result)
      }
    }
  }
}
