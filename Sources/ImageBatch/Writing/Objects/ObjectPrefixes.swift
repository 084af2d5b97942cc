import ImageDownloads
import ObjectStorage
import Synchronization
import SystemIO

/// What is below the prefixes that a run writes to, each listed at most once, and only if the run has many outputs there.
final class ObjectPrefixes: Sendable {
  /// The objects below a prefix by their keys' hashes: 500,000 of them take some 30 MB.
  struct Listing: Sendable {
    fileprivate struct Entry {
      var entityTag: Int
      var bytes: Int
    }

    fileprivate var entries: [Int: Entry] = [:]
    /// Whether all objects were listed.
    fileprivate(set) var isWhole = false

    /// Whether there is an object with the key. Where none is known in a listing that isn't whole, there may be one.
    func contains(_ key: String) -> Bool { entries[ObjectPrefixes.hash(key)] != nil }

    /// Whether the object is as it was recorded.
    func has(_ object: WrittenObject, at key: String) -> Bool {
      guard let entry = entries[ObjectPrefixes.hash(key)] else { return false }
      return entry.bytes == object.bytes && entry.entityTag == ObjectPrefixes.hash(object.entityTag)
    }
  }

  private struct State {
    /// The number of outputs that were looked at before the listing began, by prefix.
    var outputs: [ObjectAddress: Int] = [:]
    var listings: [ObjectAddress: Task<Result<Listing, DownloadError>, Never>] = [:]
    var cleanings: [ObjectAddress: Task<DownloadError?, Never>] = [:]
  }

  /// A listing of a thousand objects is worth so many requests for single ones.
  static let fewOutputs = 20
  /// The objects that are listed of one prefix. Others are asked for one by one.
  static let longestListing = 500_000

  private let downloader: ImageDownloader
  /// When the run began, in seconds since 1970.
  private let began: Double
  private let state = Mutex(State())

  init(downloader: ImageDownloader, began: Double) {
    self.downloader = downloader
    self.began = began
  }

  // Bytes, not characters: two keys with the same characters may have different bytes.
  fileprivate static func hash(_ text: String) -> Int {
    var hasher = Hasher()
    for byte in text.utf8 { hasher.combine(byte) }
    return hasher.finalize()
  }

  // MARK: Listings

  /// The objects below a prefix; nil while the run has few outputs there.
  func listing(of prefix: ObjectAddress) async -> Result<Listing, DownloadError>? {
    let task = state.withLock { state -> Task<Result<Listing, DownloadError>, Never>? in
      if let task = state.listings[prefix] { return task }
      state.outputs[prefix, default: 0] += 1
      guard state.outputs[prefix] ?? 0 > Self.fewOutputs else { return nil }
      let task = Task { [downloader] in await Self.list(prefix, with: downloader) }
      state.listings[prefix] = task
      return task
    }
    return await task?.value
  }

  private static func list(
    _ prefix: ObjectAddress, with downloader: ImageDownloader
  ) async -> Result<Listing, DownloadError> {
    do throws(DownloadError) {
      let service = try downloader.objectService(for: prefix)
      var listing = Listing()
      var continuation: String?
      repeat {
        let url = service.listingURL(of: prefix, continuation: continuation)
        let answer = try await downloader.perform(ObjectOperation(ObjectRequest("GET", url)), on: prefix)
        let page: ObjectListing
        do throws(ObjectStorageFailure) { page = try ObjectListing(parsing: answer.body) } catch {
          throw DownloadError(.transferFailed, error.message, source: prefix.description)
        }
        for object in page.objects {
          guard let tag = object.entityTag, let bytes = object.byteCount else { continue }
          listing.entries[hash(object.key)] = Listing.Entry(entityTag: hash(tag), bytes: bytes)
        }
        continuation = page.continuation
      } while continuation != nil && listing.entries.count < longestListing
      listing.isWhole = continuation == nil
      return .success(listing)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Unfinished uploads

  /// Aborts the multipart uploads below a prefix that were begun before this run: those of runs that were killed. A run
  /// that is still uploading begins again.
  /// - Returns: The error if that failed; nil for a server without such uploads, or if it isn't allowed.
  func clean(_ prefix: ObjectAddress) async -> DownloadError? {
    let (task, isNew) = state.withLock { state in
      if let task = state.cleanings[prefix] { return (task, false) }
      let task = Task { [downloader, began] in await Self.clean(prefix, began, with: downloader) }
      state.cleanings[prefix] = task
      return (task, true)
    }
    let error = await task.value
    return isNew ? error : nil
  }

  private static func clean(
    _ prefix: ObjectAddress, _ began: Double, with downloader: ImageDownloader
  ) async -> DownloadError? {
    do throws(DownloadError) {
      let service = try downloader.objectService(for: prefix)
      var marker: UnfinishedUploads.Marker?
      repeat {
        let url = service.uploadsURL(below: prefix, after: marker)
        let answer = try await downloader.perform(
          ObjectOperation(ObjectRequest("GET", url)), on: prefix, accepting: Set(400..<600))
        // Not every server has multipart uploads, and not all credentials may list them.
        guard (200..<300).contains(answer.status) else { return nil }
        let page: UnfinishedUploads
        do throws(ObjectStorageFailure) { page = try UnfinishedUploads(parsing: answer.body) } catch {
          return nil
        }
        // By the server's clock.
        let limit = RequestSigner.date((answer.serverTime ?? SystemTime.now) - (SystemTime.now - began))
        for upload in page.uploads where isOlder(upload.initiated, than: limit) {
          // Servers differ in what they take for a prefix.
          guard upload.key.utf8.starts(with: prefix.key.utf8), !upload.id.isEmpty else { continue }
          let address = ObjectAddress(bucket: prefix.bucket, key: upload.key)
          let request = ObjectRequest("DELETE", service.uploadURL(of: address, upload.id))
          // Another process may have aborted it.
          _ = try await downloader.perform(ObjectOperation(request), on: address, accepting: [404])
        }
        marker = page.next
      } while marker != nil
      return nil
    } catch {
      return error.isCancelled ? nil : error
    }
  }

  /// Compares `2026-05-01T09:30:00.000Z` with `20260501T093000Z`, to the second.
  static func isOlder(_ initiated: String, than limit: String) -> Bool {
    let digits = initiated.prefix { $0 != "." && $0 != "Z" }.filter { $0 != "-" && $0 != ":" }
    guard digits.utf8.count == 15 else { return false }
    return digits.utf8.lexicographicallyPrecedes(limit.utf8.prefix(15))
  }
}
