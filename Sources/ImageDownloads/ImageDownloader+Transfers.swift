import Curl
import ImageCaches

/// What the actions of the state machine stand for: lookups and transfers. Each ends with an event.
extension ImageDownloader {
  /// Looks into the cache, or reads a local source. Blocks.
  func lookUp(_ key: RequestKey) -> NextStep {
    guard case .url(let text) = key.source else { return .complete(local(key)) }
    guard let url = key.url else {
      let error = DownloadError.badSource(text, "this is no URL of the form http://host/path")
      return .complete(.failure(error))
    }
    return transport.nextStep(transport.lookUp(RequestState(key, originalURL: url)))
  }

  /// Sends a request with the slot that the download has.
  func transfer(_ id: Int, _ state: RequestState) async -> NextStep {
    switch await claim(id, state) {
    case .send(let state): await exchange(id, state)
    case .needless(let step): step
    }
  }

  /// Ends a download from a host that is down: with a stored response, where it may be used, or with an error.
  func refuse(_ state: RequestState) async -> NextStep {
    await work.run { .complete(self.transport.refused(state)) }
  }

  // MARK: Claims

  /// Whether a request is sent once it is claimed.
  private enum ClaimResult: Sendable {
    case send(RequestState)
    /// What another process has stored makes the request needless, or there is an error.
    case needless(NextStep)
  }

  /// Claims a request. If another process is sending it, this waits for that process, without the slot, and looks into
  /// the cache again.
  private func claim(_ id: Int, _ state: RequestState) async -> ClaimResult {
    guard !keepsClaim(id, of: state.url) else { return .send(state) }
    do throws(CacheError) {
      switch try transport.claim(state) {
      case .needless: return .send(state)
      case .elsewhere(let other):
        send(.transferFinished(id, nil))
        let next = await transport.wait(for: other, state)
        guard !Task.isCancelled else {
          return .needless(.complete(.failure(.cancelled(state.key.displayText))))
        }
        return .needless(await work.run { self.transport.nextStep(self.transport.lookUp(next)) })
      case .taken(let claim, let mustLookAgain):
        keep(claim, for: id)
        return try await prepare(state, claim, looksAgain: mustLookAgain)
      }
    } catch {
      return .needless(.complete(.failure(DownloadError(error, source: state.key.displayText))))
    }
  }

  /// The claimed request as it is sent. If other processes have used the cache since the lookup, what they have stored may
  /// make it needless.
  private func prepare(
    _ state: RequestState, _ claim: RequestClaim, looksAgain: Bool
  ) async throws(CacheError) -> ClaimResult {
    // Most of the time there is nothing to do that blocks.
    guard try store.mayHavePartials() || looksAgain else { return .send(state) }
    let result: Result<ClaimResult, CacheError> = await work.run {
      Result { () throws(CacheError) in
        guard looksAgain else { return .send(try self.transport.resumed(state, claim)) }
        var unconditional = state
        unconditional.validating = nil
        let step = self.transport.nextStep(self.transport.lookUp(unconditional))
        guard case .transfer(let next) = step, next.url == state.url else { return .needless(step) }
        return .send(try self.transport.resumed(next, claim))
      }
    }
    return try result.get()
  }

  // MARK: One transfer

  private func exchange(_ id: Int, _ state: RequestState) async -> NextStep {
    let name = state.key.displayText
    let engine: TransferEngine
    do throws(CurlError) {
      guard let running = try runningEngine() else { return .complete(.failure(.cancelled(name))) }
      engine = running
    } catch {
      return .complete(.failure(DownloadError(.transferFailed, error.message, source: name)))
    }
    report(.started(id: id, source: name, host: state.url.host))
    let outcome = await transport.transfer(state, engine: engine) { [weak self] received, expected in
      guard let self else { return }
      report(.progressed(id: id, received: received, expected: expected))
      for handler in progressHandlers(of: id) { handler(received, expected) }
    }
    report(
      .finished(
        id: id, url: state.url.displayText, bytes: outcome.body.byteCount,
        error: transport.failure(of: outcome)))
    if let warning = outcome.body.warning, outcome.result != nil {
      report(.warning(source: name, message: warning))
    }
    // The slot is for the network; what follows is disk work.
    send(.transferFinished(id, outcome.signal))
    let step = await transport.evaluate(outcome)
    // Stored redirects are followed without a slot.
    guard case .redirect = step else { return transport.nextStep(step) }
    return await work.run { self.transport.nextStep(step) }
  }
}
