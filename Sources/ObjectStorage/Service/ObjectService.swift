import SystemIO
package import WebValues

/// A server of object storage: its URLs, and who signs requests to it.
///
/// A class, because every request refers to one.
package final class ObjectService: Sendable {
  /// How a request names its bucket.
  package enum Addressing: String, Sendable, CaseIterable {
    /// In the path: `https://host/bucket/key`.
    case path
    /// In the host: `https://bucket.host/key`.
    case virtual
  }

  /// Who signs requests.
  package enum Credentials: Sendable {
    /// Nobody, as for public buckets.
    case none
    case key(AccessKey)
    /// Keys that are renewed.
    case provider(any AccessKeyProvider)

    package init(_ key: AccessKey?) { self = key.map { .key($0) } ?? .none }
  }

  package let region: String
  package let credentials: Credentials
  private let addressing: Addressing?
  private let scheme: String
  /// The endpoint's host and port.
  private let authority: String
  /// The endpoint's path, without a slash at its end.
  private let basePath: String
  private let isAmazon: Bool

  /// Creates a service.
  /// - Parameters:
  ///   - endpoint: An http or https URL; nil for AWS.
  ///   - region: The region, which is part of signatures.
  ///   - addressing: How buckets are named; nil for the host at AWS, and the path elsewhere.
  ///   - credentials: Who signs requests.
  /// - Throws: `ObjectStorageFailure` if the endpoint isn't such a URL.
  package init(
    endpoint: String?, region: String, addressing: Addressing? = nil, credentials: Credentials
  ) throws(ObjectStorageFailure) {
    self.region = region
    self.credentials = credentials
    self.addressing = addressing
    isAmazon = endpoint == nil
    guard let endpoint else {
      scheme = "https"
      authority = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
      basePath = ""
      return
    }
    guard let url = URLReference(parsing: endpoint), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let authority = url.authority, url.host?.isEmpty == false,
      url.query == nil, url.fragment == nil
    else {
      let hint = endpoint.contains("://") ? "" : "; for a server without TLS write 'http://\(endpoint)'"
      throw ObjectStorageFailure(
        "an S3 endpoint must be an http or https URL without a query, such as 'https://s3.example.com'\(hint)"
      )
    }
    guard !authority.contains("@") else {
      throw ObjectStorageFailure(
        "an S3 endpoint can't have a user name or password; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    }
    self.scheme = scheme
    self.authority = authority.lowercased()
    var path = Substring(PercentEncoding.normalized(url.path))
    while path.hasSuffix("/") { path.removeLast() }
    basePath = String(path)
  }

  /// A service with one access key, or none.
  package convenience init(
    endpoint: String?, region: String, addressing: Addressing? = nil, accessKey: AccessKey?
  ) throws(ObjectStorageFailure) {
    try self.init(
      endpoint: endpoint, region: region, addressing: addressing, credentials: Credentials(accessKey))
  }

  /// Whether requests are signed.
  package var isSigned: Bool { if case .none = credentials { false } else { true } }

  /// The access key, or the one that was given last; nil without one.
  package var accessKey: AccessKey? {
    switch credentials {
    case .none: nil
    case .key(let key): key
    case .provider(let provider): provider.lastAccessKey
    }
  }

  /// Who asks, for whom cached responses are kept; nil without credentials.
  package var identity: String? {
    switch credentials {
    case .none: nil
    case .key(let key): key.id
    case .provider(let provider): provider.identity
    }
  }

  /// The key to sign a request with that is sent now; nil if it isn't signed.
  /// - Throws: `CredentialFailure` if there are no credentials, or the calling task was cancelled.
  package func signingKey() async throws(CredentialFailure) -> AccessKey? {
    switch credentials {
    case .none: nil
    case .key(let key): key
    case .provider(let provider): try await provider.accessKey()
    }
  }

  /// Whether there are other keys after one that the server refused with this answer.
  package func renewsKeys(after answer: ObjectStorageAnswer) -> Bool {
    if case .provider = credentials { answer.refusesToken } else { false }
  }

  /// Gives up a key if the server's answer says that it isn't valid.
  package func discard(_ key: AccessKey, after answer: ObjectStorageAnswer) {
    guard case .provider(let provider) = credentials, answer.refusesToken else { return }
    provider.discard(key)
  }

  /// The URL of an object.
  package func url(of address: ObjectAddress) -> String {
    base(of: address.bucket) + "/" + Self.encoded(address.key)
  }

  /// The URL of a page of a listing (ListObjectsV2).
  /// - Parameters:
  ///   - address: The bucket, and the prefix of the keys.
  ///   - continuation: The token of the page before; nil for the first page.
  package func listingURL(of address: ObjectAddress, continuation: String? = nil) -> String {
    var query = "list-type=2&encoding-type=url"
    if let continuation { query += "&continuation-token=" + PercentEncoding.encodedSegment(continuation) }
    if !address.key.isEmpty { query += "&prefix=" + PercentEncoding.encodedSegment(address.key) }
    let base = base(of: address.bucket)
    return base + (isInHost(address.bucket) ? "/?" : "?") + query
  }

  private func base(of bucket: String) -> String {
    isInHost(bucket)
      ? "\(scheme)://\(bucket).\(authority)\(basePath)" : "\(scheme)://\(authority)\(basePath)/\(bucket)"
  }

  /// Whether the bucket is named in the host. AWS's certificates don't fit buckets with dots, and hosts have no capitals.
  private func isInHost(_ bucket: String) -> Bool {
    if let addressing { return addressing == .virtual }
    return isAmazon
      && bucket.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }

  /// The key as a path: everything except slashes and unreserved characters encoded, so that server and signature can't
  /// read it differently.
  private static func encoded(_ key: String) -> String {
    key.split(separator: "/", omittingEmptySubsequences: false).map(PercentEncoding.encodedSegment)
      .joined(separator: "/")
  }

  /// The fields of a request with its signature, made for this moment.
  /// - Parameters:
  ///   - fields: The request's other fields. `Content-Type` and those that begin with `x-amz-` are signed too.
  ///   - method: The method.
  ///   - url: The absolute URL, without user name and fragment.
  ///   - payload: The body's SHA-256 in hexadecimal. Default: that of no body.
  ///   - accessKey: The key of ``signingKey()``; nil returns the fields as they are.
  ///   - time: The time in seconds since 1970.
  package func signed(
    _ fields: [HeaderField], method: String = "GET", url: String,
    payload: String = RequestSigner.emptyPayload, by accessKey: AccessKey?, at time: Double
  ) -> [HeaderField] {
    guard let accessKey else { return fields }
    let rest =
      url.utf8.firstIndex(of: UInt8(ascii: ":")).map { url.utf8.index($0, offsetBy: 3) } ?? url.startIndex
    let slash =
      url.utf8[rest...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? url.endIndex
    let question = url.utf8[slash...].firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex
    let date = RequestSigner.date(time)
    var all = fields
    all.remove("Authorization")
    all.set("X-Amz-Date", date)
    all.set("X-Amz-Content-Sha256", payload)
    if let token = accessKey.token { all.set("X-Amz-Security-Token", token) }
    var request = RequestSigner.Request(
      path: String(url[slash..<question]),
      fields: all.filter { Self.isSigned($0.name.lowercased()) }
        + [HeaderField("Host", String(url[rest..<slash]))])
    request.method = method
    request.payload = payload
    if question < url.endIndex { request.query = String(url[url.utf8.index(after: question)...]) }
    let value = RequestSigner(region: region).authorization(request, date: date, by: accessKey)
    return all + [HeaderField("Authorization", value)]
  }

  private static func isSigned(_ name: String) -> Bool {
    name == "content-type" || name.hasPrefix("x-amz-")
  }
}
