import Curl

/// A request to the remote cache that didn't succeed.
struct RemoteFailure: Error {
  enum Kind: Hashable {
    /// The cache doesn't have the object.
    case missing
    /// The server asks for fewer requests (429, 503).
    case busy
    /// The server won't do this, now or later (401, 403, 405, 413, 507 …).
    case refused
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
  init(status: Int) {
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
