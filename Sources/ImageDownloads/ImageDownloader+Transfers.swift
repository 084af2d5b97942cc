import Curl
import ImageCaches
import SystemIO

/// Carries out the state machine's actions: lookups and transfers. Each ends with an event.
extension ImageDownloader {
  /// Looks a request up in the cache, or reads a local source. Blocks.
  func lookUp(_ key: RequestKey) -> NextStep {
    guard case .url(let text) = key.source else { return .complete(local(key)) }
    guard let url = key.url else { return .complete(.failure(refusal(of: text))) }
    return lookup.lookUp(RequestState(key, originalURL: url))
  }

  /// Sends a request in the download's slot. If another process is sending it, gives the slot back, waits for that
  /// process, and looks the request up again.
  func transfer(_ id: Int, _ state: RequestState) async -> NextStep {
    if self.state.withLock({ $0.claims[id]?.url }) == state.url { return await exchange(id, state) }
    // The claim, if any, is for the URL before a redirect.
    keep(nil, for: id)
    do throws(CacheError) {
      switch try claims.take(state) {
      case .needless: return await exchange(id, state)
      case .elsewhere(let other):
        send(.transferFinished(id, nil))
        let next = await claims.wait(for: other, state)
        do throws(CancellationError) {
          return try await work.runUnlessCancelled { self.lookup.lookUp(next) }
        } catch {
          return .complete(.failure(.cancelled(state.key.displayText)))
        }
      case .taken(let claim, let mustLookAgain):
        keep(claim, for: id)
        let step = try await prepare(state, claim, looksAgain: mustLookAgain)
        guard case .transfer(let next) = step, next.url == state.url else { return step }
        return await exchange(id, next)
      }
    } catch {
      return .complete(.failure(DownloadError(error, source: state.key.displayText)))
    }
  }

  /// Prepares a claimed request, which may be unnecessary if another process has stored a response since the lookup.
  private func prepare(
    _ state: RequestState, _ claim: RequestClaim, looksAgain: Bool
  ) async throws(CacheError) -> NextStep {
    // Usually no step needs the disk: skip the switch to a blocking thread.
    guard try store.mayHavePartials() || looksAgain else { return .transfer(state) }
    return try await blocking { () throws(CacheError) in
      let step = looksAgain ? self.lookup.lookUp(state.unconditional) : .transfer(state)
      guard case .transfer(let next) = step, next.url == state.url else { return step }
      return .transfer(try self.claims.resumed(next, claim))
    }
  }

  // MARK: One transfer

  private func exchange(_ id: Int, _ state: RequestState) async -> NextStep {
    let name = state.key.displayText
    let engine: TransferEngine
    do throws(CurlError) {
      engine = try runningEngine()
    } catch {
      return .complete(.failure(DownloadError(.transferFailed, error.message, source: name)))
    }
    let isDownload = state.key.operation == nil
    if isDownload { report(.started(id: id, source: name, host: state.url.host)) }
    let outcome = await exchange.send(state, engine: engine) { [weak self] received, expected in
      guard let self, isDownload else { return }
      report(.progressed(id: id, received: received, expected: expected))
      let handlers = self.state.withLock { $0.machine.progressHandlers(of: id) }
      for handler in handlers { handler(received, expected) }
    }
    if isDownload {
      report(
        .finished(
          id: id, url: state.url.displayText, bytes: outcome.body.byteCount,
          isUnchanged: outcome.head?.status == 304, error: classifier.failure(of: outcome)))
    }
    if let warning = outcome.body.warning, outcome.result != nil {
      report(.warning(source: name, message: warning))
    }
    // Give the slot back: only disk work follows.
    send(.transferFinished(id, outcome.signal))
    do throws(CacheError) {
      return try await nextStep(after: outcome)
    } catch {
      return .complete(.failure(DownloadError(error, source: name)))
    }
  }

  private enum Resolution: Sendable {
    case step(NextStep)
    case store(ResponseStore.StoreRequest, ResponseHead)
  }

  private func nextStep(after outcome: TransferOutcome) async throws(CacheError) -> NextStep {
    let resolution = try await blocking { () throws(CacheError) in
      try self.resolve(self.classifier.verdict(on: outcome, now: SystemTime.now), outcome)
    }
    switch resolution {
    case .step(let step): return step
    case .store(let request, var head):
      let object = try await responses.commit(request)
      let unconfirmed = responses.unconfirmed(outcome, head: head, digest: object.digest)
      head.fields = HopByHop.removed(from: head.fields)
      var response = Response(object, head: head, of: outcome.state, .downloaded)
      response.unconfirmed = unconfirmed
      let conclusion = classifier.conclusion(response, for: outcome.state)
      // Looking up a redirect's target needs no slot.
      guard case .step(let step) = conclusion else {
        return await work.run { self.lookup.follow(conclusion) }
      }
      // The body of an error response doesn't count as a download.
      if case .complete(.success) = step, outcome.state.key.operation == nil {
        statistics.count(\.downloads)
        statistics.add(bytes: outcome.result?.byteCount ?? 0)
      }
      return step
    }
  }

  /// Carries out a verdict. Blocks.
  private func resolve(
    _ verdict: ResponseClassifier.Verdict, _ outcome: TransferOutcome
  ) throws(CacheError) -> Resolution {
    switch verdict {
    case .resend(let state, let discardsPartial):
      if discardsPartial { responses.discardPartialBody(of: outcome) }
      return .step(.transfer(state))
    case .fail(let error, let discardsPartial):
      if discardsPartial { responses.discardPartialBody(of: outcome) }
      return .step(.complete(.failure(error)))
    case .notModified(let stored):
      guard let response = try responses.refresh(stored, by: outcome) else {
        return .step(.transfer(outcome.state.unconditional))
      }
      statistics.count(\.revalidated)
      return .step(lookup.follow(classifier.conclusion(response, for: outcome.state)))
    case .store(let head, let digest):
      return .store(try responses.prepare(outcome, head: head, digest: digest), head)
    case .unavailable(let error, let terms, let otherwise):
      if let terms, var retry = exchange.scheduleRetry(of: outcome.state, because: error, terms) {
        // The body of an error response isn't part of the image.
        if outcome.curlError != nil { retry.state.partial = try responses.partialBody(after: outcome) }
        return .step(.retry(retry))
      }
      if let step = try lookup.staleFallback(outcome.state) { return .step(step) }
      return try resolve(otherwise, outcome)
    }
  }

  /// Runs a blocking call outside of Swift's cooperative thread pool.
  private func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws(CacheError) -> Value
  ) async throws(CacheError) -> Value {
    let result: Result<Value, CacheError> = await work.run { Result { () throws(CacheError) in try body() } }
    return try result.get()
  }
}
