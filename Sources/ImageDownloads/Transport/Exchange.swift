import Curl
import ImageCaches
import ObjectStorage
import SystemIO

/// The second stage of a request: one attempt over the network, and the terms of the next.
struct Exchange: Sendable {
  let configuration: ImageDownloader.Configuration
  let store: DiskStore
  let validation: ResponseValidation
  let statistics: DownloadStatistics
  let capabilities = HostCapabilities()

  /// Sends a request and receives its response.
  func send(
    _ state: RequestState, engine: TransferEngine, progress: @escaping @Sendable (Int, Int?) -> Void
  ) async -> TransferOutcome {
    let outgoing = OutgoingRequest(state, configuration: configuration)
    let name = state.key.displayText
    var outcome = TransferOutcome(state: state)
    // The lookup has set the key.
    guard let key = state.cacheKey else { return outcome }
    outcome.sent = outgoing.fields
    if let stored = state.validating, !outcome.sent.contains(where: { $0.name.lowercased().hasPrefix("if-") })
    {
      outcome.sent += stored.conditionals
    } else if let partial = state.partial, outcome.sent.first("Range") == nil {
      outcome.sent += partial.fields
    }
    let sink = BodySink(
      BodySink.Configuration(
        source: name, url: state.url.description,
        validation: state.key.wantsImage ? validation : nil,
        partial: state.validating == nil ? state.partial : nil,
        makeFile: { [store] isWorthKeeping throws(CacheError) in
          try store.makePartialFile(key, isWorthKeeping: isWorthKeeping)
        }, progress: progress))
    do throws(CredentialFailure) { outcome.accessKey = try await outgoing.signer?.signingKey() } catch {
      outcome.error =
        error.isCancelled
        ? .cancelled(name)
        : DownloadError(
          .transferFailed, error.message, source: name, status: nil, isTemporary: error.isTemporary)
      return outcome
    }
    outcome.requestTime = SystemTime.now
    // Signed here, since a signature is valid for minutes only. `sent` is without it: it is compared and stored.
    let fields = signed(outcome, by: outgoing.signer)
    var options = options(state, fields: fields, credential: outgoing.credential)
    do throws(SystemError) {
      try state.key.operation?.prepare(&options)
    } catch {
      outcome.error = DownloadError(.unreadable, "can't read what is to be sent: \(error.text)", source: name)
      return outcome
    }
    do throws(CurlError) {
      var result = try await engine.perform(options, into: sink)
      if let digest = digestOptions(options, result, state) {
        statistics.add(requests: result.requests)
        result = try await engine.perform(digest, into: sink)
      }
      statistics.add(requests: result.requests)
      outcome.result = result
    } catch {
      statistics.add(requests: error.requests)
      outcome.curlError = error
      outcome.error = DownloadError(
        error, source: name, policy: configuration.addressPolicy, configuration: configuration)
    }
    outcome.body = sink.finish()
    discardKey(of: outcome)
    // A long body would make the response seem younger by the time that it took (RFC 9111, section 4.2.3).
    outcome.responseTime = outcome.body.headTime ?? SystemTime.now
    return outcome
  }

  /// Gives up credentials that the server calls expired: the next attempt gets others.
  private func discardKey(of outcome: TransferOutcome) {
    guard let key = outcome.accessKey, let service = outcome.state.key.service,
      let head = outcome.result?.head ?? outcome.body.abandonedError, head.status >= 400
    else { return }
    service.discard(
      key,
      after: ObjectStorageAnswer(status: head.status, fields: head.fields, prefix: outcome.body.prefix))
  }

  /// The fields to send.
  private func signed(_ outcome: TransferOutcome, by signer: ObjectService?) -> [HeaderField] {
    guard let operation = outcome.state.key.operation else {
      return signer?.signed(
        outcome.sent, url: outcome.state.url.description, by: outcome.accessKey, at: outcome.requestTime)
        ?? outcome.sent
    }
    let fields =
      signer?.signed(operation.request, by: outcome.accessKey, at: outcome.requestTime)
      ?? operation.request.fields
    return fields + outcome.sent
  }

  private func options(
    _ state: RequestState, fields: [HeaderField], credential: OriginSettings.Credential?
  ) -> TransferOptions {
    var options = TransferOptions(url: state.url.description)
    options.fields = fields
    options.connectTimeout = configuration.connectTimeout / .seconds(1)
    options.stallTimeout = configuration.stallTimeout / .seconds(1)
    options.timeout = configuration.timeout.map { $0 / .seconds(1) }
    options.byteLimit = configuration.byteLimit - (state.partial?.received ?? 0)
    options.rateLimit = configuration.bytesPerSecond.map {
      .init(key: state.url.host, bytesPerSecond: $0)
    }
    options.proxy = configuration.proxies?.proxy(for: state.url)
    options.certificateAuthorities = configuration.certificateAuthorities?.path(percentEncoded: false)
    options.acceptsAnyCertificate = configuration.acceptsAnyCertificate
    options.allowsHTTP2 = configuration.allowsHTTP2 && !capabilities.hasBrokenHTTP2(state.url.host)
    options.needsFreshConnection = state.needsFreshConnection
    options.keepsPath = state.key.service != nil
    options.credential = credential.map {
      .init(
        user: $0.user, password: $0.password,
        scheme: capabilities.wantsDigest(state.url.origin) ? .digest : .basic)
    }
    let host = state.url.host
    options.allowsAddress = { [policy = configuration.addressPolicy] in policy.allows($0, for: host) }
    return options
  }

  /// The options for repeating the request with Digest, if the origin refused Basic and offers Digest.
  private func digestOptions(
    _ options: TransferOptions, _ result: TransferResult, _ state: RequestState
  ) -> TransferOptions? {
    let challenges = result.head.fields.values(of: "WWW-Authenticate")
    guard result.head.status == 401, options.credential?.scheme == .basic,
      challenges.contains(where: { $0.lowercased().contains("digest") })
    else { return nil }
    capabilities.noteDigest(state.url.origin)
    var options = options
    options.credential?.scheme = .digest
    return options
  }

  // MARK: Retries

  /// The next attempt; nil if the retries or the budget are used up.
  func scheduleRetry(
    of state: RequestState, because error: DownloadError, _ terms: ResponseClassifier.RetryTerms
  ) -> NextStep.Retry? {
    if terms.mayBeHTTP2 == true { capabilities.noteHTTP2Failure(state.url.host) }
    guard state.retries < configuration.retries, statistics.spendRetry() else { return nil }
    var next = state
    // libcurl keeps a connection after a stream on it timed out, so a retry would reuse it.
    if let mayBeHTTP2 = terms.mayBeHTTP2 { next.needsFreshConnection = mayBeHTTP2 }
    let policy = RetryPolicy(
      base: configuration.retryWait / .seconds(1), cap: configuration.longestRetryWait / .seconds(1))
    var generator = SystemRandomNumberGenerator()
    var wait = policy.wait(after: state.lastWait, using: &generator)
    next.lastWait = wait
    if let minimum = terms.minimumWait {
      // Add jitter, so that the downloads from one host don't all resume at once.
      wait = minimum + Double.random(in: 0...max(0.01, min(wait, 1)), using: &generator)
    }
    next.retries += 1
    statistics.count(\.retries)
    return NextStep.Retry(
      state: next, seconds: wait, error: error, hostPause: terms.pausesHost ? wait : nil)
  }
}
