import Curl

/// Whether an answer is an image: status, then content type, then first bytes.
struct ResponseValidation: Sendable {
  var acceptableContentTypes: Set<String>

  /// Why the head alone rules an image out; nil where it doesn't.
  func failure(of head: ResponseHead, source: String) -> DownloadError? {
    guard !(200..<300).contains(head.status) else { return nil }
    let reason = head.reason.isEmpty ? "" : " \(head.reason)"
    var error = DownloadError(
      .httpStatus, "the server answered \(head.status)\(reason)\(Self.hint(head.status))", source: source)
    error.status = head.status
    error.isTemporary = RetryPolicy.isTransient(status: head.status)
    return error
  }

  /// Why the head and the first bytes rule an image out; nil where they don't.
  func failure(of head: ResponseHead, prefix: [UInt8], source: String) -> DownloadError? {
    if let words = ContentSignature.refusal(prefix) {
      return refusal("the server sent \(words), not a picture", head, source)
    }
    // No coding was asked for (RFC 9110 §12.5.3); a picture under a wrong label is taken all the same.
    if let coding = head.fields.first("Content-Encoding")?.lowercased(), coding != "identity",
      !ContentSignature.isImage(prefix)
    {
      return refusal("the server sent the picture coded as '\(coding)', which wasn't asked for", head, source)
    }
    guard let field = head.fields.first("Content-Type") else { return nil }
    let type = ContentTypes.essence(field)
    guard !acceptableContentTypes.contains(type), !ContentSignature.isImage(prefix) else { return nil }
    return refusal("the server sent '\(type)', not a picture", head, source)
  }

  /// Why a body of no bytes isn't one.
  func emptyBody(_ head: ResponseHead, source: String) -> DownloadError {
    var error = DownloadError(.empty, "the server sent an empty body", source: source)
    error.status = head.status
    return error
  }

  private func refusal(_ message: String, _ head: ResponseHead, _ source: String) -> DownloadError {
    var error = DownloadError(
      .notAnImage, "\(message); open the URL in a browser to see what it is", source: source)
    error.status = head.status
    return error
  }

  private static func hint(_ status: Int) -> String {
    switch status {
    case 401: "; it wants credentials: see --user and --netrc"
    case 403: "; it may want credentials, or another --header"
    case 404, 410: "; check the URL"
    case 407: "; the proxy wants credentials: put them into --proxy"
    case 429: "; it wants fewer requests: see --rate and --per-host"
    default: ""
    }
  }
}
