import Curl
import Glibc
import ImageCaches
import SystemIO

/// The last stage of a request: the body goes into the disk store, the head into the HTTP cache. Functions block,
/// except for ``commit(_:)``.
struct ResponseStore: Sendable {
  /// A response to store. The entry is nil if the HTTP cache doesn't store it.
  enum StoreRequest: Sendable {
    case body(any StagedFile, ContentDigest, ResponseTable.Entry?)
    /// The store already has the body.
    case row(ResponseTable.Entry?, of: StoredObject)
  }

  let store: DiskStore

  /// Prepares a response for ``commit(_:)``.
  func prepare(
    _ outcome: TransferOutcome, head: ResponseHead, digest: ContentDigest
  ) throws(CacheError) -> StoreRequest {
    let entry = isFramed(head) ? cacheEntry(outcome, head: head, digest: digest) : nil
    let stored = try store.object(digest)
    outcome.body.file?.removeMetadata()
    if let stored { return .row(entry, of: stored) }
    if let file = outcome.body.file { return .body(file.file, digest, entry) }
    return .body(try closedFile(of: outcome.body.held), digest, entry)
  }

  /// Writes a body that was held in memory to a file. The file is closed, because many may wait for one commit.
  private func closedFile(of bytes: [UInt8]) throws(CacheError) -> TemporaryPath {
    let path = try store.makeTemporaryPath()
    guard let file = try FileDescriptor.open(path.path, O_WRONLY | O_CREAT | O_EXCL) else {
      throw .file("create", path.path, errno: ENOENT)
    }
    try file.write(bytes, path: path.path)
    return path
  }

  /// Stores the body and the row in one transaction, which other responses share.
  func commit(_ request: StoreRequest) async throws(CacheError) -> StoredObject {
    let result: Result<StoredObject, CacheError> = await withCheckedContinuation { continuation in
      switch request {
      case .body(let file, let digest, let entry):
        store.insertGathered(file, digest: digest) { database in
          if let entry { try ResponseTable.write(entry, in: database) }
        } completion: {
          continuation.resume(returning: $0)
        }
      case .row(let entry?, let object):
        store.writeGathered {
          try ResponseTable.write(entry, in: $0)
        } completion: { written in
          continuation.resume(returning: written.map { object })
        }
      case .row(nil, let object): continuation.resume(returning: .success(object))
      }
    }
    return try result.get()
  }

  /// The response to cache once a decoder has read its body to its end; nil if its length was announced, or if it may not
  /// be stored.
  func unconfirmed(
    _ outcome: TransferOutcome, head: ResponseHead, digest: ContentDigest
  ) -> UnconfirmedResponse? {
    guard outcome.state.key.wantsImage, !isFramed(head),
      let entry = cacheEntry(outcome, head: head, digest: digest)
    else { return nil }
    return UnconfirmedResponse(entry, in: store)
  }

  /// The HTTP cache's row for a response; nil if the response may not be stored.
  private func cacheEntry(
    _ outcome: TransferOutcome, head: ResponseHead, digest: ContentDigest
  ) -> ResponseTable.Entry? {
    guard let key = outcome.state.cacheKey, outcome.state.key.cacheMode != .none,
      StoredResponse.mayStore(status: head.status, fields: head.fields, request: outcome.sent),
      var response = StoredResponse(
        head: head, request: outcome.sent, requestTime: outcome.requestTime,
        responseTime: outcome.responseTime, digest: digest, salt: outcome.state.salt),
      !hasCredential(head, outcome)
    else { return nil }
    response.isPrivate = outcome.state.isPrivate
    return ResponseTable.entry(response, for: key, url: outcome.state.url.displayText)
  }

  /// Whether a redirect's target has a user name or a password, which no cache file may hold.
  private func hasCredential(_ head: ResponseHead, _ outcome: TransferOutcome) -> Bool {
    head.fields.first("Location").flatMap(outcome.state.url.resolving)?.credential != nil
  }

  /// Whether the body's length was announced. Otherwise only the end of the connection marks the end of the body, which
  /// may be truncated.
  private func isFramed(_ head: ResponseHead) -> Bool {
    guard head.version.hasPrefix("1"), head.status != 204 else { return true }
    return head.fields.first("Content-Length") != nil || head.fields.first("Transfer-Encoding") != nil
  }

  /// Updates a stored response from the 304 that confirms it.
  /// - Returns: The refreshed response; nil if its body is no longer stored.
  func refresh(_ stored: StoredResponse, by outcome: TransferOutcome) throws(CacheError) -> Response? {
    guard let head = outcome.head, let key = outcome.state.cacheKey,
      let object = try store.object(stored.digest)
    else { return nil }
    var updated = stored
    updated.update(with: head, requestTime: outcome.requestTime, responseTime: outcome.responseTime)
    try ResponseTable(store: store).store(updated, for: key, url: outcome.state.url.displayText)
    return Response(updated, object, at: SystemTime.now, for: outcome.state, .revalidated)
  }

  // MARK: Partial bodies

  /// The partial body to resume in the next attempt.
  func partialBody(after outcome: TransferOutcome) throws(CacheError) -> PartialBody? {
    let body = outcome.body
    guard let validator = body.validator, body.byteCount > 0 else {
      // An earlier attempt's partial body still exists, unless this attempt has overwritten it.
      return body.file == nil ? outcome.state.partial : nil
    }
    let file: PartialFile
    if let known = body.file {
      file = known
    } else {
      file = PartialFile(try store.makeTemporaryFile())
      try file.write(body.held)
    }
    return PartialBody(
      file: file, validator: validator, total: body.expected, received: body.byteCount, hasher: body.hasher)
  }

  /// Removes a partial body, so that no run resumes it.
  func discardPartialBody(of outcome: TransferOutcome) {
    outcome.body.file?.removeMetadata()
    if let key = outcome.state.cacheKey { store.removePartial(key) }
  }
}
