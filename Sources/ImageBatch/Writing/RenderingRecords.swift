import ImageCaches
import ImageDownloads
import SystemIO
import ImageRendering

/// The disk store's records of renderings: outputs, source headers and failures.
struct RenderingRecords: Sendable {
  let store: DiskStore
  let threads: BlockingThreadPool

  /// The records of earlier runs' outputs, by output key.
  func outputs(_ keys: [ContentDigest]) async -> Result<[ContentDigest: StoredOutput], JobError> {
    await rows(keys)
  }

  // MARK: Failures

  /// Records failures that killed a worker, by output key, so that later runs don't retry them.
  func record(_ failures: [ContentDigest: JobError], limits: String) async {
    await record(
      Dictionary(
        uniqueKeysWithValues: failures.map { key, error in
          (DecoderFailure.key(ofOutput: key, limits: limits), DecoderFailure(error))
        }))
  }

  /// The failures that killed a worker in earlier runs under the same limits, by output key.
  func decoderFailures(of keys: [ContentDigest], limits: String) async -> [ContentDigest: JobError] {
    let found = await failures(keys.map { DecoderFailure.key(ofOutput: $0, limits: limits) })
    guard !found.isEmpty else { return [:] }
    var decoderFailures: [ContentDigest: JobError] = [:]
    for key in keys {
      guard var error = found[DecoderFailure.key(ofOutput: key, limits: limits)]?.error else { continue }
      error.isRecorded = true
      decoderFailures[key] = error
    }
    return decoderFailures
  }

  /// Records that a source can't be decoded, so that plans and later runs try its alternative immediately.
  /// Only faults of the content are recorded, not those of limits or of other processes.
  func record(_ error: JobError, of source: StoredSource, _ configuration: BatchConfiguration) async {
    guard JobError.Code.faultsOfContent.contains(error.code) else { return }
    await record([DecoderFailure.key(of: source.digest, configuration): DecoderFailure(error)])
  }

  /// The recorded failure of a source's content; nil if there is none.
  func failure(of source: StoredSource, _ configuration: BatchConfiguration) async -> JobError? {
    var error = await failures([DecoderFailure.key(of: source.digest, configuration)]).values.first?.error
    error?.source = source.displayText
    return error
  }

  private func failures(_ keys: [ContentDigest]) async -> [ContentDigest: DecoderFailure] {
    // Most caches have no failures, and a thread for the query costs more than all else here.
    guard store.mayHaveRows(of: DecoderFailure.self) else { return [:] }
    let found: Result<[ContentDigest: DecoderFailure], JobError> = await rows(keys)
    guard case .success(let failures) = found else { return [:] }
    return failures
  }

  // MARK: Headers

  /// Records the facts from a source's header, by its digest.
  func record(_ facts: SourceFacts, of content: ContentDigest) async { await record([content: facts]) }

  /// The recorded facts from a source's header; nil if there are none.
  func facts(of content: ContentDigest) async -> SourceFacts? {
    let found: Result<[ContentDigest: SourceFacts], JobError> = await rows([content])
    guard case .success(let facts) = found else { return nil }
    return facts[content]
  }

  // MARK: Rows

  private func rows<Row: StoreRow>(_ keys: [ContentDigest]) async -> Result<[ContentDigest: Row], JobError> {
    await threads.run { [store] in
      do throws(CacheError) {
        return .success(try store.rows(forKeys: keys))
      } catch {
        return .failure(JobError(error))
      }
    }
  }

  private func record<Row: StoreRow>(_ rows: [ContentDigest: Row]) async {
    guard !rows.isEmpty else { return }
    await threads.run { [store] in
      do throws(CacheError) { try store.record(rows) } catch { store.noteRepair(error) }
    }
  }
}
