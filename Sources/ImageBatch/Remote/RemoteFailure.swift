import Curl
import ObjectStorage
import SystemIO

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

  /// Creates the failure of an error response of object storage.
  init(_ answer: ObjectStorageAnswer, of address: ObjectAddress, isSigned: Bool) {
    let words = answer.words(for: address, isSigned: isSigned, serverTime: nil, now: SystemTime.now)
    switch (answer.status, answer.code) {
    // A bucket that doesn't exist has the same status, and never gets an object.
    case (404, "NoSuchKey"), (404, nil), (410, nil): self.init(.missing, words)
    case (429, _), (503, _): self.init(.busy, "it is busy: \(words)")
    // The object in the local store has other bytes than its name says, or they were changed on the way.
    case (_, "XAmzContentSHA256Mismatch"), (_, "BadDigest"): self.init(.local, words)
    case (507, nil): self.init(status: 507)
    default: self.init(answer.isTemporary ? .busy : .refused, words)
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
