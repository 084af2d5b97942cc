import ImageCaches
import SystemIO

/// The first stage of a request and of each redirect: the address policy, then the cache. Functions block.
struct CacheLookup: Sendable {
  let configuration: ImageDownloader.Configuration
  let store: DiskStore
  let salt: CredentialSalt
  let classifier: ResponseClassifier
  let statistics: DownloadStatistics

  func lookUp(_ state: RequestState) -> NextStep { follow(.redirect(state)) }

  /// Follows the redirects that the cache has.
  func follow(_ conclusion: ResponseClassifier.Conclusion) -> NextStep {
    var conclusion = conclusion
    while true {
      switch conclusion {
      case .step(let step): return step
      case .redirect(let state): conclusion = lookUpOnce(state)
      }
    }
  }

  private func lookUpOnce(_ state: RequestState) -> ResponseClassifier.Conclusion {
    let name = state.key.displayText
    // Offline mode sends no request, so there is no host to refuse, except in a plan of requests.
    let isOffline = state.key.cacheMode == .offline && !configuration.refusesHostsOffline
    if !isOffline, let refusal = configuration.addressPolicy.refusal(ofHost: state.url.host) {
      return .failure(refusal.error(source: name))
    }
    do throws(CacheError) {
      let outgoing = OutgoingRequest(state, configuration: configuration)
      let salt = try salt.value()
      let key = outgoing.key(state.url, salt: salt)
      var state = state
      state.cacheKey = key
      state.salt = salt
      state.isPrivate = state.isPrivate || PrivateResponse.isRequested(by: outgoing, state.url)
      guard state.key.cacheMode != .none else { return .step(.transfer(state)) }
      _ = try store.requestLocks?.lastCompany()
      state.lookedUpAt = SystemTime.monotonic
      return try choose(among: try ResponseTable(store: store).responses(for: key), outgoing, state)
    } catch {
      return .failure(DownloadError(error, source: name))
    }
  }

  private func choose(
    among stored: [StoredResponse], _ outgoing: OutgoingRequest, _ state: RequestState
  ) throws(CacheError) -> ResponseClassifier.Conclusion {
    var candidates = stored
    let now = SystemTime.now
    while true {
      let decision = CacheDecision(
        request: outgoing.fields, candidates: candidates, mode: state.key.cacheMode, now: now,
        start: configuration.start, salt: state.salt)
      switch decision {
      case .fetch: return .step(.transfer(state))
      case .unavailable:
        let message = "no usable response is cached, and no request may be sent"
        return .failure(DownloadError(.notCached, message, source: state.key.displayText))
      case .serve(let stored), .serveStale(let stored), .validate(let stored):
        guard let object = try store.object(stored.digest) else {
          // The body was removed or damaged, so the row is useless.
          candidates.removeAll { $0 == stored }
          continue
        }
        guard object.byteCount <= configuration.byteLimit else {
          // The origin may have a smaller one now.
          if case .validate = decision { return .step(.transfer(state)) }
          return .failure(
            .tooLarge(state.key.displayText, "cached response", limit: configuration.byteLimit))
        }
        if let error = codingFailure(stored, object, state) {
          guard state.key.cacheMode != .offline || configuration.refusesHostsOffline else {
            return .failure(error)
          }
          // Requests for any content store any body. The origin may send the image itself now.
          candidates.removeAll { $0 == stored }
          continue
        }
        return use(stored, object, decision, state, now: now)
      }
    }
  }

  /// The error for a stored body that isn't the image that is wanted because it has a content coding; nil for others.
  private func codingFailure(
    _ stored: StoredResponse, _ object: StoredObject, _ state: RequestState
  ) -> DownloadError? {
    guard state.key.wantsImage, ResponseValidation.isEncoded(stored.fields),
      (200..<300).contains(stored.status),
      let prefix = try? File.start(of: object.path, count: ResponseValidation.prefixLength)
    else { return nil }
    return classifier.validation.codingFailure(
      stored.fields, prefix: prefix, status: stored.status, source: state.key.displayText)
  }

  private func use(
    _ stored: StoredResponse, _ object: StoredObject, _ decision: CacheDecision, _ state: RequestState,
    now: Double
  ) -> ResponseClassifier.Conclusion {
    // Offline mode serves stale responses too. Report them as stale: plans count the validations that a run will make.
    let isFresh =
      stored.isFresh(at: now)
      || configuration.start.map { stored.isCurrent(inRunSince: $0, at: now) } ?? false
    var response = Response(stored, object, at: now, for: state, .stale)
    switch decision {
    case .serve where !isFresh && stored.status >= 400 && configuration.refusesHostsOffline:
      // A plan of requests: the run asks again, and may get the image.
      let message = "the cached response is a stale error"
      return .failure(DownloadError(.notCached, message, source: state.key.displayText))
    case .serve:
      statistics.count(isFresh ? \.hits : \.stale)
      response.disposition = isFresh ? .hit : .stale
      return classifier.conclusion(response, for: state)
    case .serveStale:
      statistics.count(\.stale)
      let conclusion = classifier.conclusion(response, for: state)
      guard case .step(.complete(.success)) = conclusion else { return conclusion }
      return .step(.completeAndValidate(response, state.key.refreshing))
    default:
      var validating = state
      validating.validating = stored
      return .step(.transfer(validating))
    }
  }

  // MARK: Failures of the origin

  /// The stored response, if it may be served because the origin failed (RFC 5861 §4, RFC 9111 §4.2.4).
  ///
  /// A stored error is never served: it is no better than the new one, and older.
  func staleFallback(_ state: RequestState) throws(CacheError) -> NextStep? {
    guard let stored = state.validating, stored.status < 400, stored.mayBeServedStale,
      state.key.pinnedDigest == nil || state.key.pinnedDigest == stored.digest
    else { return nil }
    let allowance = max(configuration.staleIfError / .seconds(1), stored.allowance("stale-if-error") ?? 0)
    let now = SystemTime.now
    guard allowance > 0, stored.age(at: now) <= stored.freshnessLifetime + allowance,
      let object = try store.object(stored.digest)
    else { return nil }
    statistics.count(\.stale)
    let response = Response(stored, object, at: now, for: state, .stale)
    return follow(classifier.conclusion(response, for: state))
  }

  /// The outcome of a request that isn't sent because its host is down.
  func refuse(_ state: RequestState) -> DownloadStateMachine.Outcome {
    do throws(CacheError) {
      switch try staleFallback(state) {
      case .complete(let outcome): return outcome
      case .completeAndValidate(let response, _): return .success(response)
      case .transfer, .retry, nil: return .failure(.hostDown(state))
      }
    } catch {
      return .failure(DownloadError(error, source: state.key.displayText))
    }
  }
}
