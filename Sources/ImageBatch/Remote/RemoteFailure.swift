import Curl
import ObjectStorage

/// A request to the remote cache that didn't succeed.
struct RemoteFailure: Error {
  enum Kind: Hashable {
    /// The cache doesn't have the object.
    case missing
    /// The server asks for fewer requests (429, 503).
    case busy
    /// The server won't do this, now or later (401, 403, 405, 413, 507 …).
    case refused
    /// The server refuses whatever it is asked, because the credentials, the bucket or the region are wrong.
    case rejected
    /// No server, no valid response, or none in time.
    case unreachable
    /// The bytes aren't those that their name promises, or the record is invalid.
    case wrong
    /// The transfer was ended from this side.
    case ended
    /// The local store failed.
    case local
  }

  let kind: Kind
  /// What happened, as the end of a sentence.
  let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Creates the failure of a status that isn't a success.
  /// - Parameter operation: What was asked for. Default: a lookup.
  init(status: Int, to operation: RemoteHealth.Operation = .lookup) {
    if operation == .upload, [404, 405, 409, 501].contains(status) {
      self.init(
        .refused,
        "it doesn't accept uploads (HTTP status \(status)); enable PUT and the creation of directories (in nginx: "
          + "'dav_methods PUT' and 'create_full_put_path on'), or only read from it")
      return
    }
    switch status {
    case 404, 410: self.init(.missing, "it has no such object")
    case 429, 503: self.init(.busy, "it is busy (HTTP status \(status))")
    case 401, 403:
      self.init(.refused, "it refuses access (HTTP status \(status)); check the header with its credentials")
    case 507: self.init(.refused, "it is full (HTTP status 507)")
    case 300..<400:
      self.init(.refused, "it redirects (HTTP status \(status)); use the URL that it redirects to")
    default: self.init(.refused, "it returned HTTP status \(status)")
    }
  }

  /// Creates the failure of an error response of object storage.
  /// - Parameters:
  ///   - address: The object.
  ///   - service: The server, and who signs the requests to it.
  ///   - serverTime: The server's time in seconds since 1970; nil if unknown.
  ///   - now: This machine's time.
  init(
    _ answer: ObjectStorageAnswer, to operation: RemoteHealth.Operation, of address: ObjectAddress,
    by service: ObjectService, serverTime: Double?, now: Double
  ) {
    let isSigned = service.isSigned
    let words = answer.words(for: address, isSigned: isSigned, serverTime: serverTime, now: now)
    let status = answer.status
    switch answer.code {
    case nil: self.init(bare: status, to: operation, words, isSigned: isSigned)
    case "NoSuchKey": self.init(.missing, words)
    // The object in the local store has other bytes than its name says, or they were changed on the way.
    case "XAmzContentSHA256Mismatch", "BadDigest": self.init(.local, words)
    // The next attempt is signed with another key.
    case _? where service.renewsKeys(after: answer): self.init(.busy, words)
    // Who may not list the bucket gets this for each object that is missing.
    case "AccessDenied" where operation == .lookup:
      let remedy =
        isSigned
        ? "allow the credentials s3:GetObject and s3:ListBucket"
        : "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or let everyone get and list objects"
      self.init(.rejected, "the bucket '\(address.bucket)' refuses access (AccessDenied); \(remedy)")
    case "AccessDenied":
      self.init(
        .refused,
        "the bucket '\(address.bucket)' refuses uploads (AccessDenied); allow the credentials s3:PutObject, or only read"
      )
    case let code? where Self.concernsAll.contains(code): self.init(.rejected, words)
    default:
      if status == 429 || status == 503 || answer.isTemporary {
        self.init(.busy, "it is busy: \(words)")
      } else {
        self.init((300..<400).contains(status) ? .rejected : .refused, words)
      }
    }
  }

  /// Codes of mistakes in the settings, which every request meets.
  private static let concernsAll: Set<String> = [
    "AccountProblem", "AllAccessDisabled", "AuthorizationHeaderMalformed", "ExpiredToken",
    "InvalidAccessKeyId",
    "InvalidBucketName", "InvalidClientTokenId", "InvalidToken", "NoSuchBucket", "RequestExpired",
    "RequestTimeTooSkewed", "SignatureDoesNotMatch", "TokenRefreshRequired",
  ]

  /// Creates the failure of an error response of object storage that has no code.
  private init(
    bare status: Int, to operation: RemoteHealth.Operation, _ words: String, isSigned: Bool
  ) {
    switch status {
    case 401, 403:
      let remedy = isSigned ? "check the credentials and what they allow" : "set credentials"
      self.init(.refused, "it refuses access (HTTP status \(status)); \(remedy)")
    case 300..<400: self.init(.rejected, words)
    default: self.init(status: status, to: operation)
    }
  }

  init(_ error: CurlError) {
    switch error.reason {
    case .cancelled, .shutDown: self.init(.ended, "the transfer was ended")
    case .byteLimitExceeded, .longerThanAnnounced: self.init(.wrong, error.message)
    // A truncated body (CURLE_PARTIAL_FILE) is wrong bytes, not a dead server.
    case .transport where error.curlCode == 18: self.init(.wrong, error.message)
    default: self.init(.unreachable, error.message)
    }
  }
}
