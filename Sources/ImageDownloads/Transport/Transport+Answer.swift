import Curl
import GRDB
import Glibc
import ImageCaches

extension Transport {
  /// What is to be done about an attempt.
  private enum Settlement: Sendable {
    case step(Step)
    /// The answer is stored, and then comes what `next` says.
    case keep(Keeping, next: @Sendable (StoredObject) -> Step)
  }

  /// An answer on its way into the store.
  private struct Keeping: Sendable {
    /// Where the bytes are.
    enum Body: Sendable {
      /// In the store already.
      case stored(StoredObject)
      case file(any StagedFile)
    }

    let body: Body
    let digest: ContentDigest
    /// What the HTTP cache keeps; nil where it keeps nothing.
    let entry: ResponseTable.Entry?
  }

  /// What comes after an attempt.
  func evaluate(_ attempt: TransferOutcome) async -> Step {
    let outcome: Result<Step, CacheError> = await withCheckedContinuation { continuation in
      work.start {
        do throws(CacheError) {
          switch try settle(attempt) {
          case .step(let step): continuation.resume(returning: .success(step))
          case .keep(let keeping, let next):
            keep(keeping) { stored in continuation.resume(returning: stored.map(next)) }
          }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    switch outcome {
    case .success(let step): return step
    case .failure(let error):
      return .done(.failure(DownloadError(error, source: attempt.state.key.displayText)))
    }
  }

  private func settle(_ attempt: TransferOutcome) throws(CacheError) -> Settlement {
    let state = attempt.state
    if attempt.body.mustRestart { return .step(restart(attempt)) }
    if let failure = attempt.body.failure { return .step(.done(.failure(failure))) }
    if let head = attempt.body.abandonedError { return .step(try abandoned(attempt, head)) }
    guard var result = attempt.result, let key = attempt.key else { return .step(try failed(attempt)) }
    if attempt.body.isResumed {
      // The rest's head speaks of a part; what there is now is the whole.
      result.head.status = 200
      result.head.reason = "OK"
      result.head.fields.remove("Content-Range")
      result.head.fields.set("Content-Length", String(attempt.body.byteCount))
    }
    let head = result.head
    if head.status == 304, let stored = state.validating {
      return .step(try confirmed(stored, by: head, attempt, key))
    }
    let digest = ContentDigest(attempt.body.hasher.finalize())
    if let next = redirect(attempt, result) {
      return .keep(try keeping(attempt, result, key, digest)) { _ in next }
    }
    if mayPass(head, attempt.body), !isMeantToLast(attempt, head), let step = try passing(attempt, head) {
      return .step(step)
    }
    if let failure = refusal(attempt, head, digest) { return .step(.done(.failure(failure))) }
    return .keep(try keeping(attempt, result, key, digest)) { [result] object in
      var head = head
      head.fields = HopByHop.removed(from: head.fields)
      let step = conclude(state, head: head, object, .downloaded)
      // An error's page is no download of an image.
      if case .done(.success) = step {
        meter.count(.downloads)
        meter.add(bytes: result.byteCount)
      }
      return step
    }
  }

  /// What comes after an error response whose body was too long to be read: the same as if it were short.
  private func abandoned(_ attempt: TransferOutcome, _ head: ResponseHead) throws(CacheError) -> Step {
    if mayPass(head, attempt.body), let step = try passing(attempt, head) { return step }
    let name = attempt.state.key.displayText
    guard let failure = validation.failure(of: head, source: name) else {
      return .done(.failure(.cancelled(name)))
    }
    return .done(.failure(failure))
  }

  private func mayPass(_ head: ResponseHead, _ body: BodySink.Body) -> Bool {
    RetryPolicy.isTransient(status: head.status)
      || head.status == 400 && RetryPolicy.isTransient(badRequest: body.prefix)
  }

  /// Whether the origin says that a failure is good for a while: then it is an answer like any other.
  private func isMeantToLast(_ attempt: TransferOutcome, _ head: ResponseHead) -> Bool {
    guard !attempt.state.key.wantsImage else { return false }
    let control = CacheControl(head.fields)
    return head.fields.first("Expires") != nil || (control.seconds("max-age") ?? 0) > 0
  }

  private func restart(_ attempt: TransferOutcome) -> Step {
    var state = attempt.state
    state.partial = nil
    if let key = attempt.key { store.removePartial(key) }
    return .transfer(state)
  }

  /// Why a whole answer is neither used nor stored; nil where it is.
  private func refusal(_ attempt: TransferOutcome, _ head: ResponseHead, _ digest: ContentDigest)
    -> DownloadError?
  {
    let order = attempt.state.key
    guard order.wantsImage, (200..<300).contains(head.status) else { return nil }
    if head.status == 206 {
      let message = "the server sent a part of the picture, which nobody asked for"
      return DownloadError(.transferFailed, message, source: order.displayText)
    }
    if attempt.body.byteCount == 0 { return validation.emptyBody(head, source: order.displayText) }
    guard let pinned = order.pinnedDigest, pinned != digest else { return nil }
    attempt.body.file?.forgetNote()
    if let key = attempt.key { store.removePartial(key) }
    return .mismatch(digest, pinned: pinned, source: order.displayText)
  }

  private func keeping(
    _ attempt: TransferOutcome, _ result: TransferResult, _ key: ContentDigest, _ digest: ContentDigest
  ) throws(CacheError) -> Keeping {
    let entry = cacheEntry(attempt, result, key, digest)
    let body: Keeping.Body
    if let stored = try store.object(digest) {
      body = .stored(stored)
    } else if let file = attempt.body.file {
      body = .file(file.file)
    } else {
      body = .file(try closedFile(of: attempt.body.held))
    }
    attempt.body.file?.forgetNote()
    return Keeping(body: body, digest: digest, entry: entry)
  }

  /// A file with a body that was held in memory. It is closed: it waits for a commit that many share.
  private func closedFile(of bytes: [UInt8]) throws(CacheError) -> TemporaryPath {
    let path = try store.makeTemporaryPath()
    guard let file = try FileDescriptor.open(path.path, O_WRONLY | O_CREAT | O_EXCL) else {
      throw .file("create", path.path, errno: ENOENT)
    }
    try file.write(bytes, path: path.path)
    return path
  }

  /// The file that a body is in; made here for one that was held in memory.
  func file(of body: BodySink.Body) throws(CacheError) -> PartialFile {
    if let file = body.file { return file }
    let file = PartialFile(try store.makeTemporaryFile())
    try file.write(body.held)
    return file
  }

  /// Takes the body into the store, and the answer into the HTTP cache.
  private func keep(
    _ keeping: Keeping, completion: @escaping @Sendable (Result<StoredObject, CacheError>) -> Void
  ) {
    let writeEntry: @Sendable (Database) throws -> Void = { database in
      if let entry = keeping.entry { try ResponseTable.write(entry, in: database) }
    }
    switch keeping.body {
    case .file(let file):
      store.insertGathered(file, digest: keeping.digest, alongside: writeEntry, completion: completion)
    case .stored(let object) where keeping.entry == nil: completion(.success(object))
    case .stored(let object): store.writeGathered(writeEntry) { completion($0.map { object }) }
    }
  }

  /// What the HTTP cache keeps of an answer; nil where it keeps nothing.
  private func cacheEntry(
    _ attempt: TransferOutcome, _ result: TransferResult, _ key: ContentDigest, _ digest: ContentDigest
  ) -> ResponseTable.Entry? {
    let head = result.head
    guard attempt.state.key.cacheMode != .none, isFramed(result, attempt),
      StoredResponse.mayStore(status: head.status, fields: head.fields, request: attempt.sent),
      let response = StoredResponse(
        head: head, request: attempt.sent, requestTime: attempt.requestTime,
        responseTime: attempt.responseTime,
        digest: digest)
    else { return nil }
    return ResponseTable.entry(response, for: key, url: attempt.state.url.displayText)
  }

  /// Whether the body's end was told by more than the end of the connection: an image whose end may be missing is never kept as a whole one.
  private func isFramed(_ result: TransferResult, _ attempt: TransferOutcome) -> Bool {
    guard attempt.state.key.wantsImage, result.head.version.hasPrefix("1") else { return true }
    return result.head.fields.first("Content-Length") != nil
      || result.head.fields.first("Transfer-Encoding") != nil
  }

  private func confirmed(
    _ stored: StoredResponse, by head: ResponseHead, _ attempt: TransferOutcome, _ key: ContentDigest
  ) throws(CacheError) -> Step {
    guard stored.isConfirmed(by: head), let object = try store.object(stored.digest) else {
      // It speaks of something else, or the bytes have gone meanwhile: ask for them.
      var state = attempt.state
      state.validating = nil
      return .transfer(state)
    }
    meter.count(.revalidated)
    var updated = stored
    updated.update(with: head, requestTime: attempt.requestTime, responseTime: attempt.responseTime)
    try table.store(updated, for: key, url: attempt.state.url.displayText)
    return conclude(attempt.state, head: updated.servedHead(at: Clock.now), object, .revalidated)
  }

  /// The end of a hop with an answer that may be a redirect, a failure, or what was wanted.
  func conclude(
    _ state: RequestState, head: ResponseHead, _ object: StoredObject, _ disposition: StoredSource.Disposition
  ) -> Step {
    let name = state.key.displayText
    if state.key.followsRedirects, Self.isRedirect(head.status),
      let location = head.fields.first("Location")
    {
      return follow(location, from: state)
    }
    if state.key.wantsImage {
      if let failure = validation.failure(of: head, source: name) { return .done(.failure(failure)) }
      if let pinned = state.key.pinnedDigest, pinned != object.digest {
        // What is stored may be older than the pin: the origin is asked once.
        guard disposition == .hit || disposition == .stale else {
          return .done(.failure(.mismatch(object.digest, pinned: pinned, source: name)))
        }
        return .transfer(state)
      }
    }
    return .done(.success(Response(object, head: head, url: state.url, disposition)))
  }
}

extension DownloadError {
  static func mismatch(_ digest: ContentDigest, pinned: ContentDigest, source: String) -> DownloadError {
    var error = DownloadError(
      .digestMismatch,
      "the bytes are not the pinned ones: their SHA-256 is \(digest), not \(pinned); check the source, then its pin",
      source: source)
    error.foundDigest = digest
    return error
  }
}
