import Glibc
import ImageCaches
import ImageDownloads
import SystemIO

/// Puts outputs in place, and keeps what was made in the disk store for the next run.
///
/// An output that is in place with the right bytes is left alone, its modification time too.
final class OutputWriter: Sendable {
  let records: RenderingRecords
  private let store: DiskStore
  private let places: OutputPlaces
  private let shelf: RenditionShelf
  private let threads = BlockingThreadPool(label: "writing", threads: 4)

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
    records = RenderingRecords(store: store, threads: threads)
    places = OutputPlaces(
      store: store, stamps: StampMemory(store: store), ledger: ledger, sources: sources, replacing: replacing)
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

  /// What is in the places of outputs before they are made.
  struct Survey: Sendable {
    /// Outputs whose paths belong to others, by index.
    var refused: [Int: JobError] = [:]
    /// Outputs that are in place already, by index.
    var inPlace: Set<Int> = []
    /// Outputs in whose place a file is that is to be kept, by index.
    var kept: Set<Int> = []
    /// The stored bytes of those that are neither, by key.
    var objects: [ContentDigest: MadeOutput] = [:]
  }

  /// Claims the paths of outputs that have one, looks at their places, and for the bytes of those whose keys are known.
  func survey(
    _ outputs: [PlannedOutput], known: [ContentDigest: StoredOutput], claims: OutputClaims
  ) async -> Survey {
    var survey = Survey()
    for (index, output) in outputs.enumerated() where output.state == .unknown {
      do throws(JobError) { try output.claim(claims) } catch { survey.refused[index] = error }
    }
    guard !known.isEmpty || places.replacing.keepsForeignFiles else { return survey }
    return await threads.run { [self, claimed = survey] in
      var survey = claimed
      let files = outputs.map { output in
        output.location.flatMap { location in
          output.key.flatMap { known[$0] }.flatMap { places.file(at: location, bytes: $0.bytes) }
        }
      }
      let digests = places.stamps.digests(of: files.compactMap(\.self))
      for (index, output) in outputs.enumerated()
      where output.state == .unknown && survey.refused[index] == nil {
        let stored = output.key.flatMap { known[$0] }
        if let file = files[index], let stored, digests[file] == stored.digest {
          survey.inPlace.insert(index)
        } else if let location = output.location, places.isToBeKept(location) {
          survey.kept.insert(index)
        } else if let key = output.key, let stored, survey.objects[key] == nil,
          let object = object(stored.digest)
        {
          survey.objects[key] = MadeOutput(
            image: RenderedFile(stored), object: object, isNew: false)
        }
      }
      return survey
    }
  }

  /// Those of the output keys of which the store has the bytes by now.
  /// - Parameter withPlaceholders: Whether one that was made without placeholders doesn't count.
  func found(
    _ keys: [ContentDigest], withPlaceholders: Bool
  ) async -> [ContentDigest: MadeOutput] {
    guard case .success(let stored) = await records.outputs(keys), !stored.isEmpty else {
      return [:]
    }
    let known =
      withPlaceholders ? stored.filter { $0.value.placeholders != nil } : stored
    return await threads.run { [self] in
      var found: [ContentDigest: MadeOutput] = [:]
      for (key, stored) in known {
        guard let object = object(stored.digest) else { continue }
        found[key] = MadeOutput(
          image: RenderedFile(stored), object: object, isNew: false)
      }
      return found
    }
  }

  /// The renditions that a request may begin from, and files for those that it may leave. Without them it takes longer,
  /// and nothing else is lost.
  func loan(for request: RenderRequest, force: Bool) async -> RenditionShelf.Loan {
    await threads.run { [store, shelf] in
      do throws(CacheError) {
        let facts = try store.rows(of: SourceFacts.self, forKeys: [request.sourceDigest]).values.first
        return try shelf.loan(for: request, facts: facts, force: force)
      } catch {
        store.noteRepair("stored renditions can't be used", error)
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
        store.noteRepair("a rendition can't be kept for later runs", error)
      }
    }
  }

  /// Stores what was rendered.
  func store(_ rendered: [Rendered]) async -> [ContentDigest: StepGraph.Landing] {
    await threads.run { [store] in
      var landings: [ContentDigest: StepGraph.Landing] = [:]
      var records: [ContentDigest: StoredOutput] = [:]
      do throws(CacheError) {
        for output in rendered {
          let object = try store.insert(output.file, digest: output.image.digest)
          landings[output.key] = .success(MadeOutput(image: output.image, object: object, isNew: true))
          records[output.key] = StoredOutput(output.image, seconds: output.seconds)
        }
        try store.record(records)
      } catch {
        for output in rendered where landings[output.key] == nil {
          landings[output.key] = .failure(JobError(error))
        }
      }
      return landings
    }
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
        try planned.expandPath()
        try planned.claim(claims)
      }
      guard let location = planned.location else { throw .cancelled }
      result.output = planned.path
      result.path = location
      let directory = planned.directory
      let outcome = await threads.run { [places] in places.put(made, at: location, in: directory) }
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
      do throws(CacheError) { try store.add(savings) } catch { store.noteRepair(error) }
    }
  }

  /// Removes files that are no longer made.
  func remove(_ stale: [LedgerEntry]) async throws(CacheError) -> [(path: String, fate: Pruning.Fate)] {
    guard !stale.isEmpty else { return [] }
    let outcome: Result<[(path: String, fate: Pruning.Fate)], CacheError> = await threads.run {
      [places] in
      do throws(CacheError) {
        return .success(try places.pruning.run(stale))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// The stale files that pruning would remove.
  func removable(_ stale: [LedgerEntry]) throws(CacheError) -> [String] {
    try places.pruning.fates(of: stale)
      .compactMap { $0.fate == .removed ? $0.entry.path : nil }
  }

  /// Writes down what is still only remembered.
  func flush() async -> JobError? {
    await threads.run { [places] in
      do throws(CacheError) {
        try places.stamps.flush()
        return nil
      } catch {
        return JobError(error)
      }
    }
  }

  /// The stored object; one that can't be read is made again.
  private func object(_ digest: ContentDigest) -> StoredObject? {
    do throws(CacheError) {
      return try store.object(digest)
    } catch {
      store.noteRepair("a stored output can't be read and is made again", error)
      return nil
    }
  }
}
