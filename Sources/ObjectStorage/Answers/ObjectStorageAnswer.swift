package import WebValues

/// An error answer of a server of object storage, and what it means for the user.
package struct ObjectStorageAnswer: Hashable, Sendable {
  /// The HTTP status.
  package let status: Int
  /// The server's code, such as `NoSuchKey`; nil if the body has none.
  package private(set) var code: String?
  /// The server's own words.
  package private(set) var message: String?
  /// The bucket's region, if the server names it.
  package private(set) var region: String?

  /// Reads an answer.
  /// - Parameters:
  ///   - prefix: The body, or its beginning.
  package init(status: Int, fields: [HeaderField], prefix: [UInt8]) {
    self.status = status
    region = fields.first("x-amz-bucket-region")
    for element in XMLElements(prefix) {
      switch element.path {
      case ["Error", "Code"]: code = element.text
      case ["Error", "Message"]: message = element.text
      case ["Error", "Region"]: region = element.text
      default: break
      }
    }
    if code?.isEmpty == true { code = nil }
  }

  /// The same answer without what repeats one of these texts: a server may send back what it was sent.
  package func hiding(_ secrets: [String]) -> ObjectStorageAnswer {
    func shown(_ text: String?) -> String? {
      text.flatMap { text in secrets.contains { !$0.isEmpty && text.contains($0) } ? nil : text }
    }
    var answer = self
    answer.code = shown(code)
    answer.message = shown(message)
    answer.region = shown(region)
    return answer
  }

  /// What happened, in one sentence.
  /// - Parameters:
  ///   - address: The object, or the prefix of a listing.
  ///   - isSigned: Whether the request was signed.
  ///   - serverTime: The server's time in seconds since 1970; nil if unknown.
  ///   - now: This machine's time.
  package func words(
    for address: ObjectAddress, isSigned: Bool, serverTime: Double?, now: Double
  ) -> String {
    let bucket = address.bucket
    let known: String? =
      switch code {
      case "NoSuchKey": "the bucket '\(bucket)' has no object with this key"
      case "NoSuchBucket": "there is no bucket '\(bucket)'; check its name and the endpoint"
      case "InvalidBucketName": "'\(bucket)' isn't a valid name for a bucket"
      case "AccessDenied", "AllAccessDisabled", "AccountProblem":
        isSigned
          ? "the credentials don't allow it, or there is no such object and they don't allow listing the bucket"
          : "credentials are needed, and none are set; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
      case "ExpiredToken", "TokenRefreshRequired": "the session token has expired; get new credentials"
      case "InvalidToken": "the server refused the session token; get new credentials"
      case "InvalidAccessKeyId", "InvalidClientTokenId":
        "the server doesn't know the access key; check the credentials and the endpoint"
      case "SignatureDoesNotMatch": "the server refused the signature; check the secret access key"
      case "RequestTimeTooSkewed", "RequestExpired": Self.skew(serverTime, now)
      case "SlowDown", "SlowDownRead", "ServiceUnavailable", "Throttling", "TooManyRequests":
        "the server asks for fewer requests"
      case "RequestTimeout": "the server waited too long for the request"
      case "InvalidObjectState": "the object is archived; restore it first"
      case "PermanentRedirect", "TemporaryRedirect":
        region == nil
          ? "the bucket '\(bucket)' has another endpoint; check the endpoint and AWS_REGION"
          : misdirected(bucket)
      default: region == nil ? nil : misdirected(bucket)
      }
    guard let code else {
      // Without a body, the status has to tell.
      if region != nil, (300..<400).contains(status) { return misdirected(bucket) }
      if (300..<400).contains(status) {
        return "the server redirects to another endpoint (\(status)); check the endpoint"
      }
      if status == 403, !isSigned { return "credentials are needed, and none are set (403)" }
      return "the server returned \(status)"
    }
    if let known { return "\(known) (\(code))" }
    let own = message.map { ": \($0.prefix(200))" } ?? ""
    return "the server returned \(status) (\(code)\(own))"
  }

  private func misdirected(_ bucket: String) -> String {
    "the bucket '\(bucket)' is in the region '\(region ?? "")'; set AWS_REGION to it"
  }

  private static func skew(_ serverTime: Double?, _ now: Double) -> String {
    guard let serverTime else { return "this machine's clock is wrong; set it" }
    let minutes = Int(((now - serverTime) / 60).rounded())
    let way = minutes < 0 ? "behind" : "ahead of"
    return "this machine's clock is \(abs(minutes)) minutes \(way) the server's; set it"
  }

  /// Whether the same request may succeed later, by the server's code alone.
  package var isTemporary: Bool {
    ["SlowDown", "SlowDownRead", "RequestTimeout", "InternalError", "ServiceUnavailable", "Throttling"]
      .contains(code)
  }

  /// Whether the credentials aren't valid any more, or not yet.
  package var refusesToken: Bool {
    ["ExpiredToken", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId", "InvalidClientTokenId"]
      .contains(code)
  }
}
