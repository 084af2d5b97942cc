import Curl
import WebValues

/// Whether a response may differ for another user, so that what is made from it stays on this machine.
enum PrivateResponse {
  /// Fields that don't identify the user.
  private static let usualFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "cache-control", "range", "user-agent",
  ]

  /// Whether a request shows who the user is: by a credential, a field such as `Authorization` or `Cookie`, or a URL with a
  /// password, signature or token.
  static func isRequested(by request: OutgoingRequest, _ url: WebAddress) -> Bool {
    request.credential != nil || request.signer != nil || url.credential != nil
      || url.displayText != url.description
      || request.fields.contains { !usualFields.contains($0.name.lowercased()) }
  }

  /// Parts of the names of fields that hold credentials, such as `Cookie`, `X-Api-Key` and `Private-Token`.
  private static let credentialWords = [
    "auth", "cookie", "credential", "key", "password", "secret", "session", "signature", "token",
  ]

  /// Whether a request field belongs to the key of its responses whatever `Vary` says: it holds a credential, or another
  /// host than the URL.
  static func isCredential(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "host" || credentialWords.contains { name.contains($0) }
  }

  /// Whether the server says that the response is for one user (RFC 9111, section 5.2.2.7) or not to be kept (5.2.2.5).
  static func isMarked(_ fields: [HeaderField]) -> Bool {
    let directives = CacheControl(fields)
    return directives.has("private") || directives.has("no-store")
  }
}
