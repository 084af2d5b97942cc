import Curl
import ImageCaches
import SystemIO

/// Classifies the outcomes of transfers. Pure: it reads no clock, disk or socket.
struct ResponseClassifier: Sendable {
  /// How to proceed after a transfer.
  indirect enum Verdict: Sendable {
    /// Send this request, after discarding a partial body that no longer fits.
    case resend(RequestState, discardsPartial: Bool)
    case fail(DownloadError, discardsPartial: Bool = false)
    /// Use the stored response, which the origin confirmed.
    case notModified(StoredResponse)
    /// Store the complete response and follow its ``conclusion(_:for:)``.
    case store(ResponseHead, ContentDigest)
    /// The origin is unavailable. Retry, if there are terms and attempts left; else use a stale response; else follow
    /// `otherwise`.
    case unavailable(DownloadError, RetryTerms?, otherwise: Verdict)
  }

  /// The conditions of the next attempt.
  struct RetryTerms: Hashable, Sendable {
    /// The minimum wait, in seconds, from `Retry-After`.
    var minimumWait: Double?
    /// Whether the wait applies to all downloads from the host.
    var pausesHost = false
    /// Whether HTTP/2 may be the cause, so that the next attempt needs a new connection; nil if unknown.
    var mayBeHTTP2: Bool?
  }

  /// How to proceed with a stored or new response.
  enum Conclusion: Sendable {
    case step(NextStep)
    /// Look up the request's next URL.
    case redirect(RequestState)

    static func failure(_ error: DownloadError) -> Self { .step(.complete(.failure(error))) }
  }

  let validation: ResponseValidation
  let redirectLimit: Int
  /// The maximum wait before a retry, in seconds. If a server requests more, there is no retry.
  let longestRetryWait: Double

  /// Classifies the outcome of a transfer.
  /// - Parameter now: The time in seconds since 1970, for a `Retry-After` with a date.
  func verdict(on outcome: TransferOutcome, now: Double) -> Verdict {
    let (state, body) = (outcome.state, outcome.body)
    if body.mustRestart {
      var next = state
      next.partial = nil
      return .resend(next, discardsPartial: true)
    }
    if let failure = body.failure { return .fail(failure) }
    if let head = body.abandonedError {
      // An abandoned error response is handled like a complete one.
      let name = state.key.displayText
      let failure = Verdict.fail(failure(of: head, body, state.key, now: now) ?? .cancelled(name))
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

  /// The failure of a transfer; nil if it succeeded or returned a redirect.
  func failure(of outcome: TransferOutcome) -> DownloadError? {
    if let failure = outcome.body.failure { return failure }
    guard let head = outcome.head ?? outcome.body.abandonedError else { return outcome.error }
    guard outcome.state.key.wantsImage, head.status >= 400 else { return nil }
    return failure(of: head, outcome.body, outcome.state.key, now: outcome.responseTime)
  }

  /// The error for a status other than 2xx, with what object storage says; nil for 2xx.
  private func failure(
    of head: ResponseHead, _ body: BodySink.Body, _ key: RequestKey, now: Double
  ) -> DownloadError? {
    ObjectFailure.error(for: head, body: body.prefix, of: key, now: now)
      ?? validation.failure(of: head, source: key.displayText)
  }

  // MARK: Verdicts

  /// Classifies a transfer without a complete response.
  private func incomplete(_ outcome: TransferOutcome) -> Verdict {
    guard let error = outcome.error else { return .fail(.cancelled(outcome.state.key.displayText)) }
    let isRetried =
      outcome.curlError.map { RetryPolicy.isRetried(curlCode: $0.curlCode) && !$0.isAboutProxyScheme }
      ?? false
    guard error.isTemporary || isRetried else { return .fail(error) }
    let terms = RetryTerms(mayBeHTTP2: outcome.curlError.map(Self.mayBeHTTP2))
    return .unavailable(error, terms, otherwise: .fail(error))
  }

  /// Whether HTTP/2 may be the cause: its framing, its streams, or the connection under them.
  private static func mayBeHTTP2(_ error: CurlError) -> Bool {
    if [16, 55, 56, 92].contains(error.curlCode) { return true }
    return [18, 28, 52].contains(error.curlCode) && error.status == nil && error.requests > 0
  }

  /// Classifies a temporary error response; nil for other responses.
  private func retryableResponse(
    _ outcome: TransferOutcome, _ head: ResponseHead, now: Double, otherwise: @autoclosure () -> Verdict
  ) -> Verdict? {
    let key = outcome.state.key
    let isTransient =
      RetryPolicy.isTransient(status: head.status)
      || head.status == 400 && RetryPolicy.isTransient(badRequest: outcome.body.prefix)
      || ObjectFailure.renewsKeys(after: head, prefix: outcome.body.prefix, of: key)
    guard isTransient, let error = failure(of: head, outcome.body, key, now: now) else { return nil }
    let wait = head.fields.first("Retry-After").flatMap { RetryPolicy.retryAfter($0, now: now) }
    if let wait, wait > longestRetryWait {
      let error = DownloadError.throttled(head.status, seconds: wait, source: key.displayText)
      return .unavailable(error, nil, otherwise: key.wantsImage ? .fail(error) : otherwise())
    }
    let isThrottled = head.status == 429 || (head.status == 503 && wait != nil)
    let terms = RetryTerms(minimumWait: wait, pausesHost: isThrottled)
    // A caller that accepts any response gets the last one, not an error.
    return .unavailable(error, terms, otherwise: key.wantsImage ? .fail(error) : otherwise())
  }

  /// Whether an error response has an explicit lifetime, for a caller that accepts any response: it is no reason to
  /// retry.
  private func isExplicitlyFresh(_ head: ResponseHead, _ key: RequestKey) -> Bool {
    guard !key.wantsImage else { return false }
    return head.fields.first("Expires") != nil || (CacheControl(head.fields).seconds("max-age") ?? 0) > 0
  }

  /// Classifies a complete response. A successful response with an unusable body isn't stored.
  private func complete(_ outcome: TransferOutcome, _ head: ResponseHead) -> Verdict {
    let key = outcome.state.key
    // Redirects of object storage too: a signature is for one host. Errors aren't stored, since credentials change.
    if key.wantsImage,
      let error = ObjectFailure.error(
        for: head, body: outcome.body.prefix, of: key, now: outcome.responseTime)
    {
      return .fail(error)
    }
    let digest = ContentDigest(outcome.body.hasher.finalize())
    // An operation's fields aren't in `sent`, and a caller that wants any response may ask for a range.
    let isUnwantedPart = key.wantsImage || key.operation == nil && outcome.sent.first("Range") == nil
    if head.status == 206, isUnwantedPart {
      let noun = key.wantsImage ? "image" : "body"
      let message = "the server sent only a part of the \(noun) (206), which wasn't requested"
      return .fail(DownloadError(.transferFailed, message, source: key.displayText))
    }
    guard key.wantsImage, (200..<300).contains(head.status) else { return .store(head, digest) }
    if outcome.body.byteCount == 0 { return .fail(validation.emptyBody(head, source: key.displayText)) }
    guard let pinned = key.pinnedDigest, pinned != digest else { return .store(head, digest) }
    return .fail(.mismatch(digest, pinned: pinned, source: key.displayText), discardsPartial: true)
  }

  // MARK: Conclusions

  /// How to proceed with a response: it may be a redirect, an error or the requested image.
  func conclusion(_ response: Response, for state: RequestState) -> Conclusion {
    let (key, head) = (state.key, response.head)
    // A signature is for one host.
    if key.followsRedirects, key.service == nil, [301, 302, 303, 307, 308].contains(head.status),
      let location = head.fields.first("Location")
    {
      var state = state
      state.isPrivate = state.isPrivate || response.isPrivate
      return redirect(location, from: state)
    }
    if key.wantsImage {
      if let failure = validation.failure(of: head, source: key.displayText) { return .failure(failure) }
      if let pinned = key.pinnedDigest, pinned != response.digest {
        // A stored response may be older than the pin: request it once.
        guard response.disposition == .hit || response.disposition == .stale else {
          return .failure(.mismatch(response.digest, pinned: pinned, source: key.displayText))
        }
        return .step(.transfer(state))
      }
    }
    return .step(.complete(.success(response)))
  }

  /// A location's scheme and host, without anything that may be secret; nil if it has no scheme.
  private static func place(of location: String) -> String? {
    guard let reference = URLReference(parsing: location), let scheme = reference.scheme else { return nil }
    if let host = reference.host { return "\(scheme)://\(host.prefix(255))" }
    // What looks like a scheme may be a user name.
    return location.contains("@") ? nil : "\(scheme):"
  }

  private func redirect(_ location: String, from state: RequestState) -> Conclusion {
    let name = state.key.displayText
    guard state.redirectCount < redirectLimit else {
      let last = state.url.resolving(location)?.origin ?? Self.place(of: location)
      let message = "more than \(redirectLimit) redirects" + (last.map { ", the last one to \($0)" } ?? "")
      var error = DownloadError(.tooManyRedirects, message, source: name)
      error.reason = .redirectLimit(redirectLimit)
      return .failure(error)
    }
    guard let target = state.url.resolving(location) else {
      let place = Self.place(of: location).map { ": \($0)" } ?? ""
      let message = "it redirects to a location that is not an http or https URL\(place)"
      return .failure(DownloadError(.badRedirect, message, source: name))
    }
    guard state.url.scheme == "http" || target.scheme == "https" else {
      let message =
        "it redirects from https to http, which is refused; if you trust \(target.displayText), use it as the source"
      return .failure(DownloadError(.badRedirect, message, source: name))
    }
    return .redirect(state.redirected(to: target))
  }
}
