import ImageCaches

extension Transport {
  /// The first step of every hop: the policy by name, then the cache. Stored redirects are followed. Blocks.
  func lookUp(_ journey: Journey) -> Step {
    var step = lookUpHop(journey)
    while case .redirect(let next) = step { step = lookUpHop(next) }
    return step
  }

  private func lookUpHop(_ journey: Journey) -> Step {
    let name = journey.order.displayText
    // Offline nobody is asked, so no address need be refused.
    let isOffline = journey.order.cacheMode == .offline
    if !isOffline, let refusal = configuration.addressPolicy.refusal(ofHost: journey.address.host) {
      return .done(.failure(DownloadError(.notAllowed, refusal, source: name)))
    }
    guard journey.order.cacheMode != .none else { return .transfer(journey) }
    do throws(CacheError) {
      _ = try store.requestLocks?.lastCompany()
      var journey = journey
      journey.lookedUpAt = Clock.monotonic
      return try consult(journey)
    } catch {
      return .done(.failure(DownloadError(error, source: name)))
    }
  }

  private func consult(_ journey: Journey) throws(CacheError) -> Step {
    let outgoing = OutgoingRequest(journey, configuration: configuration)
    let key = outgoing.key(journey.address, salt: try salt.value())
    var journey = journey
    journey.key = key
    let stored = try table.responses(for: key)
    let now = Clock.now
    var candidates = stored
    while true {
      let decision = CacheDecision(
        request: outgoing.fields, candidates: candidates, mode: journey.order.cacheMode, now: now)
      switch decision {
      case .fetch: return .transfer(journey)
      case .unavailable:
        let message = "nothing is stored for it, and --offline sends no request; run once without --offline"
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
      // Offline, what is stale is served too: whoever plans has to know that its origin would be asked.
      let isFresh = response.isFresh(at: now)
      meter.count(isFresh ? .hits : .stale)
      return conclude(journey, head: response.servedHead(at: now), object, isFresh ? .hit : .stale)
    case .serveStale:
      meter.count(.stale)
      let step = conclude(journey, head: response.servedHead(at: now), object, .stale)
      guard case .done(.success(let answer)) = step else { return step }
      return .doneForNow(answer, validate: validating)
    default: return .transfer(validating)
    }
  }
}
