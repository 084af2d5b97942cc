import ImageCaches

/// A request of a cache directory that this process sends, and no other.
struct RequestClaim: Sendable {
  let key: ContentDigest
  let address: WebAddress
  let locks: RequestLocks

  func release() { locks.release(key) }
}

/// Of several processes on one cache directory, one sends a request and the others wait for what it stores.
extension Transport {
  /// What comes of claiming a request.
  enum ClaimOutcome: Sendable {
    /// Nobody else sends it. If others are about, what they have stored since the lookup is worth another.
    case taken(RequestClaim, mustLookAgain: Bool)
    /// Another process sends it.
    case elsewhere(RequestClaim)
    /// There is nobody to share it with.
    case needless
  }

  /// More waits than this for one request mean that its responses aren't stored.
  private static let longestQueue = 8

  /// Claims the request of a hop that is about to be sent.
  func claim(_ journey: Journey) throws(CacheError) -> ClaimOutcome {
    guard let locks = store.requestLocks, journey.order.cacheMode != .none, journey.waitsForOthers,
      journey.waits < Self.longestQueue
    else { return .needless }
    let key: ContentDigest
    if let known = journey.key {
      key = known
    } else {
      key = OutgoingRequest(journey, configuration: configuration).key(
        journey.address, salt: try salt.value())
    }
    let claim = RequestClaim(key: key, address: journey.address, locks: locks)
    guard try locks.take(key) else { return .elsewhere(claim) }
    do throws(CacheError) {
      return .taken(claim, mustLookAgain: try locks.lastCompany() >= journey.lookedUpAt)
    } catch {
      claim.release()
      throw error
    }
  }

  /// Adds what an interrupted run has of the body. Only whoever has the claim may: of several that wait for a process that
  /// dies, the one that sends the request must be the one that has the body's beginning. Blocks.
  func resumed(_ journey: Journey, _ claim: RequestClaim) throws(CacheError) -> Journey {
    guard journey.partial == nil, journey.validating == nil, try store.mayHavePartials(),
      journey.order.wantsImage || journey.order.followsRedirects
    else { return journey }
    var journey = journey
    journey.partial = try store.interruptedBody(claim.key, url: journey.address.description)
    return journey
  }

  /// Waits for a request that another process sends: until it has ended, until that process makes no progress, or for
  /// as long as a download may take. The journey goes on with a lookup.
  func wait(for claim: RequestClaim, _ journey: Journey) async -> Journey {
    var next = journey
    next.validating = nil
    next.waits += 1
    next.waitsForOthers = await claim.locks.wait(
      for: claim.key, seconds: configuration.timeout ?? .infinity, patience: configuration.stallTimeout
    ) { [store] in store.partialProgress(claim.key) }
    // If that process has died, its body's beginning is there.
    store.expectPartials()
    return next
  }
}
