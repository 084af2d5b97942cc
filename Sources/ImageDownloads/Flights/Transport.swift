import Curl
import ImageCaches
import Synchronization

/// The steps of a journey: what is stored, one transfer, what becomes of its answer. It knows nothing of queues and waiters.
struct Transport: Sendable {
  /// What comes after a step.
  enum Step: Sendable {
    /// The journey has ended.
    case done(Result<Answer, DownloadError>)
    /// A transfer is needed.
    case transfer(Journey)
    /// A transfer is needed after so many seconds.
    case retry(Journey, after: Double, because: DownloadError, hostPause: Double?)
    /// The journey goes on elsewhere.
    case redirect(Journey)
    /// The stored answer is good enough, and is validated afterwards.
    case doneForNow(Answer, validate: Journey)
  }

  let configuration: ImageDownloader.Configuration
  let store: DiskStore
  let work: BlockingWork
  let meter: DownloadMeter
  private let table: ResponseTable
  private let salt: CredentialSalt
  private let validation: ResponseValidation
  private let retryPolicy: RetryPolicy

  init(
    configuration: ImageDownloader.Configuration, store: DiskStore, work: BlockingWork, meter: DownloadMeter
  ) {
    self.configuration = configuration
    self.store = store
    self.work = work
    self.meter = meter
    table = ResponseTable(store: store)
    salt = CredentialSalt(store: store)
    validation = ResponseValidation(acceptableContentTypes: configuration.acceptableContentTypes)
    retryPolicy = RetryPolicy(
      retries: configuration.retries, base: configuration.retryWait, cap: configuration.longestRetryWait)
  }

  // MARK: What is stored

  /// The first step of every hop: the policy by name, then the cache.
  func lookUp(_ journey: Journey) async -> Step {
    let name = journey.order.displayText
    if let refusal = configuration.addressPolicy.refusal(ofHost: journey.address.host) {
      return .done(.failure(DownloadError(.notAllowed, refusal, source: name)))
    }
    guard journey.order.cacheMode != .none else { return .transfer(journey) }
    do throws(CacheError) {
      return try await work.run { () throws(CacheError) in try consult(journey) }
    } catch {
      return .done(.failure(DownloadError(error, source: name)))
    }
  }

  private func consult(_ journey: Journey) throws(CacheError) -> Step {
    let outgoing = OutgoingRequest(journey, configuration: configuration)
    let key = outgoing.key(journey.address, salt: try salt.value())
    let stored = try table.responses(for: key)
    let now = Clock.now
    var candidates = stored
    while true {
      let decision = CacheDecision(
        request: outgoing.fields, candidates: candidates, mode: journey.order.cacheMode, now: now)
      switch decision {
      case .fetch: return .transfer(try resumable(journey, key: key))
      case .unavailable:
        let message = "nothing is stored for it, and --offline asks nobody; run once without --offline"
        return .done(.failure(DownloadError(.notCached, message, source: journey.order.displayText)))
      case .serve(let response), .serveStale(let response), .validate(let response):
        guard let object = try store.object(response.digest) else {
          // Its bytes are gone or were damaged: the answer is as good as never had.
          candidates.removeAll { $0 == response }
          continue
        }
        return use(response, object, decision, journey, now: now)
      }
    }
  }

  private func use(
    _ response: StoredResponse, _ object: StoredObject, _ decision: CacheDecision, _ journey: Journey,
    now: Double
  ) -> Step {
    var validating = journey
    validating.validating = response
    switch decision {
    case .serve:
      meter.count(.hits)
      return conclude(journey, head: response.servedHead(at: now), object, .hit)
    case .serveStale:
      meter.count(.stale)
      let step = conclude(journey, head: response.servedHead(at: now), object, .stale)
      guard case .done(.success(let answer)) = step else { return step }
      return .doneForNow(answer, validate: validating)
    default: return .transfer(validating)
    }
  }

  /// Adds what an interrupted earlier run has of the body.
  private func resumable(_ journey: Journey, key: ContentDigest) throws(CacheError) -> Journey {
    guard journey.partial == nil, !store.isReadOnly,
      journey.order.wantsImage || journey.order.followsRedirects
    else {
      return journey
    }
    var journey = journey
    journey.partial = try store.interruptedBody(key, url: journey.address.description)
    return journey
  }

  // MARK: One transfer

  /// Sends one request and says what comes next.
  func transfer(
    _ journey: Journey, engine: TransferEngine, progress: @escaping @Sendable (Int, Int?) -> Void
  ) async -> Attempt {
    let outgoing = OutgoingRequest(journey, configuration: configuration)
    let name = journey.order.displayText
    let key: ContentDigest
    do throws(CacheError) {
      // Known since the lookup, unless the cache is bypassed.
      key = outgoing.key(journey.address, salt: try salt.value())
    } catch {
      return Attempt(journey: journey, key: nil, error: DownloadError(error, source: name))
    }
    var fields = outgoing.fields
    if let stored = journey.validating, !fields.contains(where: { $0.name.lowercased().hasPrefix("if-") }) {
      fields += stored.conditionals
    } else if let partial = journey.partial, fields.first("Range") == nil {
      fields += partial.fields
    }
    let sink = BodySink(
      BodySink.Plan(
        source: name, url: journey.address.description,
        validation: journey.order.wantsImage ? validation : nil,
        partial: journey.validating == nil ? journey.partial : nil,
        makeFile: { [store] isWorthKeeping throws(CacheError) in
          try store.makePartialFile(key, isWorthKeeping: isWorthKeeping)
        }, progress: progress))
    var attempt = Attempt(journey: journey, key: key, sent: fields, requestTime: Clock.now)
    let options = options(journey, fields: fields, credential: outgoing.credential)
    do throws(CurlError) {
      var result = try await engine.perform(options, into: sink)
      if let digest = digestOptions(options, result, journey) {
        meter.add(requests: result.requests)
        result = try await engine.perform(digest, into: sink)
      }
      meter.add(requests: result.requests)
      attempt.result = result
    } catch {
      meter.add(requests: error.requests)
      attempt.curlError = error
      attempt.error = DownloadError(
        error, source: name, policy: configuration.addressPolicy, configuration: configuration)
    }
    attempt.responseTime = Clock.now
    attempt.body = sink.finish()
    return attempt
  }

  private func options(
    _ journey: Journey, fields: [HeaderField], credential: OriginSettings.Credential?
  ) -> TransferOptions {
    var options = TransferOptions(url: journey.address.description)
    options.fields = fields
    options.connectTimeout = configuration.connectTimeout
    options.stallTimeout = configuration.stallTimeout
    options.timeout = configuration.timeout
    options.byteLimit = configuration.byteLimit - (journey.partial?.received ?? 0)
    options.proxy = configuration.proxies?.proxy(for: journey.address)
    options.certificateAuthorities = configuration.certificateAuthorities
    options.acceptsAnyCertificate = configuration.acceptsAnyCertificate
    options.allowsHTTP2 = configuration.allowsHTTP2 && !meter.hasBrokenHTTP2(journey.address.host)
    options.needsFreshConnection = journey.needsFreshConnection
    options.credential = credential.map {
      .init(
        user: $0.user, password: $0.password,
        scheme: meter.wantsDigest(journey.address.origin) ? .digest : .basic)
    }
    let host = journey.address.host
    options.allowsAddress = { [policy = configuration.addressPolicy] in policy.allows($0, for: host) }
    return options
  }

  /// The request again with Digest, if that is what the origin asks for and Basic is what it got.
  private func digestOptions(
    _ options: TransferOptions, _ result: TransferResult, _ journey: Journey
  ) -> TransferOptions? {
    guard result.head.status == 401, options.credential?.scheme == .basic,
      result.head.fields.values(of: "WWW-Authenticate").contains(where: { $0.lowercased().contains("digest") }
      )
    else { return nil }
    meter.noteDigest(journey.address.origin)
    var options = options
    options.credential?.scheme = .digest
    return options
  }

  // MARK: The answer

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
    if RetryPolicy.isTransient(status: head.status), !isMeantToLast(attempt, head) {
      if let step = try passing(attempt, head) { return step }
    }
    return try received(attempt, result, key)
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
  private func conclude(
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

/// What one transfer has brought.
struct Attempt: Sendable {
  var journey: Journey
  var key: ContentDigest?
  var sent: [HeaderField] = []
  var requestTime = 0.0
  var responseTime = 0.0
  var result: TransferResult?
  var body = BodySink.Body()
  var error: DownloadError?
  var curlError: CurlError?

  init(journey: Journey, key: ContentDigest?, sent: [HeaderField] = [], requestTime: Double = 0) {
    self.journey = journey
    self.key = key
    self.sent = sent
    self.requestTime = requestTime
  }

  init(journey: Journey, key: ContentDigest?, error: DownloadError) {
    self.init(journey: journey, key: key)
    self.error = error
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
