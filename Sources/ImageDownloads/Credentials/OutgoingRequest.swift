import Crypto
import Curl
import ImageCaches
import ObjectStorage

/// The fields and the credential to send for one hop. None of them is sent to an origin that it wasn't meant for.
struct OutgoingRequest: Sendable {
  var fields: [HeaderField]
  var credential: OriginSettings.Credential?
  /// The service that signs the request; nil if it isn't signed.
  private(set) var signer: ObjectService?

  init(_ state: RequestState, configuration: ImageDownloader.Configuration) {
    let url = state.url
    let settings = configuration.origins[url.origin]
    fields = []
    // Also if any content is wanted: with `Vary: Accept`, the response serves a later request for the image.
    if state.key.operation == nil {
      fields.append(
        HeaderField("Accept", configuration.acceptableContentTypes.sorted().joined(separator: ",")))
    }
    // The fields are for sources; an operation has its own.
    if state.key.operation == nil {
      if state.isSameOrigin { add(configuration.headers) }
      if let settings { add(settings.headers) }
      if state.isSameOrigin { add(state.key.headers) }
    }
    if fields.first("User-Agent") == nil { fields.append(HeaderField("User-Agent", configuration.userAgent)) }
    if let service = state.key.service {
      // Requests to object storage have its credentials or none: others are for other servers.
      fields.remove("Authorization")
      if state.isSameOrigin, service.isSigned { signer = service }
    } else if fields.first("Authorization") == nil {
      credential =
        url.credential.map { OriginSettings.Credential(user: $0.user, password: $0.password) }
        ?? (state.isSameOrigin ? state.originalURL.credential : nil).map {
          .init(user: $0.user, password: $0.password)
        }
        ?? settings?.credential ?? Self.netrcCredential(configuration.netrc, state)
        ?? (state.isSameOrigin ? state.key.credential ?? configuration.credential : nil)
    }
  }

  /// The credential of a netrc file. A redirect to another port of the same host may lead to another server, and one to
  /// another host must not get the default entry.
  private static func netrcCredential(_ netrc: Netrc?, _ state: RequestState) -> OriginSettings.Credential? {
    guard !state.isSameOrigin else { return netrc?.credential(for: state.url.host) }
    guard state.url.host != state.originalURL.host else { return nil }
    return netrc?.credential(for: state.url.host, usesDefault: false)
  }

  /// Adds fields, which replace earlier ones of the same name; repeats within one list are kept.
  private mutating func add(_ list: [HeaderField]) {
    fields.removeAll { field in list.contains { $0.isNamed(field.name) } }
    fields += list
  }

  /// The cache key of the responses: method, URL, and a keyed hash of the credentials, cookies, keys and tokens, and of the
  /// host if it isn't the URL's. Without the hash, one user would get another user's response.
  func key(_ address: WebAddress, salt: [UInt8]) -> ContentDigest {
    var key = KeyBuilder("request")
    key.append("GET")
    key.append(address.description)
    var secrets = fields.values(of: "Authorization")
    for field in fields where PrivateResponse.isCredential(field.name) && !field.isNamed("Authorization") {
      secrets += [field.name.lowercased(), field.value]
    }
    if let credential { secrets += [credential.user, credential.password] }
    // Who asks, but not the signature, which differs each time.
    if let identity = signer?.identity { secrets += ["aws", identity] }
    if secrets.isEmpty {
      key.append(optional: nil)
    } else {
      var text = KeyBuilder("credential")
      for secret in secrets { text.append(secret) }
      let code = HMAC<SHA256>.authenticationCode(
        for: Array(text.digest.hex.utf8), using: SymmetricKey(data: salt))
      key.append(optional: ContentDigest(hashing: Array(code)).hex)
    }
    return key.digest
  }
}
