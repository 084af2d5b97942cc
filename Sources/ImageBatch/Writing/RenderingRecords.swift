import ImageCaches
import ImageDownloads
import SystemIO
import ImageRendering

/// What the disk store has recorded of renderings: outputs, headers of sources, and failures.
struct RenderingRecords: Sendable {
  let store: DiskStore
  let threads: BlockingThreadPool

  /// What earlier runs have stored under output keys.
  func outputs(_ keys: [ContentDigest]) async -> Result<[ContentDigest: StoredOutput], JobError> {
    await rows(keys)
  }

  // MARK: Failures

  /// Records that rendering `keys` killed a worker, so that it isn't tried again on every run.
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

  /// Records that a source's bytes can't be decoded, so that plans and later runs go on to its alternative at once.
  /// Faults of the bytes themselves are recorded, and not those of a limit or of another process.
  func record(_ error: JobError, of source: StoredSource, _ configuration: BatchConfiguration) async {
    guard JobError.Code.faultsOfContent.contains(error.code) else { return }
    await record([DecoderFailure.key(of: source.digest, configuration): DecoderFailure(error)])
  }

  /// The failure that an earlier run recorded of a source's bytes.
  func failure(of source: StoredSource, _ configuration: BatchConfiguration) async -> JobError? {
    var error = await failures([DecoderFailure.key(of: source.digest, configuration)]).values.first?.error
    error?.source = source.displayText
    return error
  }

  private func failures(_ keys: [ContentDigest]) async -> [ContentDigest: DecoderFailure] {
    let found: Result<[ContentDigest: DecoderFailure], JobError> = await rows(keys)
    guard case .success(let failures) = found else { return [:] }
    return failures
  }

  // MARK: Headers

  /// Records what a source's header says, by its content.
  func record(_ facts: SourceFacts, of content: ContentDigest) async { await record([content: facts]) }

  /// What a source's header said when it was last decoded.
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
