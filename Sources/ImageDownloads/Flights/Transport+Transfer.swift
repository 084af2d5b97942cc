import Curl
import ImageCaches

extension Transport {
  /// Sends one request and says what comes next.
  func transfer(
    _ journey: Journey, engine: TransferEngine, progress: @escaping @Sendable (Int, Int?) -> Void
  ) async -> Attempt {
    let outgoing = OutgoingRequest(journey, configuration: configuration)
    let name = journey.order.displayText
    let key: ContentDigest
    do throws(CacheError) {
      // Known since the lookup, unless the cache is bypassed.
      if let known = journey.key {
        key = known
      } else {
        key = outgoing.key(journey.address, salt: try salt.value())
      }
    } catch {
      return Attempt(journey: journey, key: nil, error: DownloadError(error, source: name))
    }
    var fields = outgoing.fields
    if let stored = journey.validating, !fields.contains(where: { $0.name.lowercased().hasPrefix("if-") }) {
      fields += stored.conditionals
    } else if let partial = journey.partial, fields.first("Range") == nil {
      fields += partial.fields
    }
    let sink = BodySink(
      BodySink.Plan(
        source: name, url: journey.address.description,
        validation: journey.order.wantsImage ? validation : nil,
        partial: journey.validating == nil ? journey.partial : nil,
        makeFile: { [store] isWorthKeeping throws(CacheError) in
          try store.makePartialFile(key, isWorthKeeping: isWorthKeeping)
        }, progress: progress))
    var attempt = Attempt(journey: journey, key: key, sent: fields, requestTime: Clock.now)
    let options = options(journey, fields: fields, credential: outgoing.credential)
    do throws(CurlError) {
      var result = try await engine.perform(options, into: sink)
      if let digest = digestOptions(options, result, journey) {
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
    _ journey: Journey, fields: [HeaderField], credential: OriginSettings.Credential?
  ) -> TransferOptions {
    var options = TransferOptions(url: journey.address.description)
    options.fields = fields
    options.connectTimeout = configuration.connectTimeout
    options.stallTimeout = configuration.stallTimeout
    options.timeout = configuration.timeout
    options.byteLimit = configuration.byteLimit - (journey.partial?.received ?? 0)
    options.proxy = configuration.proxies?.proxy(for: journey.address)
    options.certificateAuthorities = configuration.certificateAuthorities
    options.acceptsAnyCertificate = configuration.acceptsAnyCertificate
    options.allowsHTTP2 = configuration.allowsHTTP2 && !meter.hasBrokenHTTP2(journey.address.host)
    options.needsFreshConnection = journey.needsFreshConnection
    options.credential = credential.map {
      .init(
        user: $0.user, password: $0.password,
        scheme: meter.wantsDigest(journey.address.origin) ? .digest : .basic)
    }
    let host = journey.address.host
    options.allowsAddress = { [policy = configuration.addressPolicy] in policy.allows($0, for: host) }
    return options
  }

  /// The request again with Digest, if that is what the origin asks for and Basic is what it got.
  private func digestOptions(
    _ options: TransferOptions, _ result: TransferResult, _ journey: Journey
  ) -> TransferOptions? {
    guard result.head.status == 401, options.credential?.scheme == .basic,
      result.head.fields.values(of: "WWW-Authenticate").contains(where: { $0.lowercased().contains("digest") }
      )
    else { return nil }
    meter.noteDigest(journey.address.origin)
    var options = options
    options.credential?.scheme = .digest
    return options
  }
}
