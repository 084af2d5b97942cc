import ImageBatch
import ImageCaches
import Manifests
import Reports

/// `--check` and `--dry-run`.
extension RunCommand {
  /// The planning of this command line.
  func planning(_ input: JobSelection) -> Planning {
    var planning = Planning(
      downloads: downloads, cache: cache.settings, limits: limits, allowsOutside: jobs.arguments.allowOutside,
      force: batch.force, prunedScopes: prune ? input.scopes : [], commandTemplate: jobs.template ?? "",
      replacing: jobs.output.replacing, timeLimit: batch.jobTimeout.duration,
      refreshes: check && cache.refresh,
      // A check compares bytes, which placeholders don't change.
      wantsPlaceholders: !check && wantsPlaceholders(for: input))
    planning.isCheck = check
    planning.lock = lock
    return planning
  }

  /// Prints what would be done; with `--check`, only the differences.
  /// - Parameter frozen: The sources of a lock file, which refuse other bytes; nil for none.
  func plan(_ input: JobSelection, frozen: FrozenSources?) async throws {
    var planning = planning(input)
    planning.frozen = frozen
    let (plan, status) = try await planning.plan(input)
    if dryRun { try StandardOutput.write(PlanText.lines(plan, timeRemedy: Remedies.ofLongRendering)) }
    guard check else {
      if status != .success { throw status }
      return
    }
    var differences = plan.outOfDate.map { entry in
      let subject = entry.path ?? entry.source
      if let error = entry.error {
        return LockCheck.Difference(subject: subject, failure: error, location: entry.location)
      }
      return LockCheck.Difference(
        subject: subject, reason: "out of date: \(entry.reason)", location: entry.location)
    }
    differences += plan.stale.map {
      LockCheck.Difference(subject: $0, reason: "no longer made", location: nil)
    }
    let unknown = plan.unknownSources
    if unknown > 0, !cache.refresh, !batch.quiet {
      StandardError.write(
        "imagemill: note: \(unknown) cached \(unknown == 1 ? "source is" : "sources are") stale; "
          + "--refresh asks the origins whether they have changed\n")
    }
    try report(differences, after: status)
  }

  /// Whether reports or markup show placeholders, for which outputs without them are rendered again.
  func wantsPlaceholders(for input: JobSelection) -> Bool {
    batch.settings.showsPlaceholders || !batch.emissions.isEmpty && input.showsPlaceholders
  }

  /// Compares manifests, sources and outputs with a lock file, without cache and rendering.
  func compare(_ input: JobSelection, with path: String) async throws {
    let lock: LockFile
    do throws(LockFile.Failure) { lock = try LockFile(path: path) } catch {
      throw CommandError(error, of: path, manifests: manifests)
    }
    guard lock.hasOutputs, let paths = LockPaths(lockFile: path) else {
      throw CommandError(
        .usage,
        "the lock file \(path) has no outputs; write it again with "
          + "'\(CommandError.writing(path, manifests))'")
    }
    let (groups, status) = await input.items.readAll()
    var cache = cache.settings
    cache.isEphemeral = true
    cache.mode = .none
    let files = try ManifestArguments.paths(manifests) + input.tables
    let differences = try await CommandServices.with(
      downloads: downloads, cache: cache, limits: limits, origins: input.origins
    ) { services in
      await LockCheck(lock, paths: paths, downloader: services.downloader)
        .differences(manifests: files, jobs: groups.flatMap(\.jobs))
    }
    try report(differences, after: status)
  }

  /// Prints every difference.
  /// - Parameter status: The input's status. A wrong record comes first, since nothing was compared for it.
  /// - Throws: `status` if it isn't a success; `ExitStatus.outOfDate` if anything differs; else, if anything couldn't be
  ///   compared, the status of a run that fails in the same way.
  private func report(_ differences: [LockCheck.Difference], after status: ExitStatus) throws {
    let differences = differences.map(\.withRemedy)
    for difference in differences where !batch.quiet {
      let place = difference.location.flatMap { $0.line > 0 ? "\($0.text): " : nil } ?? ""
      StandardError.say("\(place)\(difference.subject): \(difference.reason)")
    }
    for difference in differences {
      Annotations.add("\(difference.subject): \(difference.reason)", at: difference.location)
    }
    if status != .success { throw status }
    let failures = differences.compactMap(\.failure)
    if failures.count < differences.count { throw ExitStatus.outOfDate }
    if !failures.isEmpty { throw failures.allSatisfy(\.isTemporary) ? ExitStatus.temporary : .failed }
  }
}
