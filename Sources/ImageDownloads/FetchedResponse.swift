public import WebValues

/// A response as the HTTP cache serves it.
public struct FetchedResponse: Sendable {
  /// The cache's part in a response; the raw values are those of `fetch --json`.
  public enum CacheStatus: String, Sendable, Codable {
    /// The response came from the origin.
    case miss
    /// It was stored and fresh: no request was sent.
    case hit
    /// It was stored, and the origin confirmed it.
    case revalidated
    /// It was stored and stale: the origin failed, wasn't asked, or is asked later.
    case stale
    /// The cache mode was ``CacheMode/none``.
    case bypass
  }

  /// The status code (RFC 9110 §15).
  public var status: Int
  /// The reason phrase; empty in HTTP/2.
  public var reason: String
  /// The fields, with a generated `Age` and without hop-by-hop fields; repeated fields are kept.
  public var fields: [HeaderField]
  /// The URL of the response after redirects, without secrets.
  public var finalURL: String?
  /// The cache's part in the response.
  public var cache: CacheStatus
  /// A file with the body, which exists while a copy of this value lives.
  public var body: StoredSource

  /// Whether the status is a client or server error (RFC 9110 §15.5, §15.6).
  public var isError: Bool { status >= 400 }

  /// Whether the status may pass: 408, 425, 429, 500, 502, 503, 504, Cloudflare's 520 to 524, or 529.
  public var isTemporaryError: Bool { RetryPolicy.isTransient(status: status) }

  /// The error of a download with this response; nil for a success.
  /// - Parameter source: The source for display, without secrets.
  package func failure(of source: String) -> DownloadError? {
    guard !(200..<300).contains(status) else { return nil }
    let words = reason.isEmpty ? "" : " \(reason)"
    return DownloadError(
      .httpStatus, "the server returned \(status)\(words)", source: source, status: status,
      isTemporary: isTemporaryError)
  }

  init(_ response: Response, _ mode: CacheMode) {
    status = response.head.status
    reason = response.head.reason
    fields = response.head.fields
    finalURL = response.url?.displayText
    body = response.source(displayText: response.url?.displayText ?? response.path)
    cache =
      switch response.disposition {
      case _ where mode == .none: .bypass
      case .downloaded, .merged, .local: .miss
      case .hit: .hit
      case .revalidated: .revalidated
      case .stale: .stale
      }
  }
}
