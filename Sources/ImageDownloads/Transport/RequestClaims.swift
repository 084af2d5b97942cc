import ImageCaches

/// A request of a cache directory that this process sends, and no other.
struct RequestClaim: Sendable {
  let key: ContentDigest
  let url: WebAddress
  let locks: RequestLocks

  func release() { locks.release(key) }
}

/// Of several processes on one cache directory, one sends a request, and the others wait for what it stores.
struct RequestClaims: Sendable {
  /// What comes of claiming a request.
  enum Outcome: Sendable {
    /// No other process sends it. What others have stored since the lookup is worth another one.
    case taken(RequestClaim, mustLookAgain: Bool)
    /// Another process sends it.
    case elsewhere(RequestClaim)
    /// There is nobody to share it with.
    case needless
  }

  /// More waits than this for one request mean that its responses aren't stored.
  private static let waitLimit = 8

  let configuration: ImageDownloader.Configuration
  let store: DiskStore

  /// Claims a request that is about to be sent.
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

  /// Adds what an interrupted run has of the body. Only whoever has the claim may: of several that wait for a
  /// process that dies, the one that sends the request must be the one that has the body's beginning. Blocks.
  func resumed(_ state: RequestState, _ claim: RequestClaim) throws(CacheError) -> RequestState {
    guard state.partial == nil, state.validating == nil, try store.mayHavePartials(),
      state.key.wantsImage || state.key.followsRedirects
    else { return state }
    var state = state
    state.partial = try store.interruptedBody(claim.key, url: state.url.description)
    return state
  }

  /// Waits for a request that another process sends: until it has ended, until that process makes no
  /// progress, or for as long as a download may take. The request goes on with a lookup.
  func wait(for claim: RequestClaim, _ state: RequestState) async -> RequestState {
    var next = state.unconditional
    next.waits += 1
    next.waitsForOthers = await claim.locks.wait(
      for: claim.key, seconds: configuration.timeout ?? .infinity, patience: configuration.stallTimeout
    ) { [store] in store.partialProgress(claim.key) }
    // If that process has died, its body's beginning is there.
    store.expectPartials()
    return next
  }
}
