import Curl
import Glibc
import ImageCaches
import SystemIO

/// The last stage of a request: its body goes into the disk store, its head into the HTTP cache.
/// Functions block, except for ``commit(_:)``.
struct ResponseStore: Sendable {
  /// A response on its way into the store, with its row in the HTTP cache; nil if that keeps nothing.
  enum StoreRequest: Sendable {
    case body(any StagedFile, ContentDigest, ResponseTable.Entry?)
    /// The body is in the store already.
    case row(ResponseTable.Entry?, of: StoredObject)
  }

  let store: DiskStore

  /// Makes a response ready to be committed.
  func prepare(
    _ outcome: TransferOutcome, head: ResponseHead, digest: ContentDigest
  ) throws(CacheError) -> StoreRequest {
    let entry = cacheEntry(outcome, head: head, digest: digest)
    let stored = try store.object(digest)
    outcome.body.file?.removeMetadata()
    if let stored { return .row(entry, of: stored) }
    if let file = outcome.body.file { return .body(file.file, digest, entry) }
    return .body(try closedFile(of: outcome.body.held), digest, entry)
  }

  /// A file with a body that was held in memory. It is closed, because many of them wait for one commit.
  private func closedFile(of bytes: [UInt8]) throws(CacheError) -> TemporaryPath {
    let path = try store.makeTemporaryPath()
    guard let file = try FileDescriptor.open(path.path, O_WRONLY | O_CREAT | O_EXCL) else {
      throw .file("create", path.path, errno: ENOENT)
    }
    try file.write(bytes, path: path.path)
    return path
  }

  /// Takes the body and the row into the store in one transaction, together with those of other responses.
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

  /// What the HTTP cache keeps of a response; nil if it keeps nothing.
  private func cacheEntry(
    _ outcome: TransferOutcome, head: ResponseHead, digest: ContentDigest
  ) -> ResponseTable.Entry? {
    guard let key = outcome.state.cacheKey, outcome.state.key.cacheMode != .none, isFramed(head, outcome),
      StoredResponse.mayStore(status: head.status, fields: head.fields, request: outcome.sent),
      let response = StoredResponse(
        head: head, request: outcome.sent, requestTime: outcome.requestTime,
        responseTime: outcome.responseTime, digest: digest)
    else { return nil }
    return ResponseTable.entry(response, for: key, url: outcome.state.url.displayText)
  }

  /// Whether more than the connection's end tells the body's end. Else an image may be cut, and isn't kept.
  private func isFramed(_ head: ResponseHead, _ outcome: TransferOutcome) -> Bool {
    guard outcome.state.key.wantsImage, head.version.hasPrefix("1") else { return true }
    return head.fields.first("Content-Length") != nil || head.fields.first("Transfer-Encoding") != nil
  }

  /// Updates a stored response by the 304 that confirms it.
  /// - Returns: nil if its body has gone.
  func refresh(_ stored: StoredResponse, by outcome: TransferOutcome) throws(CacheError) -> Response? {
    guard let head = outcome.head, let key = outcome.state.cacheKey,
      let object = try store.object(stored.digest)
    else { return nil }
    var updated = stored
    updated.update(with: head, requestTime: outcome.requestTime, responseTime: outcome.responseTime)
    try ResponseTable(store: store).store(updated, for: key, url: outcome.state.url.displayText)
    return Response(
      object, head: updated.servedHead(at: SystemTime.now), url: outcome.state.url, .revalidated)
  }

  // MARK: Partial bodies

  /// What there is of a body whose rest the next attempt may ask for.
  func partialBody(after outcome: TransferOutcome) throws(CacheError) -> PartialBody? {
    let body = outcome.body
    guard let validator = body.validator, body.byteCount > 0 else {
      // What an earlier attempt received is still there, unless this one has overwritten it.
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

  /// Removes what was received, so that no run takes it for the beginning of the body.
  func discardPartialBody(of outcome: TransferOutcome) {
    outcome.body.file?.removeMetadata()
    if let key = outcome.state.cacheKey { store.removePartial(key) }
  }
}
