import Foundation
import ImageCaches
import ImageDownloads
import ImageRendering
import ObjectStorage
import Synchronization
import SystemIO
import WebValues

/// Inspects the objects at the outputs' addresses, and uploads outputs there. An object is replaced whole or not at all.
struct ObjectPlaces: Sendable {
  /// How outputs are uploaded.
  struct Settings: Sendable {
    /// Fields of each object that is written, such as `Cache-Control`.
    var fields: [HeaderField] = []
    /// Longer outputs are uploaded in parts, in bytes.
    var longestUpload = 64 << 20
    /// The length of a part in bytes. S3 takes at least 5 MiB, and at most 10,000 parts.
    var partLength = 16 << 20
    /// The parts of one upload that are sent at the same time.
    var concurrentParts = 4
    /// Whether outputs are made again even if they are up to date.
    var force = false

    init() {}

    init(_ configuration: BatchConfiguration) {
      fields = configuration.objectFields
      force = configuration.force
    }
  }

  let downloader: ImageDownloader
  let store: DiskStore
  let sources: SourceFiles
  let replacing: ReplacementPolicy
  let settings: Settings
  let prefixes: ObjectPrefixes
  let threads: BlockingThreadPool
  /// Receives problems that fail no output; nil fails the outputs whose objects can't be inspected.
  let warn: (@Sendable (String) async -> Void)?
  private let warned = Once()

  /// Where an output is to be put.
  struct Place: Sendable {
    let address: ObjectAddress
    /// The bucket and the beginning of the keys that the outputs of its template have in common.
    let prefix: ObjectAddress
    /// The output's key.
    let output: ContentDigest
  }

  /// What was found at an address.
  enum Finding: Sendable {
    case inPlace
    /// The policy keeps the object.
    case kept
    /// There is no object.
    case absent
    /// There is an object that may be replaced, or it isn't known whether there is one.
    case replaceable
  }

  /// An object as its server describes it.
  private struct Found {
    var entityTag: String
    var bytes: Int
    /// What the metadata tells of an output: its key and the bytes' digest; nil for objects of other origin.
    var output: ContentDigest?
    var digest: ContentDigest?

    init?(_ answer: ObjectAnswer) {
      guard (200..<300).contains(answer.status) else { return nil }
      entityTag = answer.fields.first("ETag") ?? ""
      bytes = answer.fields.first("Content-Length").flatMap { Int($0) } ?? -1
      output = answer.fields.first(ObjectPlaces.keyField).flatMap { ContentDigest(hex: $0) }
      digest = answer.fields.first(ObjectPlaces.digestField).flatMap { ContentDigest(hex: $0) }
    }

    var record: WrittenObject? {
      guard let output, let digest, !entityTag.isEmpty, bytes >= 0 else { return nil }
      return WrittenObject(entityTag: entityTag, bytes: bytes, digest: digest, output: output)
    }
  }

  static let keyField = "x-amz-meta-imagemill-key"
  static let digestField = "x-amz-meta-imagemill-sha256"

  init(
    downloader: ImageDownloader, store: DiskStore, sources: SourceFiles, replacing: ReplacementPolicy,
    settings: Settings, began: Double, threads: BlockingThreadPool,
    warn: (@Sendable (String) async -> Void)?
  ) {
    self.downloader = downloader
    self.store = store
    self.sources = sources
    self.replacing = replacing
    self.settings = settings
    self.threads = threads
    self.warn = warn
    prefixes = ObjectPrefixes(downloader: downloader, began: began)
  }

  // MARK: Inspecting

  /// Inspects the object at an output's address. If the server doesn't tell, the output is uploaded, with one warning.
  func finding(at place: Place, known: StoredOutput?) async -> Result<Finding, DownloadError> {
    do throws(DownloadError) {
      return .success(try await examine(place, known: known))
    } catch {
      guard let warn, !error.isCancelled, error.code == .httpStatus, !replacing.keepsForeignFiles else {
        return .failure(error)
      }
      if warned.isFirst {
        await warn(
          "\(error.source) can't be inspected, so that outputs are uploaded again: \(error.message)")
      }
      return .success(.replaceable)
    }
  }

  /// Inspects the object at an output's address, without its body.
  /// - Parameter known: The record of an earlier rendering.
  /// - Throws: `DownloadError` if the server doesn't tell.
  private func examine(_ place: Place, known: StoredOutput?) async throws(DownloadError) -> Finding {
    if settings.force, !replacing.keepsForeignFiles, !sources.notesReplaced { return .replaceable }
    let service = try downloader.objectService(for: place.address)
    let key = WrittenObject.key(of: place.address, at: service)
    let record = await record(key)
    if let listing = try await prefixes.listing(of: place.prefix)?.get() {
      if listing.isWhole, !listing.contains(place.address.key) { return .absent }
      if let record, listing.has(record, at: place.address.key) {
        return !settings.force && record.isUpToDate(place.output, known) ? .inPlace : .replaceable
      }
    }
    guard let found = try await find(place.address) else { return .absent }
    let current =
      found.record ?? record.flatMap { $0.entityTag == found.entityTag && $0.bytes == found.bytes ? $0 : nil }
    guard let current else {
      if replacing.keepsForeignFiles { return .kept }
      if sources.notesReplaced { sources.noteReplaced(place.address) }
      return .replaceable
    }
    guard !settings.force, current.isUpToDate(place.output, known) else { return .replaceable }
    await note(current, for: key)
    return .inPlace
  }

  private func find(_ address: ObjectAddress) async throws(DownloadError) -> Found? {
    let service = try downloader.objectService(for: address)
    let request = ObjectRequest("HEAD", service.url(of: address))
    return Found(try await downloader.perform(ObjectOperation(request), on: address, accepting: [404]))
  }

  private func record(_ key: ContentDigest) async -> WrittenObject? {
    guard store.mayHaveRows(of: WrittenObject.self) else { return nil }
    return await threads.run { [store] in
      do throws(CacheError) {
        return try store.rows(of: WrittenObject.self, forKeys: [key])[key]
      } catch {
        store.noteRepair(error)
        return nil
      }
    }
  }

  private func note(_ object: WrittenObject, for key: ContentDigest) async {
    await threads.run { [store] in
      do throws(CacheError) { try store.record([key: object]) } catch { store.noteRepair(error) }
    }
  }

  // MARK: Writing

  /// Uploads a stored object to an output's address, unless the policy keeps what is there.
  func put(_ made: EncodedOutput, at place: Place) async -> Result<OutputResult.Status, JobError> {
    do throws(JobError) {
      // Check again: a stream's later sources weren't known when the address was claimed.
      guard replacing.allowsSources || !sources.contains(place.address.description) else {
        throw .overwritesSource(place.address.description)
      }
      do throws(DownloadError) {
        var upload = ObjectUpload(
          downloader: downloader, settings: settings, threads: threads, address: place.address,
          file: made.object, fields: fields(made, place))
        if replacing.keepsForeignFiles {
          if let found = try await find(place.address) {
            guard found.output != nil else { return .success(.kept) }
            upload.condition = HeaderField("If-Match", found.entityTag)
          } else {
            upload.condition = HeaderField("If-None-Match", "*")
          }
        }
        if let error = await prefixes.clean(place.prefix) {
          await warn?("unfinished uploads below \(place.prefix) can't be aborted: \(error.message)")
        }
        return .success(try await put(made, upload, at: place))
      } catch {
        throw JobError(writing: error)
      }
    } catch {
      return .failure(error)
    }
  }

  private func put(
    _ made: EncodedOutput, _ upload: ObjectUpload, at place: Place
  ) async throws(DownloadError) -> OutputResult.Status {
    let status: OutputResult.Status = made.isNew ? .written : .cached
    let service = try downloader.objectService(for: place.address)
    let key = WrittenObject.key(of: place.address, at: service)
    switch try await upload.send() {
    case .done(let entityTag):
      if let entityTag {
        await note(
          WrittenObject(
            entityTag: entityTag, bytes: made.image.bytes, digest: made.image.digest, output: place.output),
          for: key)
      }
      return status
    case .refused(let error):
      // The answer to an upload that had succeeded may have been lost, and the second attempt met its own object.
      guard let found = try await find(place.address)?.record, found.digest == made.image.digest,
        found.output == place.output
      else {
        if let error { throw error }
        return .kept
      }
      await note(found, for: key)
      return status
    }
  }

  /// The fields that the object keeps.
  private func fields(_ made: EncodedOutput, _ place: Place) -> [HeaderField] {
    var fields: [HeaderField] = []
    if let type = EncoderTable.definition(of: made.image.format)?.mediaType {
      fields.append(HeaderField("Content-Type", type))
    }
    for field in settings.fields { fields.remove(field.name) }
    fields += settings.fields
    fields.set(Self.keyField, place.output.hex)
    fields.set(Self.digestField, made.image.digest.hex)
    return fields
  }

  private final class Once: Sendable {
    private let isSpent = Mutex(false)

    /// True for the first call.
    var isFirst: Bool {
      isSpent.withLock { isSpent in
        defer { isSpent = true }
        return !isSpent
      }
    }
  }
}

extension JobError {
  /// The error of an output that can't be uploaded.
  init(writing error: DownloadError) {
    self.init(error)
    guard code != .cancelled else { return }
    stage = .write
    source = nil
    // What helps a download with this status is no help here: the message says what to do.
    if case .status? = reason { reason = nil }
    message = "can't write \(error.source): \(error.message)"
  }

  /// The error of an output whose object can't be inspected.
  init(inspecting error: DownloadError) {
    self.init(writing: error)
    if code != .cancelled { message = "can't inspect \(error.source): \(error.message)" }
  }
}
