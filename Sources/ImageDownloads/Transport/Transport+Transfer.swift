import Curl
import ImageCaches

extension Transport {
  /// Sends one request and says what comes next.
  func transfer(
    _ state: RequestState, engine: TransferEngine, progress: @escaping @Sendable (Int, Int?) -> Void
  ) async -> TransferOutcome {
    let outgoing = OutgoingRequest(state, configuration: configuration)
    let name = state.key.displayText
    let key: ContentDigest
    do throws(CacheError) {
      // Known since the lookup, unless the cache is bypassed.
      if let known = state.cacheKey {
        key = known
      } else {
        key = outgoing.key(state.url, salt: try salt.value())
      }
    } catch {
      return TransferOutcome(state: state, key: nil, error: DownloadError(error, source: name))
    }
    var fields = outgoing.fields
    if let stored = state.validating, !fields.contains(where: { $0.name.lowercased().hasPrefix("if-") }) {
      fields += stored.conditionals
    } else if let partial = state.partial, fields.first("Range") == nil {
      fields += partial.fields
    }
    let sink = BodySink(
      BodySink.Plan(
        source: name, url: state.url.description,
        validation: state.key.wantsImage ? validation : nil,
        partial: state.validating == nil ? state.partial : nil,
        makeFile: { [store] isWorthKeeping throws(CacheError) in
          try store.makePartialFile(key, isWorthKeeping: isWorthKeeping)
        }, progress: progress))
    var attempt = TransferOutcome(state: state, key: key, sent: fields, requestTime: Clock.now)
    let options = options(state, fields: fields, credential: outgoing.credential)
    do throws(CurlError) {
      var result = try await engine.perform(options, into: sink)
      if let digest = digestOptions(options, result, state) {
        meter.add(requests: result.requests)
        result = try await engine.perform(digest, into: sink)
      }
      meter.add(requests: result.requests)
      attempt.result = result
    } catch {
      meter.add(requests: error.requests)
      attempt.curlError = error
      attempt.error = DownloadError(
        error, source: name, policy: configuration.addressPolicy, configuration: configuration)
    }
    attempt.responseTime = Clock.now
    attempt.body = sink.finish()
    return attempt
  }

  private func options(
    _ state: RequestState, fields: [HeaderField], credential: OriginSettings.Credential?
  ) -> TransferOptions {
    var options = TransferOptions(url: state.url.description)
    options.fields = fields
    options.connectTimeout = configuration.connectTimeout
    options.stallTimeout = configuration.stallTimeout
    options.timeout = configuration.timeout
    options.byteLimit = configuration.byteLimit - (state.partial?.received ?? 0)
    options.proxy = configuration.proxies?.proxy(for: state.url)
    options.certificateAuthorities = configuration.certificateAuthorities
    options.acceptsAnyCertificate = configuration.acceptsAnyCertificate
    options.allowsHTTP2 = configuration.allowsHTTP2 && !meter.hasBrokenHTTP2(state.url.host)
    options.needsFreshConnection = state.needsFreshConnection
    options.credential = credential.map {
      .init(
        user: $0.user, password: $0.password,
        scheme: meter.wantsDigest(state.url.origin) ? .digest : .basic)
    }
    let host = state.url.host
    options.allowsAddress = { [policy = configuration.addressPolicy] in policy.allows($0, for: host) }
    return options
  }

  /// The request again with Digest, if that is what the origin asks for and Basic is what it got.
  private func digestOptions(
    _ options: TransferOptions, _ result: TransferResult, _ state: RequestState
  ) -> TransferOptions? {
    guard result.head.status == 401, options.credential?.scheme == .basic,
      result.head.fields.values(of: "WWW-Authenticate").contains(where: { $0.lowercased().contains("digest") }
      )
    else { return nil }
    meter.noteDigest(state.url.origin)
    var options = options
    options.credential?.scheme = .digest
    return options
  }
}
