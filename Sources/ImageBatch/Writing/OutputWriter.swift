import Glibc
import ImageCaches
import ImageDownloads
import SystemIO
import Synchronization
import ImageRendering

/// Writes outputs to their places, files and objects, and stores their bytes and records for later runs.
///
/// A file that already has the right bytes isn't touched, so that its modification time stays the same.
final class OutputWriter: Sendable {
  let records: RenderingRecords
  private let store: DiskStore
  private let places: OutputPlaces
  /// nil if outputs are files only.
  let objects: ObjectPlaces?
  private let renditionCache: RenditionCache
  /// Runs the groups' tasks, which block for files and the index.
  let threads = BlockingThreadPool(label: "writing", threads: 4)

  /// A rendered output that isn't stored yet.
  struct Rendered: Sendable {
    var key: ContentDigest
    var image: RenderedFile
    var file: TemporaryPath
    var seconds: Double
  }

  init(
    store: DiskStore, registry: OutputRegistry, sources: SourceFiles, replacing: ReplacementPolicy,
    renditions: RenditionPolicy = .never, durability: Durability = .fast,
    uploading uploads: Uploads? = nil
  ) {
    self.store = store
    records = RenderingRecords(store: store, threads: threads)
    places = OutputPlaces(
      store: store, fingerprints: FileDigestCache(store: store), registry: registry, sources: sources,
      replacing: replacing, durability: durability)
    renditionCache = RenditionCache(store: store, policy: renditions)
    objects = uploads.map { [threads] uploads in
      ObjectPlaces(
        downloader: uploads.downloader, store: store, sources: sources, replacing: replacing,
        settings: uploads.settings, began: registry.began, threads: threads, warn: uploads.warn)
    }
  }

  /// What outputs in object storage need.
  struct Uploads: Sendable {
    var downloader: ImageDownloader
    var settings: ObjectPlaces.Settings
    /// Receives problems that fail no output; nil fails the outputs whose objects can't be inspected.
    var warn: (@Sendable (String) async -> Void)?
  }

  /// Runs a call that blocks, on the threads for outputs: on Swift's cooperative pool, as many of them as there are
  /// processors would stop the batch.
  func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await threads.run {
      Result { () throws(Failure) in try body() }
    }
    return try result.get()
  }

  /// A name for a file that a worker writes.
  func temporaryPath() throws(JobError) -> TemporaryPath {
    do throws(CacheError) {
      return try store.makeTemporaryPath()
    } catch {
      throw JobError(error)
    }
  }

  /// What was found at the outputs' paths before rendering.
  struct Survey: Sendable {
    /// Outputs whose path belongs to another output or a source, by index.
    var refused: [Int: JobError] = [:]
    /// Outputs that are up to date, by index.
    var inPlace: Set<Int> = []
    /// Outputs whose existing file the policy keeps, by index.
    var kept: Set<Int> = []
    /// Outputs whose place has another file or object, by index; empty unless asked for.
    var occupied: Set<Int> = []
    /// The stored bytes of the other outputs, by key.
    var objects: [ContentDigest: EncodedOutput] = [:]
  }

  /// Claims the outputs' known paths, inspects the files there, and looks up stored bytes.
  /// - Parameters:
  ///   - known: Records of earlier runs, by output key.
  ///   - outputPaths: The paths of the batch's outputs.
  ///   - findsOccupied: Whether to find places with other files. Default: false.
  func survey(
    _ outputs: [PlannedOutput], known: [ContentDigest: StoredOutput], outputPaths: OutputPathRegistry,
    findsOccupied: Bool = false
  ) async -> Survey {
    var survey = Survey()
    for (index, output) in outputs.enumerated() where output.state == .unknown {
      do throws(JobError) { try output.claim(outputPaths) } catch { survey.refused[index] = error }
    }
    let findings = await examine(outputs, known: known, &survey)
    guard !known.isEmpty || !findings.isEmpty || places.replacing.keepsForeignFiles || findsOccupied else {
      return survey
    }
    return await threads.run { [self, claimed = survey] in
      var survey = claimed
      let files = outputs.enumerated().map { index, output in
        findings[index] != nil
          ? nil
          : output.location.flatMap { location in
            output.key.flatMap { known[$0] }.flatMap { places.file(at: location, bytes: $0.bytes) }
          }
      }
      let digests = places.fingerprints.digests(of: files.compactMap(\.self))
      for (index, output) in outputs.enumerated()
      where output.state == .unknown && survey.refused[index] == nil {
        let stored = output.key.flatMap { known[$0] }
        if let finding = findings[index] {
          if finding == .inPlace { survey.inPlace.insert(index) }
          if finding == .kept { survey.kept.insert(index) }
          if findsOccupied, finding == .replaceable { survey.occupied.insert(index) }
        } else if let file = files[index], let stored, digests[file] == stored.digest {
          survey.inPlace.insert(index)
        } else if let location = output.location, places.isToBeKept(location) {
          survey.kept.insert(index)
        } else if findsOccupied, let location = output.location, File.exists(location) {
          survey.occupied.insert(index)
        }
        if !survey.inPlace.contains(index), !survey.kept.contains(index), let key = output.key, let stored,
          survey.objects[key] == nil, let object = object(stored.digest)
        {
          survey.objects[key] = EncodedOutput(
            image: RenderedFile(stored), object: object, isNew: false)
        }
      }
      return survey
    }
  }

  /// The outputs whose bytes are in the store now, by key.
  /// - Parameter withPlaceholders: Whether to find only outputs that were stored with placeholders, and return these.
  func found(
    _ keys: [ContentDigest], withPlaceholders: Bool
  ) async -> [ContentDigest: EncodedOutput] {
    guard case .success(let stored) = await records.outputs(keys), !stored.isEmpty else {
      return [:]
    }
    let known = stored.usable(withPlaceholders: withPlaceholders)
    return await threads.run { [self] in
      var found: [ContentDigest: EncodedOutput] = [:]
      for (key, stored) in known {
        guard let object = object(stored.digest) else { continue }
        found[key] = EncodedOutput(
          image: RenderedFile(stored), object: object, isNew: false)
      }
      return found
    }
  }

  /// Leases stored renditions that a request may start from, and files for new ones. If that fails, the lease
  /// is empty and rendering takes longer. Blocks.
  func lease(for request: RenderRequest, force: Bool) -> RenditionCache.Lease {
    do throws(CacheError) {
      return try renditionCache.lease(for: request, force: force)
    } catch {
      store.noteRepair("cached renditions can't be used", error)
      return RenditionCache.Lease()
    }
  }

  /// Stores the renditions that a request has written.
  func keep(_ response: RenderResponse, to request: RenderRequest?, of lease: RenditionCache.Lease) async {
    guard !response.renditions.isEmpty, let request else { return }
    await threads.run { [store, renditionCache] in
      do throws(CacheError) {
        try renditionCache.keep(RenditionCache.renditions(of: response, to: request), of: lease)
      } catch {
        store.noteRepair("a rendition can't be cached for later runs", error)
      }
    }
  }

  /// Stores rendered outputs and the facts from the sources' headers, in transactions that other groups'
  /// writes may share.
  func store(
    _ rendered: [Rendered], facts: [ContentDigest: SourceFacts]
  ) async -> [ContentDigest: StepGraph.RenderOutcome] {
    let (known, new) = await threads.run { [self] in storedAlready(rendered, facts: facts) }
    guard !new.isEmpty else { return known }
    return await withCheckedContinuation { continuation in
      let state = Mutex((outcomes: known, missing: new.count))
      for (index, equal) in new.enumerated() {
        store.insertGathered(
          equal[0].file, digest: equal[0].image.digest,
          recording: Dictionary(equal.map { ($0.key, StoredOutput($0.image, seconds: $0.seconds)) }) { $1 },
          index == 0 ? facts : [:]
        ) { result in
          let all = state.withLock { state -> [ContentDigest: StepGraph.RenderOutcome]? in
            for output in equal {
              state.outcomes[output.key] = result.mapError { JobError($0) }.map {
                EncodedOutput(image: output.image, object: $0, isNew: true, seconds: output.seconds)
              }
            }
            state.missing -= 1
            return state.missing == 0 ? state.outcomes : nil
          }
          // Resumed exactly once, because the count reaches 0 under the lock.
          if let all { continuation.resume(returning: all) }
        }
      }
    }
  }

  /// Records outputs whose bytes are already stored.
  /// - Returns: Their outcomes, and the remaining outputs grouped by equal bytes.
  private func storedAlready(
    _ rendered: [Rendered], facts: [ContentDigest: SourceFacts]
  ) -> ([ContentDigest: StepGraph.RenderOutcome], [[Rendered]]) {
    var outcomes: [ContentDigest: StepGraph.RenderOutcome] = [:]
    var records: [ContentDigest: StoredOutput] = [:]
    var new: [[Rendered]] = []
    var groups: [ContentDigest: Int] = [:]
    do throws(CacheError) {
      for output in rendered {
        guard let object = try store.object(output.image.digest) else {
          if let index = groups[output.image.digest] {
            new[index].append(output)
          } else {
            groups[output.image.digest] = new.count
            new.append([output])
          }
          continue
        }
        outcomes[output.key] = .success(
          EncodedOutput(image: output.image, object: object, isNew: true, seconds: output.seconds))
        records[output.key] = StoredOutput(output.image, seconds: output.seconds)
      }
      try store.record(records, new.isEmpty ? facts : [:])
      return (outcomes, new)
    } catch {
      return (Dictionary(rendered.map { ($0.key, .failure(JobError(error))) }) { $1 }, [])
    }
  }

  /// Writes one output to its path, after expanding a path that depends on the content.
  /// - Returns: The output with its path; nil if it failed, with the error in `result`.
  func place(
    _ planned: PlannedOutput, _ made: EncodedOutput, outputPaths: OutputPathRegistry,
    into result: inout OutputResult
  ) async -> PlannedOutput? {
    do throws(JobError) {
      var planned = planned
      result.describe(made.image)
      if planned.location == nil {
        planned.values.learn(made.image)
        try planned.expandPath()
        try planned.claim(outputPaths)
      }
      guard let location = planned.location else { throw .cancelled }
      result.output = planned.path
      result.path = location
      result.status = try await put(made, at: location, planned).get()
      // What the existing file has isn't known.
      if result.status == .kept { result.forgetImage() }
      return planned
    } catch {
      result.fail(error)
      return nil
    }
  }

  private func put(
    _ made: EncodedOutput, at location: String, _ planned: PlannedOutput
  ) async -> Result<OutputResult.Status, JobError> {
    if let objects, let place = planned.objectPlace { return await objects.put(made, at: place) }
    let directory = planned.directory
    return await threads.run { [places] in places.put(made, at: location, in: directory) }
  }

  /// Records a file that another job reads, before it is put in place: if the run is killed between, the next one must know
  /// the file as an output, or it would refuse to overwrite it as a source.
  func announce(_ planned: PlannedOutput, _ digest: ContentDigest) async {
    guard let location = planned.location else { return }
    await threads.run { [places] in
      // The record of a file that stays must stay too.
      guard !places.isToBeKept(location), !places.isOfLaterRun(location) else { return }
      // Records name files by the real paths of their directories, so that these must exist.
      do throws(JobError) { _ = try planned.directory.open(location) } catch {
        // Ignore the error: putting the file in place reports it.
        return
      }
      _ = places.registry.note(planned, digest)
      places.registry.flush()
    }
  }

  /// Adds to the totals of work that the cache has saved.
  func add(_ savings: [CacheSavings.Kind: CacheSavings]) async {
    await threads.run { [store] in
      do throws(CacheError) { try store.add(savings) } catch { store.noteRepair(error) }
    }
  }

  /// Removes stale files, as far as ``Pruning`` permits.
  /// - Throws: `CacheError` if the index can't be read or written.
  func remove(_ stale: [RegistryEntry]) async throws(CacheError) -> [(path: String, fate: Pruning.Fate)] {
    guard !stale.isEmpty else { return [] }
    return try await blocking { [places] () throws(CacheError) in try places.pruning.run(stale) }
  }

  /// The paths of the stale files that pruning would remove.
  func removable(_ stale: [RegistryEntry]) throws(CacheError) -> [String] {
    try places.pruning.fates(of: stale)
      .compactMap { $0.fate == .removed ? $0.entry.path : nil }
  }

  /// Writes pending digests to the index.
  /// - Returns: The error if that fails.
  func flush() async -> JobError? {
    await threads.run { [places] in
      do throws(CacheError) {
        try places.fingerprints.flush()
        return nil
      } catch {
        return JobError(error)
      }
    }
  }

  /// The stored object; nil if there is none, or if it can't be read and has to be rendered again.
  private func object(_ digest: ContentDigest) -> StoredObject? {
    do throws(CacheError) {
      return try store.object(digest)
    } catch {
      store.noteRepair("a cached output can't be read, and is made again", error)
      return nil
    }
  }
}
