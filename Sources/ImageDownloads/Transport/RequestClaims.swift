import ImageCaches

/// The exclusive right of this process to send a request, among the processes on a cache directory.
struct RequestClaim: Sendable {
  let key: ContentDigest
  let url: WebAddress
  let locks: RequestLocks

  func release() { locks.release(key) }
}

/// Lets one of several processes on a cache directory send a request, while the others wait for the stored response.
struct RequestClaims: Sendable {
  enum Outcome: Sendable {
    /// This process sends the request. If another process was active since the lookup, look the request up again.
    case taken(RequestClaim, mustLookAgain: Bool)
    /// Another process sends the request.
    case elsewhere(RequestClaim)
    /// The request needs no claim.
    case needless
  }

  /// The maximum number of waits for one request. More mean that its responses aren't stored.
  private static let waitLimit = 8

  let configuration: ImageDownloader.Configuration
  let store: DiskStore

  func take(_ state: RequestState) throws(CacheError) -> Outcome {
    guard let locks = store.requestLocks, let key = state.cacheKey, state.key.cacheMode != .none,
      state.waitsForOthers, state.waits < Self.waitLimit
    else { return .needless }
    let claim = RequestClaim(key: key, url: state.url, locks: locks)
    guard try locks.take(key) else { return .elsewhere(claim) }
    do throws(CacheError) {
      return .taken(claim, mustLookAgain: try locks.lastCompany() >= state.lookedUpAt)
    } catch {
      claim.release()
      throw error
    }
  }

  /// Adds the partial body of an interrupted run. Requires the claim: if several processes wait for one that dies, the
  /// one that sends the request must be the one that has the partial body. Blocks.
  func resumed(_ state: RequestState, _ claim: RequestClaim) throws(CacheError) -> RequestState {
    guard state.partial == nil, state.validating == nil, try store.mayHavePartials(),
      state.key.wantsImage || state.key.followsRedirects
    else { return state }
    var state = state
    state.partial = try store.interruptedBody(claim.key, url: state.url.description)
    return state
  }

  /// Waits for another process's request: until it ends, stalls or exceeds the timeout. A lookup must follow.
  func wait(for claim: RequestClaim, _ state: RequestState) async -> RequestState {
    var next = state.unconditional
    next.waits += 1
    next.waitsForOthers = await claim.locks.wait(
      for: claim.key, seconds: configuration.timeout.map { $0 / .seconds(1) } ?? .infinity,
      patience: configuration.stallTimeout / .seconds(1)
    ) { [store] in store.partialProgress(claim.key) }
    // If the other process died, it left a partial body.
    store.expectPartials()
    return next
  }
}
