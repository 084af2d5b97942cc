/// Gives access keys that don't last, and renews them.
package protocol AccessKeyProvider: Sendable {
  /// The key for a request that is sent now.
  /// - Throws: `CredentialFailure` if there is none, or the calling task was cancelled.
  func accessKey() async throws(CredentialFailure) -> AccessKey

  /// The key that was given last, of which a server's answer must not be shown; nil before the first.
  var lastAccessKey: AccessKey? { get }

  /// Who the keys are for. It is the same for all keys, and known without a request: cached responses are kept by it.
  var identity: String { get }

  /// Gives up a key that a server has called expired or invalid.
  func discard(_ key: AccessKey)
}

/// Why there are no credentials, in words without secrets.
package struct CredentialFailure: Error, Hashable, Sendable {
  package let message: String
  /// Whether there may be some later.
  package var isTemporary: Bool
  /// Whether the calling task was cancelled.
  package var isCancelled = false

  package init(_ message: String, isTemporary: Bool = false) {
    self.message = message
    self.isTemporary = isTemporary
  }

  /// The failure of a call that was cancelled.
  package static var cancelled: CredentialFailure {
    var failure = CredentialFailure("the call was cancelled")
    failure.isCancelled = true
    return failure
  }
}
