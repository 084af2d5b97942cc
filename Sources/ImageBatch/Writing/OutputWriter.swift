import Glibc
import ImageCaches
import ImageDownloads

/// Puts outputs in place, and keeps what was made in the disk store for the next run.
///
/// An output that is in place with the right bytes is left alone, its modification time too.
final class OutputWriter: Sendable {
  private let store: DiskStore
  private let stamps: StampMemory
  private let shelf: RenditionShelf
  private let ledger: OutputLedger
  private let sources: SourceFiles
  private let replacing: ReplacementPolicy
  private let threads = BlockingThreads(label: "writing", count: 4)

  /// An output that was rendered: where its bytes are, and what it took.
  struct Rendered: Sendable {
    var key: ContentDigest
    var image: RenderedFile
    var file: TemporaryPath
    var seconds: Double
  }

  init(
    store: DiskStore, ledger: OutputLedger, sources: SourceFiles, replacing: ReplacementPolicy,
    renditions: RenditionPolicy = .never
  ) {
    self.store = store
    self.ledger = ledger
    self.sources = sources
    self.replacing = replacing
    stamps = StampMemory(store: store)
    shelf = RenditionShelf(store: store, policy: renditions)
  }

  /// A name for a file that a worker writes.
  func temporaryPath() throws(JobError) -> TemporaryPath {
    do throws(CacheError) {
      return try store.makeTemporaryPath()
    } catch {
      throw JobError(error)
    }
  }

  /// What earlier runs have stored under the keys.
  func known(_ keys: [ContentDigest]) async -> Result<[ContentDigest: StoredOutput], JobError> {
    await threads.run { [store] in
      do throws(CacheError) {
        return .success(try store.storedOutputs(forKeys: keys))
      } catch {
        return .failure(JobError(error))
      }
    }
  }

  /// What is in the places of outputs before they are made.
  struct Survey: Sendable {
    /// Outputs that are in place already, by index.
    var inPlace: Set<Int> = []
    /// Outputs in whose place a file is that is to be kept, by index.
    var kept: Set<Int> = []
    /// The stored bytes of those that are neither, by key.
    var objects: [ContentDigest: MadeOutput] = [:]
  }

  /// Looks at the places of outputs whose paths are known, and for the bytes of those whose keys are.
  func survey(_ outputs: [PlannedOutput], known: [ContentDigest: StoredOutput]) async -> Survey {
    guard !known.isEmpty || replacing.keepsForeignFiles else { return Survey() }
    return await threads.run { [self] in
      var survey = Survey()
      let files = outputs.map { output in
        output.location.flatMap { location in
          output.key.flatMap { known[$0] }.flatMap { file(at: location, bytes: $0.bytes) }
        }
      }
      let digests = stamps.digests(of: files.compactMap(\.self))
      for (index, output) in outputs.enumerated() where output.error == nil {
        let stored = output.key.flatMap { known[$0] }
        if let file = files[index], let stored, digests[file] == stored.digest {
          survey.inPlace.insert(index)
        } else if let location = output.location, isToBeKept(location) {
          survey.kept.insert(index)
        } else if let key = output.key, let stored, survey.objects[key] == nil,
          let object = object(stored.digest)
        {
          survey.objects[key] = MadeOutput(
            image: RenderedFile(stored, format: output.output.encoding.format), object: object, isNew: false)
        }
      }
      return survey
    }
  }

  /// Those of the outputs, by key, of which the store has the bytes by now.
  /// - Parameter withPlaceholders: Whether one that was made without placeholders doesn't count.
  func found(
    _ outputs: [ContentDigest: Output], withPlaceholders: Bool
  ) async -> [ContentDigest: MadeOutput] {
    guard case .success(let stored) = await known(Array(outputs.keys)), !stored.isEmpty else { return [:] }
    let known =
      withPlaceholders ? stored.filter { RememberedOutput($0.value).placeholders != nil } : stored
    return await threads.run { [self] in
      var found: [ContentDigest: MadeOutput] = [:]
      for (key, stored) in known {
        guard let output = outputs[key], let object = object(stored.digest) else { continue }
        found[key] = MadeOutput(
          image: RenderedFile(stored, format: output.encoding.format), object: object, isNew: false)
      }
      return found
    }
  }

  /// The renditions that a request may begin from, and files for those that it may leave. Without them it takes longer,
  /// and nothing else is lost.
  func loan(for request: RenderRequest, force: Bool) async -> RenditionShelf.Loan {
    await threads.run { [store, shelf] in
      do throws(CacheError) {
        let stored = try store.storedOutputs(forKeys: [Self.factsKey(request.sourceDigest)]).values.first
        return try shelf.loan(for: request, facts: stored.flatMap(SourceFacts.init), force: force)
      } catch {
        store.noteRepair("stored renditions can't be used: \(error.message)")
        return RenditionShelf.Loan()
      }
    }
  }

  /// Takes in the renditions that a request has left.
  func keep(_ renditions: [KeptRendition], of loan: RenditionShelf.Loan) async {
    guard !renditions.isEmpty else { return }
    await threads.run { [store, shelf] in
      do throws(CacheError) {
        try shelf.keep(renditions, of: loan)
      } catch {
        store.noteRepair("a rendition can't be kept for later runs: \(error.message)")
      }
    }
  }

  /// Stores what was rendered.
  func store(_ rendered: [Rendered]) async -> [ContentDigest: OutputFlights.Landing] {
    await threads.run { [store] in
      var landings: [ContentDigest: OutputFlights.Landing] = [:]
      var records: [ContentDigest: StoredOutput] = [:]
      do throws(CacheError) {
        for output in rendered {
          let object = try store.insert(output.file, digest: output.image.digest)
          landings[output.key] = .success(MadeOutput(image: output.image, object: object, isNew: true))
          records[output.key] = StoredOutput(output.image, seconds: output.seconds)
        }
        try store.recordOutputs(records)
      } catch {
        for output in rendered where landings[output.key] == nil {
          landings[output.key] = .failure(JobError(error))
        }
      }
      return landings
    }
  }

  /// Remembers that rendering `keys` killed a worker, so that it isn't tried again on every run.
  func record(_ failures: [ContentDigest: JobError], limits: String) async {
    guard !failures.isEmpty else { return }
    await threads.run { [store] in
      var records: [ContentDigest: StoredOutput] = [:]
      for (key, error) in failures {
        let failureKey = Self.failureKey(key, limits)
        records[failureKey] = StoredOutput(
          digest: failureKey, width: 0, height: 0, bytes: 0, extra: "\(error.code) \(error.message)")
      }
      do throws(CacheError) { try store.recordOutputs(records) } catch { store.noteRepair(error.message) }
    }
  }

  /// What earlier runs died of under the same limits, by output key.
  func deaths(of keys: [ContentDigest], limits: String) async -> [ContentDigest: JobError] {
    let failureKeys = keys.map { Self.failureKey($0, limits) }
    guard case .success(let found) = await known(failureKeys), !found.isEmpty else { return [:] }
    var deaths: [ContentDigest: JobError] = [:]
    for (key, failureKey) in zip(keys, failureKeys) {
      guard let words = found[failureKey]?.extra.split(separator: " ", maxSplits: 1), words.count == 2 else {
        continue
      }
      deaths[key] = JobError(
        code: String(words[0]), stage: .decode,
        message: "\(words[1]); that was in an earlier run, and --force tries again")
    }
    return deaths
  }

  /// Remembers that a source's bytes can't be decoded, so that plans and later runs go on to its alternative at once.
  /// Only what the bytes themselves are to blame for is remembered, and not what a limit or another process did.
  func record(_ error: JobError, of source: StoredSource, _ configuration: BatchConfiguration) async {
    guard JobError.faultsOfContent.contains(error.code) else { return }
    let key = Self.sourceFailureKey(source.digest, configuration)
    await threads.run { [store] in
      do throws(CacheError) {
        try store.recordOutputs([
          key: StoredOutput(
            digest: key, width: 0, height: 0, bytes: 0, extra: "\(error.code) \(error.message)")
        ])
      } catch {
        store.noteRepair(error.message)
      }
    }
  }

  /// What an earlier run found wrong with a source's bytes.
  func sourceFailure(of source: StoredSource, _ configuration: BatchConfiguration) async -> JobError? {
    let key = Self.sourceFailureKey(source.digest, configuration)
    guard case .success(let found) = await known([key]),
      let words = found[key]?.extra.split(separator: " ", maxSplits: 1), words.count == 2
    else { return nil }
    var error = JobError(code: String(words[0]), stage: .decode, message: String(words[1]))
    error.source = source.displayText
    return error
  }

  private static func sourceFailureKey(
    _ content: ContentDigest, _ configuration: BatchConfiguration
  ) -> ContentDigest {
    var key = KeyBuilder("source-failure")
    key.append(content.hex)
    key.append(RenderKeys.engine)
    key.append(configuration.onCorrupt.rawValue)
    key.append(configuration.limits.allowedFormats.sorted().joined(separator: ","))
    return key.digest
  }

  private static func failureKey(_ key: ContentDigest, _ limits: String) -> ContentDigest {
    var builder = KeyBuilder("failure")
    builder.append(key.hex)
    builder.append(limits)
    return builder.digest
  }

  /// Remembers what a source's header says, by its content.
  func record(_ facts: SourceFacts, of content: ContentDigest) async {
    await threads.run { [store] in
      do throws(CacheError) {
        try store.recordOutputs([
          Self.factsKey(content): StoredOutput(facts, of: content)
        ])
      } catch {
        store.noteRepair(error.message)
      }
    }
  }

  /// What a source's header said when it was last decoded.
  func facts(of content: ContentDigest) async -> SourceFacts? {
    guard case .success(let found) = await known([Self.factsKey(content)]) else { return nil }
    return found.values.first.flatMap(SourceFacts.init)
  }

  static func factsKey(_ content: ContentDigest) -> ContentDigest {
    var key = KeyBuilder("source-facts")
    key.append(content.hex)
    return key.digest
  }

  /// Puts one output in place: where its path depends on what was made, at that path.
  /// - Returns: the output with its path; nil where it failed.
  func place(
    _ planned: PlannedOutput, _ made: MadeOutput, claims: OutputClaims, into result: inout OutputResult
  ) async -> PlannedOutput? {
    do throws(JobError) {
      var planned = planned
      result.describe(made.image)
      if planned.location == nil {
        planned.values.learn(made.image)
        try planned.claimPath(claims)
      }
      guard let location = planned.location else { throw .cancelled }
      result.output = planned.path
      result.path = location
      let directory = planned.directory
      let outcome = await threads.run { [self] in put(made, at: location, in: directory) }
      result.status = try outcome.get()
      return planned
    } catch {
      result.fail(error)
      return nil
    }
  }

  /// Adds to what the cache has spared.
  func add(_ savings: [CacheSavings.Kind: CacheSavings]) async {
    await threads.run { [store] in
      do throws(CacheError) { try store.add(savings) } catch { store.noteRepair(error.message) }
    }
  }

  /// Removes files that are no longer made.
  func remove(_ stale: [LedgerEntry]) async throws(CacheError) -> [(path: String, fate: Pruning.Fate)] {
    guard !stale.isEmpty else { return [] }
    let outcome: Result<[(path: String, fate: Pruning.Fate)], CacheError> = await threads.run {
      [store, stamps, sources] in
      do throws(CacheError) {
        return .success(try Pruning(store: store, stamps: stamps, sources: sources).run(stale))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// The stale files that pruning would remove.
  func removable(_ stale: [LedgerEntry]) throws(CacheError) -> [String] {
    try Pruning(store: store, stamps: stamps, sources: sources).fates(of: stale)
      .compactMap { $0.fate == .removed ? $0.entry.path : nil }
  }

  /// Writes down what is still only remembered.
  func flush() async -> JobError? {
    await threads.run { [stamps] in
      do throws(CacheError) {
        try stamps.flush()
        return nil
      } catch {
        return JobError(error)
      }
    }
  }

  private func put(
    _ made: MadeOutput, at location: String, in directory: OutputDirectory
  ) -> Result<OutputResult.Status, JobError> {
    do throws(JobError) {
      if isInPlace(made.image.digest, bytes: made.image.bytes, at: location) { return .success(.unchanged) }
      // Again, although it was asked when the path was claimed: a stream's later sources are known only by now.
      guard replacing.allowsSources || !sources.contains(location) else { throw .overwritesSource(location) }
      if isToBeKept(location) || isOfLaterRun(location) { return .success(.kept) }
      try directory.prepare(location)
      do throws(AtomicFile.Failure) {
        // A file that came into the place since it was looked at isn't ours.
        let replaces = !replacing.keepsForeignFiles || access(location, F_OK) == 0
        guard try AtomicFile.copy(made.object.path, to: location, replacing: replaces) else {
          return .success(.kept)
        }
      } catch {
        throw JobError(code: "write-failed", stage: .write, message: error.message)
      }
      stamps.remember(location, made.image.digest)
      return .success(made.isNew ? .written : .cached)
    } catch {
      return .failure(error)
    }
  }

  /// Whether a file is there that no run has written, or that was edited since, and such files are kept.
  private func isToBeKept(_ location: String) -> Bool {
    var status = stat()
    guard replacing.keepsForeignFiles, lstat(location, &status) == 0 else { return false }
    do throws(CacheError) {
      guard let entry = try ledger.entry(of: location), let file = StampMemory.File(path: location) else {
        return true
      }
      return stamps.digests(of: [file])[file] != entry.digest
    } catch {
      store.noteRepair("what runs have written can't be looked up, and every file is kept: \(error.message)")
      return true
    }
  }

  /// Whether a run that began after this one has put the file there: of two runs at once the later wins, whichever ends
  /// first.
  private func isOfLaterRun(_ location: String) -> Bool {
    var status = stat()
    // Most files were there before this run, and need no look-up.
    guard lstat(location, &status) == 0, Double(status.st_ctim.tv_sec) + 1 >= ledger.began else {
      return false
    }
    do throws(CacheError) {
      return try ledger.entry(of: location).map { $0.began > ledger.began } ?? false
    } catch {
      store.noteRepair(error.message)
      return false
    }
  }

  private func isInPlace(_ digest: ContentDigest, bytes: Int, at location: String) -> Bool {
    file(at: location, bytes: bytes).map { stamps.digests(of: [$0])[$0] == digest } ?? false
  }

  /// The ordinary file at a path, where it has the size that is wanted.
  private func file(at location: String, bytes: Int) -> StampMemory.File? {
    guard let file = StampMemory.File(path: location), file.stamp.bytes == bytes else { return nil }
    return file
  }

  /// The stored object; one that can't be had is made again.
  private func object(_ digest: ContentDigest) -> StoredObject? {
    do throws(CacheError) {
      return try store.object(digest)
    } catch {
      store.noteRepair("a stored output can't be read and is made again: \(error.message)")
      return nil
    }
  }
}

extension RenderedFile {
  /// What the index has remembered of it. `format` is for what was stored before formats were.
  init(_ stored: StoredOutput, format: OutputFormat) {
    let remembered = RememberedOutput(stored)
    self.init(
      format: remembered.format ?? format, width: stored.width, height: stored.height, frames: stored.frames,
      bytes: stored.bytes, digest: stored.digest, placeholders: remembered.placeholders)
  }
}

extension SourceFacts {
  /// What the index has remembered of a header.
  init?(_ stored: StoredOutput) {
    let words = stored.extra.split(separator: " ")
    guard words.count == 3, let orientation = Int(words[1]) else { return nil }
    self.init(
      format: String(words[0]), width: stored.width, height: stored.height, frames: stored.frames,
      orientation: orientation, hasAlpha: words[2] == "alpha")
  }
}

extension StoredOutput {
  /// A header, to be remembered.
  init(_ facts: SourceFacts, of content: ContentDigest) {
    self.init(
      digest: content, width: facts.width, height: facts.height, frames: facts.frames, bytes: 0,
      extra: "\(facts.format) \(facts.orientation) \(facts.hasAlpha ? "alpha" : "opaque")")
  }

  init(_ image: RenderedFile, seconds: Double) {
    self.init(
      digest: image.digest, width: image.width, height: image.height, frames: image.frames,
      bytes: image.bytes, seconds: seconds, extra: RememberedOutput(image).text)
  }
}
