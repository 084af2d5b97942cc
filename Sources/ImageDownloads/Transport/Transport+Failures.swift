import Curl
import ImageCaches

extension Transport {
  /// What comes after a transfer that brought no whole answer.
  func failed(_ attempt: TransferOutcome) throws(CacheError) -> Step {
    let state = attempt.state
    guard let error = attempt.error else { return .done(.failure(.cancelled(state.key.displayText))) }
    var next = state
    if let curlError = attempt.curlError, curlError.reason == .transport {
      if Self.mayBeHTTP2(curlError) { meter.noteHTTP2Failure(state.url.host) }
      // libcurl keeps a connection whose stream has timed out for others.
      next.needsFreshConnection = Self.mayBeHTTP2(curlError)
      next.partial = try remainder(attempt) ?? (attempt.body.file == nil ? state.partial : nil)
    }
    guard error.isTemporary else { return .done(.failure(error)) }
    return try again(next, attempt, error, floor: nil)
  }

  /// Why a transfer didn't bring what was asked for; nil if it did, or leads on to where it is.
  func failure(of attempt: TransferOutcome) -> DownloadError? {
    let name = attempt.state.key.displayText
    if let failure = attempt.body.failure { return failure }
    guard let head = attempt.result?.head ?? attempt.body.abandonedError else { return attempt.error }
    guard attempt.state.key.wantsImage, head.status >= 400 else { return nil }
    return validation.failure(of: head, source: name)
  }

  /// Whether a failure is one of those that hosts with a broken HTTP/2 bring about: in its framing and streams, in the
  /// connection under them, or nothing where an answer should begin.
  private static func mayBeHTTP2(_ error: CurlError) -> Bool {
    if [16, 55, 56, 92].contains(error.curlCode) { return true }
    return [18, 28, 52].contains(error.curlCode) && error.status == nil && error.requests > 0
  }

  /// What comes after an answer that says "not now"; nil where it is to be taken as it is.
  func passing(_ attempt: TransferOutcome, _ head: ResponseHead) throws(CacheError) -> Step? {
    let name = attempt.state.key.displayText
    let asked = head.fields.first("Retry-After").flatMap { RetryPolicy.retryAfter($0, now: Clock.now) }
    guard var error = ResponseValidation(acceptableContentTypes: []).failure(of: head, source: name) else {
      return nil
    }
    let isThrottled = head.status == 429 || (head.status == 503 && asked != nil)
    if let asked, asked > configuration.longestRetryWait {
      error = .throttled(head.status, seconds: asked, source: name)
      if let stale = try standIn(attempt.state) { return stale }
      return attempt.state.key.wantsImage ? .done(.failure(error)) : nil
    }
    let step = try again(attempt.state, attempt, error, floor: asked, pausesHost: isThrottled)
    // Whoever takes any answer gets the last one, not words about it.
    if case .done(.failure) = step, !attempt.state.key.wantsImage { return nil }
    return step
  }

  /// Another try, a stale answer in its place, or the end.
  private func again(
    _ state: RequestState, _ attempt: TransferOutcome, _ error: DownloadError, floor: Double?,
    pausesHost: Bool = false
  ) throws(CacheError) -> Step {
    guard state.retries < configuration.retries, meter.spendRetry() else {
      return try standIn(attempt.state) ?? .done(.failure(error))
    }
    var next = state
    var generator = SystemRandomNumberGenerator()
    var wait = retryPolicy.wait(after: state.lastWait, using: &generator)
    next.lastWait = wait
    // What the server asks for is a floor; the jitter on top keeps those who wait from coming back together.
    if let floor { wait = floor + Double.random(in: 0...max(0.01, min(wait, 1)), using: &generator) }
    next.retries += 1
    meter.count(.retries)
    return .retry(next, after: wait, because: error, hostPause: pausesHost ? max(wait, floor ?? 0) : nil)
  }

  /// The stored response, if it may be served in place of an origin's failure (RFC 5861 §4, RFC 9111 §4.2.4).
  ///
  /// A stored error may not: it says nothing better than the new one, and is older.
  private func standIn(_ state: RequestState) throws(CacheError) -> Step? {
    guard let stored = state.validating, stored.status < 400, stored.mayBeServedStale,
      state.key.pinnedDigest == nil || state.key.pinnedDigest == stored.digest
    else { return nil }
    let allowance = max(configuration.staleIfError, stored.allowance("stale-if-error") ?? 0)
    let now = Clock.now
    guard allowance > 0, stored.age(at: now) <= stored.freshnessLifetime + allowance,
      let object = try store.object(stored.digest)
    else { return nil }
    meter.count(.stale)
    return conclude(state, head: stored.servedHead(at: now), object, .stale)
  }

  /// The outcome of a request that isn't sent, because its host is down.
  func refused(_ state: RequestState) -> DownloadStateMachine.Outcome {
    do throws(CacheError) {
      var step = try standIn(state)
      if case .redirect(let next)? = step { step = lookUp(next) }
      switch step {
      case .done(let outcome)?: return outcome
      case .doneForNow(let answer, _)?: return .success(answer)
      default: return .failure(.hostDown(state))
      }
    } catch {
      return .failure(DownloadError(error, source: state.key.displayText))
    }
  }

  /// What has come of a body whose rest can be asked for.
  private func remainder(_ attempt: TransferOutcome) throws(CacheError) -> PartialBody? {
    let body = attempt.body
    guard let validator = body.validator, body.byteCount > 0 else { return nil }
    return PartialBody(
      file: try file(of: body), validator: validator, total: body.expected, received: body.byteCount,
      hasher: body.hasher)
  }
}

extension TransferOutcome {
  /// What it says about the host; nil where it says nothing.
  var signal: HostSignal? {
    if let head = result?.head ?? body.abandonedError {
      return head.status == 429 || head.status == 503 ? .overloaded : .answered
    }
    guard let curlError, curlError.reason == .transport else { return nil }
    if curlError.status != nil { return curlError.curlCode == 28 ? .overloaded : .answered }
    return RetryPolicy.isTransient(curlCode: curlError.curlCode) ? .silent : nil
  }
}

extension DownloadError {
  static func hostDown(_ state: RequestState) -> DownloadError {
    var error = DownloadError(
      .hostDown,
      "\(state.url.host) has not answered for a while and is not asked any more; try again later, with --failed for what a report says has failed",
      source: state.key.displayText)
    error.isTemporary = true
    return error
  }

  static func throttled(_ status: Int, seconds: Double, source: String) -> DownloadError {
    var error = DownloadError(
      .throttled,
      "the server answered \(status) and asks to wait for \(Int(seconds)) s; run again after that, or see --rate",
      source: source)
    error.status = status
    error.isTemporary = true
    return error
  }
}
