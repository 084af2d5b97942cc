import Curl
import ImageCaches

/// Decides what a response, or the lack of one, means. Pure: it reads no clock, disk or socket.
struct ResponseClassifier: Sendable {
  /// What the outcome of a transfer means.
  indirect enum Verdict: Sendable {
    /// Send this request. A partial body that fits the representation no more is discarded first.
    case resend(RequestState, discardsPartial: Bool)
    case fail(DownloadError, discardsPartial: Bool = false)
    /// The origin confirms the stored response.
    case notModified(StoredResponse)
    /// A complete response: store it, then go on by its ``conclusion(_:for:)``.
    case store(ResponseHead, ContentDigest)
    /// The origin can't respond now. Try again, if there are terms for that and attempts are left; else use a
    /// stale response; else go on with `otherwise`.
    case unavailable(DownloadError, RetryTerms?, otherwise: Verdict)
  }

  /// What is known about the next attempt.
  struct RetryTerms: Hashable, Sendable {
    /// The shortest wait, in seconds: `Retry-After`.
    var minimumWait: Double?
    /// Whether the wait is for all downloads from the host.
    var pausesHost = false
    /// Whether HTTP/2 may be the cause, and the next attempt needs a new connection; nil if unknown.
    var mayBeHTTP2: Bool?
  }

  /// What a stored or new response leads to.
  enum Conclusion: Sendable {
    case step(NextStep)
    /// The request goes on with a lookup of its next URL.
    case redirect(RequestState)

    static func failure(_ error: DownloadError) -> Self { .step(.complete(.failure(error))) }
  }

  let validation: ResponseValidation
  let redirectLimit: Int
  /// The longest wait before a retry, in seconds. Whoever asks for a longer one is not asked again.
  let longestRetryWait: Double

  /// - Parameter now: in seconds since 1970, for a `Retry-After` with a date.
  func verdict(on outcome: TransferOutcome, now: Double) -> Verdict {
    let (state, body) = (outcome.state, outcome.body)
    if body.mustRestart {
      var next = state
      next.partial = nil
      return .resend(next, discardsPartial: true)
    }
    if let failure = body.failure { return .fail(failure) }
    if let head = body.abandonedError {
      // An error response whose body was too long to be read means the same as a short one.
      let name = state.key.displayText
      let failure = Verdict.fail(validation.failure(of: head, source: name) ?? .cancelled(name))
      return retryableResponse(outcome, head, now: now, otherwise: failure) ?? failure
    }
    guard let head = outcome.head else { return incomplete(outcome) }
    if head.status == 304, let stored = state.validating {
      guard stored.isConfirmed(by: head) else { return .resend(state.unconditional, discardsPartial: false) }
      return .notModified(stored)
    }
    if !isExplicitlyFresh(head, state.key),
      let verdict = retryableResponse(outcome, head, now: now, otherwise: complete(outcome, head))
    {
      return verdict
    }
    return complete(outcome, head)
  }

  /// Why a transfer didn't bring what was requested; nil if it did, or leads on by a redirect.
  func failure(of outcome: TransferOutcome) -> DownloadError? {
    if let failure = outcome.body.failure { return failure }
    guard let head = outcome.head ?? outcome.body.abandonedError else { return outcome.error }
    guard outcome.state.key.wantsImage, head.status >= 400 else { return nil }
    return validation.failure(of: head, source: outcome.state.key.displayText)
  }

  // MARK: Verdicts

  /// A transfer without a complete response.
  private func incomplete(_ outcome: TransferOutcome) -> Verdict {
    guard let error = outcome.error else { return .fail(.cancelled(outcome.state.key.displayText)) }
    guard error.isTemporary else { return .fail(error) }
    let terms = RetryTerms(mayBeHTTP2: outcome.curlError.map(Self.mayBeHTTP2))
    return .unavailable(error, terms, otherwise: .fail(error))
  }

  /// Whether a broken HTTP/2 may be the cause: in its framing, its streams, or the connection under them.
  private static func mayBeHTTP2(_ error: CurlError) -> Bool {
    if [16, 55, 56, 92].contains(error.curlCode) { return true }
    return [18, 28, 52].contains(error.curlCode) && error.status == nil && error.requests > 0
  }

  /// A response that means "not now"; nil if it doesn't.
  private func retryableResponse(
    _ outcome: TransferOutcome, _ head: ResponseHead, now: Double, otherwise: @autoclosure () -> Verdict
  ) -> Verdict? {
    let key = outcome.state.key
    let isTransient =
      RetryPolicy.isTransient(status: head.status)
      || head.status == 400 && RetryPolicy.isTransient(badRequest: outcome.body.prefix)
    guard isTransient, let error = validation.failure(of: head, source: key.displayText) else { return nil }
    let wait = head.fields.first("Retry-After").flatMap { RetryPolicy.retryAfter($0, now: now) }
    if let wait, wait > longestRetryWait {
      let error = DownloadError.throttled(head.status, seconds: wait, source: key.displayText)
      return .unavailable(error, nil, otherwise: key.wantsImage ? .fail(error) : otherwise())
    }
    let isThrottled = head.status == 429 || (head.status == 503 && wait != nil)
    let terms = RetryTerms(minimumWait: wait, pausesHost: isThrottled)
    // Whoever takes any response gets the last one, not an error that describes it.
    return .unavailable(error, terms, otherwise: key.wantsImage ? .fail(error) : otherwise())
  }

  /// Whether the origin says that an error is good for a while. Whoever takes any response gets that one.
  private func isExplicitlyFresh(_ head: ResponseHead, _ key: RequestKey) -> Bool {
    guard !key.wantsImage else { return false }
    return head.fields.first("Expires") != nil || (CacheControl(head.fields).seconds("max-age") ?? 0) > 0
  }

  /// A complete response. A success with a body that nobody asked for is not even stored.
  private func complete(_ outcome: TransferOutcome, _ head: ResponseHead) -> Verdict {
    let key = outcome.state.key
    let digest = ContentDigest(outcome.body.hasher.finalize())
    guard key.wantsImage, (200..<300).contains(head.status) else { return .store(head, digest) }
    if head.status == 206 {
      let message = "the server sent a part of the picture, which nobody asked for"
      return .fail(DownloadError(.transferFailed, message, source: key.displayText))
    }
    if outcome.body.byteCount == 0 { return .fail(validation.emptyBody(head, source: key.displayText)) }
    guard let pinned = key.pinnedDigest, pinned != digest else { return .store(head, digest) }
    return .fail(.mismatch(digest, pinned: pinned, source: key.displayText), discardsPartial: true)
  }

  // MARK: Conclusions

  /// What a response leads to, wherever it came from: it may be a redirect, an error or what was requested.
  func conclusion(_ response: Response, for state: RequestState) -> Conclusion {
    let (key, head) = (state.key, response.head)
    if key.followsRedirects, [301, 302, 303, 307, 308].contains(head.status),
      let location = head.fields.first("Location")
    {
      return redirect(location, from: state)
    }
    if key.wantsImage {
      if let failure = validation.failure(of: head, source: key.displayText) { return .failure(failure) }
      if let pinned = key.pinnedDigest, pinned != response.digest {
        // A stored response may be older than the pin: the origin is asked once.
        guard response.disposition == .hit || response.disposition == .stale else {
          return .failure(.mismatch(response.digest, pinned: pinned, source: key.displayText))
        }
        return .step(.transfer(state))
      }
    }
    return .step(.complete(.success(response)))
  }

  private func redirect(_ location: String, from state: RequestState) -> Conclusion {
    let name = state.key.displayText
    guard state.redirectCount < redirectLimit else {
      var error = DownloadError(.tooManyRedirects, "more than \(redirectLimit) redirects", source: name)
      error.reason = .redirectLimit(redirectLimit)
      return .failure(error)
    }
    guard let target = state.url.resolving(location) else {
      let message = "it redirects to something that is no http or https URL"
      return .failure(DownloadError(.badRedirect, message, source: name))
    }
    guard state.url.scheme == "http" || target.scheme == "https" else {
      let message =
        "it redirects from https to http, which isn't followed; name \(target.displayText) itself if it is to be trusted"
      return .failure(DownloadError(.badRedirect, message, source: name))
    }
    return .redirect(state.redirected(to: target))
  }
}
