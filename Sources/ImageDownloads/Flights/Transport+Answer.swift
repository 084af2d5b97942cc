import Curl
import ImageCaches

extension Transport {
  /// What comes after an attempt.
  func evaluate(_ attempt: Attempt) async -> Step {
    do throws(CacheError) {
      return try await work.run { () throws(CacheError) in try settle(attempt) }
    } catch {
      return .done(.failure(DownloadError(error, source: attempt.journey.order.displayText)))
    }
  }

  private func settle(_ attempt: Attempt) throws(CacheError) -> Step {
    let journey = attempt.journey
    if attempt.body.mustRestart { return restart(attempt) }
    if let failure = attempt.body.failure { return .done(.failure(failure)) }
    guard var result = attempt.result, let key = attempt.key else { return try failed(attempt) }
    meter.add(bytes: result.byteCount)
    if attempt.body.isResumed {
      // The rest's head speaks of a part; what there is now is the whole.
      result.head.status = 200
      result.head.reason = "OK"
      result.head.fields.remove("Content-Range")
      result.head.fields.set("Content-Length", String(attempt.body.byteCount))
    }
    let head = result.head
    if head.status == 304, let stored = journey.validating {
      return try confirmed(stored, by: head, attempt, key)
    }
    if let next = redirect(attempt, result) {
      try keep(attempt, result, key)
      return next
    }
    if mayPass(head, attempt.body), !isMeantToLast(attempt, head) {
      if let step = try passing(attempt, head) { return step }
    }
    return try received(attempt, result, key)
  }

  private func mayPass(_ head: ResponseHead, _ body: BodySink.Body) -> Bool {
    RetryPolicy.isTransient(status: head.status)
      || head.status == 400 && RetryPolicy.isTransient(badRequest: body.prefix)
  }

  /// Whether the origin says that a failure is good for a while: then it is an answer like any other.
  private func isMeantToLast(_ attempt: Attempt, _ head: ResponseHead) -> Bool {
    guard !attempt.journey.order.wantsImage else { return false }
    let control = CacheControl(head.fields)
    return head.fields.first("Expires") != nil || (control.seconds("max-age") ?? 0) > 0
  }

  private func restart(_ attempt: Attempt) -> Step {
    var journey = attempt.journey
    journey.partial = nil
    if let key = attempt.key { store.removePartial(key) }
    return .transfer(journey)
  }

  private func received(_ attempt: Attempt, _ result: TransferResult, _ key: ContentDigest) throws(CacheError)
    -> Step
  {
    let journey = attempt.journey
    let name = journey.order.displayText
    let digest = ContentDigest(attempt.body.hasher.finalize())
    if journey.order.wantsImage {
      if result.head.status == 206 {
        let message = "the server sent a part of the picture, which nobody asked for"
        return .done(.failure(DownloadError(.transferFailed, message, source: name)))
      }
      if (200..<300).contains(result.head.status), attempt.body.byteCount == 0 {
        return .done(.failure(validation.emptyBody(result.head, source: name)))
      }
      if let pinned = journey.order.pinnedDigest, pinned != digest, (200..<300).contains(result.head.status) {
        attempt.body.file?.forgetNote()
        if let key = attempt.key { store.removePartial(key) }
        return .done(.failure(.mismatch(digest, pinned: pinned, source: name)))
      }
    }
    guard let object = try keep(attempt, result, key) else {
      return .done(.failure(validation.emptyBody(result.head, source: name)))
    }
    meter.count(.downloads)
    var head = result.head
    head.fields = HopByHop.removed(from: head.fields)
    return conclude(journey, head: head, object, .downloaded)
  }

  /// Takes the body into the store, and the answer into the HTTP cache.
  @discardableResult
  private func keep(
    _ attempt: Attempt, _ result: TransferResult, _ key: ContentDigest
  ) throws(CacheError) -> StoredObject? {
    let digest = ContentDigest(attempt.body.hasher.finalize())
    let file: PartialFile
    if let written = attempt.body.file {
      file = written
    } else {
      file = PartialFile(try store.makeTemporaryFile())
    }
    let entry = try cacheEntry(attempt, result, key, digest)
    let object = try store.insert(file.file, digest: digest) { database in
      if let entry { try ResponseTable.write(entry, in: database) }
    }
    file.forgetNote()
    return object
  }

  /// What the HTTP cache keeps of an answer; nil where it keeps nothing.
  private func cacheEntry(
    _ attempt: Attempt, _ result: TransferResult, _ key: ContentDigest, _ digest: ContentDigest
  ) throws(CacheError) -> ResponseTable.Entry? {
    let head = result.head
    guard attempt.journey.order.cacheMode != .none, isFramed(result, attempt),
      StoredResponse.mayStore(status: head.status, fields: head.fields, request: attempt.sent),
      let response = StoredResponse(
        head: head, request: attempt.sent, requestTime: attempt.requestTime,
        responseTime: attempt.responseTime,
        digest: digest)
    else { return nil }
    return try table.entry(response, for: key, url: attempt.journey.address.displayText)
  }

  /// Whether the body's end was told by more than the end of the connection: an image whose end may be missing is never kept as a whole one.
  private func isFramed(_ result: TransferResult, _ attempt: Attempt) -> Bool {
    guard attempt.journey.order.wantsImage, result.head.version.hasPrefix("1") else { return true }
    return result.head.fields.first("Content-Length") != nil
      || result.head.fields.first("Transfer-Encoding") != nil
  }

  private func confirmed(
    _ stored: StoredResponse, by head: ResponseHead, _ attempt: Attempt, _ key: ContentDigest
  ) throws(CacheError) -> Step {
    guard stored.isConfirmed(by: head), let object = try store.object(stored.digest) else {
      // It speaks of something else, or the bytes have gone meanwhile: ask for them.
      var journey = attempt.journey
      journey.validating = nil
      return .transfer(journey)
    }
    meter.count(.revalidated)
    var updated = stored
    updated.update(with: head, requestTime: attempt.requestTime, responseTime: attempt.responseTime)
    try table.store(updated, for: key, url: attempt.journey.address.displayText)
    return conclude(attempt.journey, head: updated.servedHead(at: Clock.now), object, .revalidated)
  }

  /// The end of a hop with an answer that may be a redirect, a failure, or what was wanted.
  func conclude(
    _ journey: Journey, head: ResponseHead, _ object: StoredObject, _ disposition: StoredSource.Disposition
  ) -> Step {
    let name = journey.order.displayText
    if journey.order.followsRedirects, Self.isRedirect(head.status),
      let location = head.fields.first("Location")
    {
      return follow(location, from: journey)
    }
    if journey.order.wantsImage {
      if let failure = validation.failure(of: head, source: name) { return .done(.failure(failure)) }
      if let pinned = journey.order.pinnedDigest, pinned != object.digest {
        // What is stored may be older than the pin: the origin is asked once.
        guard disposition == .hit || disposition == .stale else {
          return .done(.failure(.mismatch(object.digest, pinned: pinned, source: name)))
        }
        return .transfer(journey)
      }
    }
    return .done(.success(Answer(object, head: head, address: journey.address, disposition)))
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
