import ImageCaches
import ImageDownloads

/// What the disk store remembers of renderings: outputs by their keys, headers of sources, and failures.
struct RenderingRecords: Sendable {
  let store: DiskStore
  let threads: BlockingThreads

  /// What earlier runs have stored under the keys.
  func outputs(_ keys: [ContentDigest]) async -> Result<[ContentDigest: StoredOutput], JobError> {
    await threads.run { [store] in
      do throws(CacheError) {
        return .success(try store.storedOutputs(forKeys: keys))
      } catch {
        return .failure(JobError(error))
      }
    }
  }

  // MARK: Failures

  /// Records that rendering `keys` killed a worker, so that it isn't tried again on every run.
  func record(_ failures: [ContentDigest: JobError], limits: String) async {
    await record(
      Dictionary(
        uniqueKeysWithValues: failures.map { key, error in
          let key = Self.failureKey(key, limits)
          return (key, StoredOutput(error, key: key))
        }))
  }

  /// The failures that killed a worker in earlier runs under the same limits, by output key.
  func deaths(of keys: [ContentDigest], limits: String) async -> [ContentDigest: JobError] {
    let failureKeys = keys.map { Self.failureKey($0, limits) }
    guard case .success(let found) = await outputs(failureKeys), !found.isEmpty else { return [:] }
    var deaths: [ContentDigest: JobError] = [:]
    for (key, failureKey) in zip(keys, failureKeys) {
      guard var error = found[failureKey].flatMap(JobError.init) else { continue }
      error.message += "; that was in an earlier run, and --force tries again"
      deaths[key] = error
    }
    return deaths
  }

  /// Records that a source's bytes can't be decoded, so that plans and later runs go on to its alternative at once.
  /// Faults of the bytes themselves are recorded, and not those of a limit or of another process.
  func record(_ error: JobError, of source: StoredSource, _ configuration: BatchConfiguration) async {
    guard JobError.faultsOfContent.contains(error.code) else { return }
    let key = Self.sourceFailureKey(source.digest, configuration)
    await record([key: StoredOutput(error, key: key)])
  }

  /// The failure that an earlier run recorded of a source's bytes.
  func failure(of source: StoredSource, _ configuration: BatchConfiguration) async -> JobError? {
    let key = Self.sourceFailureKey(source.digest, configuration)
    guard case .success(let found) = await outputs([key]), var error = found[key].flatMap(JobError.init)
    else { return nil }
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

  // MARK: Headers

  /// Records what a source's header says, by its content.
  func record(_ facts: SourceFacts, of content: ContentDigest) async {
    await record([Self.factsKey(content): StoredOutput(facts, of: content)])
  }

  /// What a source's header said when it was last decoded.
  func facts(of content: ContentDigest) async -> SourceFacts? {
    guard case .success(let found) = await outputs([Self.factsKey(content)]) else { return nil }
    return found.values.first.flatMap(SourceFacts.init)
  }

  static func factsKey(_ content: ContentDigest) -> ContentDigest {
    var key = KeyBuilder("source-facts")
    key.append(content.hex)
    return key.digest
  }

  private func record(_ records: [ContentDigest: StoredOutput]) async {
    guard !records.isEmpty else { return }
    await threads.run { [store] in
      do throws(CacheError) { try store.recordOutputs(records) } catch { store.noteRepair(error.message) }
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

extension JobError {
  /// What the index has remembered of a failure to decode.
  fileprivate init?(_ stored: StoredOutput) {
    let words = stored.extra.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return nil }
    self.init(code: String(words[0]), stage: .decode, message: String(words[1]))
  }
}

extension StoredOutput {
  /// A header, to be remembered.
  fileprivate init(_ facts: SourceFacts, of content: ContentDigest) {
    self.init(
      digest: content, width: facts.width, height: facts.height, frames: facts.frames, bytes: 0,
      extra: "\(facts.format) \(facts.orientation) \(facts.hasAlpha ? "alpha" : "opaque")")
  }

  /// A failure, to be remembered.
  fileprivate init(_ error: JobError, key: ContentDigest) {
    self.init(digest: key, width: 0, height: 0, bytes: 0, extra: "\(error.code) \(error.message)")
  }

  init(_ image: RenderedFile, seconds: Double) {
    self.init(
      digest: image.digest, width: image.width, height: image.height, frames: image.frames,
      bytes: image.bytes, seconds: seconds, extra: RememberedOutput(image).text)
  }
}
