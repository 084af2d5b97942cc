import ImageCaches

extension Transport {
  /// The first step of every hop: the policy by name, then the cache. Stored redirects are followed. Blocks.
  func lookUp(_ state: RequestState) -> Step {
    var step = lookUpHop(state)
    while case .redirect(let next) = step { step = lookUpHop(next) }
    return step
  }

  private func lookUpHop(_ state: RequestState) -> Step {
    let name = state.key.displayText
    // Offline nobody is asked, so no address need be refused.
    let isOffline = state.key.cacheMode == .offline
    if !isOffline, let refusal = configuration.addressPolicy.refusal(ofHost: state.url.host) {
      return .done(.failure(DownloadError(.notAllowed, refusal, source: name)))
    }
    guard state.key.cacheMode != .none else { return .transfer(state) }
    do throws(CacheError) {
      _ = try store.requestLocks?.lastCompany()
      var state = state
      state.lookedUpAt = Clock.monotonic
      return try consult(state)
    } catch {
      return .done(.failure(DownloadError(error, source: name)))
    }
  }

  private func consult(_ state: RequestState) throws(CacheError) -> Step {
    let outgoing = OutgoingRequest(state, configuration: configuration)
    let key = outgoing.key(state.url, salt: try salt.value())
    var state = state
    state.cacheKey = key
    let stored = try table.responses(for: key)
    let now = Clock.now
    var candidates = stored
    while true {
      let decision = CacheDecision(
        request: outgoing.fields, candidates: candidates, mode: state.key.cacheMode, now: now)
      switch decision {
      case .fetch: return .transfer(state)
      case .unavailable:
        let message = "nothing is stored for it, and --offline sends no request; run once without --offline"
        return .done(.failure(DownloadError(.notCached, message, source: state.key.displayText)))
      case .serve(let response), .serveStale(let response), .validate(let response):
        guard let object = try store.object(response.digest) else {
          // Its bytes are gone or were damaged: the answer is as good as never had.
          candidates.removeAll { $0 == response }
          continue
        }
        return use(response, object, decision, state, now: now)
      }
    }
  }

  private func use(
    _ response: StoredResponse, _ object: StoredObject, _ decision: CacheDecision, _ state: RequestState,
    now: Double
  ) -> Step {
    var validating = state
    validating.validating = response
    switch decision {
    case .serve:
      // Offline, what is stale is served too: whoever plans has to know that its origin would be asked.
      let isFresh = response.isFresh(at: now)
      meter.count(isFresh ? .hits : .stale)
      return conclude(state, head: response.servedHead(at: now), object, isFresh ? .hit : .stale)
    case .serveStale:
      meter.count(.stale)
      let step = conclude(state, head: response.servedHead(at: now), object, .stale)
      guard case .done(.success(let answer)) = step else { return step }
      return .doneForNow(answer, validate: validating)
    default: return .transfer(validating)
    }
  }
}
