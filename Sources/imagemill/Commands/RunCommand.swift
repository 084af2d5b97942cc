import ArgumentParser
import Glibc
import ImageBatch
import ImageCaches
import Manifests
import Reports

/// Runs every job of the manifests.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Make every output of the manifests.",
    discussion: """
      Each source is downloaded once, and equal outputs are rendered once. Outputs that are up to date are left \
      alone. A job that uses another job's output waits for it, \
      and fails if that output fails.

      --check writes nothing and exits 3 if any output is missing, out of date or changed. A source or output that \
      can't be checked, for example because its server is down, is reported with the reason. If there is no other \
      difference, the exit status is 75 if all such failures are temporary, else 1. By default --check compares \
      the outputs with the cache, requests no source (outputs in object storage are looked up), and prints how many \
      cached sources are stale. With --refresh it also asks the origins whether their sources have changed. With \
      --lock it compares manifests, sources and outputs with the digests in the lock file. Run it in the same current \
      directory as the run that wrote the lock file: the paths of local sources in it are relative to that directory. --check --lock \
      requests every remote source. It downloads those that have changed since the lock file was written, and those \
      whose response had no ETag and no Last-Modified header. It needs no cache and renders nothing, so it can check a fresh clone.

      The cache records which outputs earlier runs made. With --no-cache, a manifest whose jobs read outputs of other jobs \
      needs --in-place from the second run on, and --prune and --no-clobber are refused.

      At its end, a run prints totals. 'merged' counts the jobs that used a source that another job had already \
      requested or read. 'revalidated' counts the cached sources that have not changed at their origins.

        imagemill run
        imagemill run -C public --report report.html images.yaml
        imagemill run --why images.yaml public/hero.webp
      """)

  @Argument(
    help: ArgumentHelp(
      "Manifests, '-' for standard input (default: imagemill.yaml, .yml, .toml or .json in this directory), and "
        + "targets. An operand with the extension of an output format is a target: the path of an output relative to "
        + "the current directory; with -C, it begins with that directory. With targets, only these and what they need are made.",
      valueName: "manifest-or-target"),
    completion: .file())
  var operands: [String] = []

  /// The manifests among the operands.
  var manifests: [String] { RunOperands(operands).manifests }
  /// The outputs among the operands.
  private var targets: [String] { RunOperands(operands).targets }

  @Flag(help: "Print why each output is made.")
  var why = false

  @Flag(help: "Write nothing, not even a report; exit 3 if any output is missing, out of date or changed.")
  var check = false

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and do nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Write the digests of manifests, sources and outputs to a lock file; with --check or --frozen, compare with it "
        + "instead. It describes complete manifests, so it can't be written or checked with --failed, --shard or targets.",
      valueName: "file"),
    completion: .file())
  var lock: String?

  @Flag(
    help: "Refuse a source that isn't in the --lock file, or has another digest there; exit 3."
  )
  var frozen = false

  @Flag(
    help: ArgumentHelp(
      "If every job succeeds, remove the files that earlier runs made and this run doesn't. Considers only "
        + "earlier runs with the same manifests, output directory and template."))
  var prune = false

  @OptionGroup(title: "Jobs") var jobs: JobOptions
  @OptionGroup(title: "Run") var batch: BatchOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions
  @OptionGroup(title: "Remote cache") var remote: RemoteCacheOptions

  func validate() throws {
    try validateLock()
    try validateCheck()
    if cache.noCache, prune {
      throw ValidationError(
        "--prune finds the files of earlier runs in the cache; leave out --no-cache or --prune")
    }
    if cache.noCache, jobs.output.replacing.keepsForeignFiles {
      throw ValidationError(
        "--no-clobber recognizes imagemill's files by the records in the cache; without them it would keep every existing "
          + "file; leave out --no-cache or --no-clobber")
    }
    if prune, manifests.contains("-") || jobs.shard != nil || jobs.failed != nil || !targets.isEmpty {
      throw ValidationError(
        "--prune needs complete manifests: give their files, and leave out single outputs, --shard and --failed"
      )
    }
  }

  private func validateLock() throws {
    guard let lock else {
      if frozen { throw ValidationError("--frozen needs --lock FILE") }
      return
    }
    if lock == "-", check || frozen {
      throw ValidationError("\(check ? "--check" : "--frozen") --lock needs a file; '-' is standard output")
    }
    guard !frozen else { return }
    let use =
      check ? "--check --lock compares complete manifests" : "--lock writes the digests of complete manifests"
    if !targets.isEmpty { throw ValidationError("\(use); leave out single outputs") }
    if jobs.failed != nil || jobs.shard != nil {
      let options = (jobs.failed == nil ? [] : ["--failed"]) + (jobs.shard == nil ? [] : ["--shard"])
      throw ValidationError("\(use); leave out \(options.joined(separator: " and "))")
    }
    if lock == "-", let owner = batch.standardOutputOwners.first {
      throw ValidationError("--lock and \(owner) both write to standard output; name a file for one of them")
    }
  }

  private func validateCheck() throws {
    guard check || dryRun else { return }
    if check && dryRun { throw ValidationError("--check and --dry-run can't be used together") }
    // Every output would be out of date.
    if check && batch.force { throw ValidationError("--check and --force can't be used together") }
    if check && prune && lock != nil {
      throw ValidationError(
        "--check --lock compares with the lock file, which has no record of earlier runs; leave out --prune or --lock"
      )
    }
  }

  /// Refuses options that name files which a check doesn't write. A setting of the environment or the configuration file is
  /// for runs, and stays without effect. A dry run takes them: it says what the same command line would do without -n.
  /// - Throws: `CommandError` with the first such option.
  private func refuseFilesOfRuns() throws {
    guard check else { return }
    let files = ["report", "emit", "metrics", "events"]
    guard let option = files.first(where: { Invocation.current.isTyped($0) }) else { return }
    throw CommandError(
      .usage,
      "--check writes no files; leave out --\(option)")
  }

  func run() async throws {
    try refuseFilesOfRuns()
    if manifests.isEmpty, let first = targets.first, !ManifestArguments.hasDefault {
      throw CommandError(
        .usage,
        "'\(first)' is an output to make, and there is no manifest; to convert an image, write "
          + "'imagemill convert \(ShellWord.quoted(first)) OUTPUT'")
    }
    let input = try await jobs.readWithLists(manifests, targets: targets, cache: cache.settings)
    try await settled(by: input.settings).run(input)
  }

  /// Says what `--failed` doesn't select.
  /// - Throws: `CommandError` if that is all.
  private func noteFailures(_ input: JobSelection) throws {
    guard jobs.failed != nil else { return }
    let unmatched = input.unmatchedFailures ?? 0
    let outputs = "\(unmatched) failed \(unmatched == 1 ? "output" : "outputs")"
    if input.count == 0, unmatched > 0, targets.isEmpty {
      throw CommandError(
        .usage,
        "no job makes \(outputs) of the earlier run any more: the manifest or an option has changed; leave out --failed"
      )
    }
    guard !batch.quiet else { return }
    if unmatched > 0, targets.isEmpty {
      StandardError.say(
        "imagemill: warning: no job makes \(outputs) of the earlier run any more; without --failed, all missing outputs "
          + "are made")
    } else if input.hasFailures == false {
      StandardError.say("imagemill: note: no job failed in the earlier run")
    }
  }

  private func run(_ input: JobSelection) async throws {
    var input = input
    try ObjectDestination(
      directory: jobs.yieldsToManifests ? nil : jobs.outputDirectory, template: jobs.template,
      jobs: input.jobs
    )
    .check(
      downloads,
      refusing: [
        (prune, ObjectDestination.prune), (lock != nil && !frozen, ObjectDestination.lock),
        (cache.offline, ObjectDestination.offline),
        (!batch.emissions.isEmpty && jobs.outputDirectory == nil, ObjectDestination.emit),
      ])
    if check, let lock { return try await compare(input, with: lock) }
    try noteFailures(input)
    let locked = try frozen ? lock.map { try FrozenSources(reading: $0, manifests: manifests) } : nil
    if let locked, let lock { try input.check(against: locked, in: lock) }
    if check || dryRun { return try await plan(input, frozen: locked) }
    if why { try await explain(input) }
    let recorder = LockRecorder(path: frozen ? nil : lock)
    input.record(with: recorder)
    try SideFiles(batch.settings, lock: frozen ? nil : lock).check(claimedFiles(of: input))
    let record =
      targets.isEmpty
      ? try jobs.lastRun(of: ManifestArguments.paths(manifests), cache.settings)
        .record(isSelection: jobs.failed != nil) : nil
    let reporting = try Reporting(
      batch.settings,
      continuation: Continuation(
        record: record, report: batch.settings.failureReport, readsInput: manifests.contains("-"),
        repeatsWhole: !targets.isEmpty, hasFailureLimit: batch.settings.failureLimit != nil),
      repeatingCommand: "run")
    if let count = input.count { await reporting.receive(.jobsCounted(count)) }
    var run = BatchRun(
      downloads: downloads, cache: cache.settings, limits: limits, batch: batch.settings,
      origins: input.origins,
      outputDirectory: ".", allowsOutside: jobs.arguments.allowOutside,
      knownJobs: input.count, reporting: reporting)
    run.commandTemplate = jobs.template ?? ""
    run.replacing = jobs.output.replacing
    if input.hasUnknownOutputs { run.protectedFiles = input.protectedWhileRunning }
    run.remoteCache = try remote.configuration(downloads, cache.settings)
    run.durability = jobs.output.durability.level
    run.objectFields = try jobs.output.objectFields()
    run.frozen = locked
    if prune { run.prunedScopes = input.scopes }
    let replacing = jobs.output.replacing
    let allowsOutside = jobs.arguments.allowOutside
    run.refusePlaces = { [input, lock] store in
      try input.refusePlaces(replacing, allowsOutside: allowsOutside, store: store, lock: lock)
    }
    run.wantsPlaceholders = wantsPlaceholders(for: input)
    var items = input.items
    items.onRead = { reporting.queue($0) }
    let repeated = RepeatedJobs(isAny: !input.jobs.isEmpty)
    items.prepare = { [prepare = items.prepare] job in
      guard prepare(&job) else { return false }
      repeated.note()
      return true
    }
    let outcome = try await run.run(items, recorder: recorder)
    // The failures of a shard may all be in another one.
    if input.hasFailures == true, jobs.shard == nil, targets.isEmpty {
      try repeated.refuseNone(after: outcome.status)
    }
    var status = items.refusal.status(ofBatch: outcome.status)
    if status == .success, let missing = input.awaited?.missing, !missing.isEmpty {
      for target in missing { StandardError.say("imagemill: error: no manifest makes '\(target)'") }
      status = .failed
    }
    if let locked, !recorder.mismatches.isEmpty {
      StandardError.say(locked.difference(from: recorder.mismatches))
      status = .outOfDate
    }
    if let lock, !frozen {
      // A lock with a part of the sources must not replace a whole one.
      if outcome.isWhole {
        try write(recorder, of: input, to: lock)
      } else if !status.isSignal {
        StandardError.say(
          "imagemill: warning: the lock file \(lock) is not written: not every job was started")
      }
    }
    if status != .success { throw status }
  }

  /// The files that the run reads or makes.
  private func claimedFiles(of input: JobSelection) throws -> ClaimedFiles {
    var files = input.claimedFiles
    for path in try ManifestArguments.paths(manifests) where path != "-" {
      files.add(path, as: "the manifest \(path)")
    }
    if manifests.contains("-") { files.add(descriptor: STDIN_FILENO, as: "the manifest on standard input") }
    try files.add(readBy: downloads, jobs.output, lock: frozen ? lock : nil)
    return files
  }

  /// Prints the reason for each output that will be made, except those of lists that can be read only once.
  private func explain(_ input: JobSelection) async throws {
    var known = input
    known.streams = try jobs.recordsOfLists(of: input)
    for entry in try await planning(known).plan(known).plan.entries where !entry.isCurrent {
      StandardError.say("\(entry.path ?? entry.source): \(entry.reason)")
    }
  }

  private func write(_ recorder: LockRecorder, of input: JobSelection, to path: String) throws {
    do {
      let lock = try recorder.lock(manifests: ManifestArguments.paths(manifests) + input.tables)
      if path == "-" {
        try StandardOutput.write(try lock.encoded())
      } else {
        try lock.write(to: path)
      }
    } catch let failure as LockFile.Failure {
      throw CommandError(failure, of: path, manifests: manifests)
    } catch let error as CacheError {
      throw CommandError(.failed, error.messageWithRemedy)
    }
  }
}
