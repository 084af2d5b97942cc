public import Curl

/// An answer as a client of the cache sees it.
public struct FetchedResponse: Sendable {
  /// What the cache had to do with it; the raw values are those of `fetch --json`.
  public enum CacheStatus: String, Sendable, Codable {
    /// It came from the origin.
    case miss
    /// Stored and fresh.
    case hit
    /// Stored, and confirmed by the origin.
    case revalidated
    /// Stored and stale.
    case stale
    /// The cache was told to keep out of it.
    case bypass
  }

  /// The status code.
  public var status: Int
  /// The reason phrase; empty in HTTP/2.
  public var reason: String
  /// The fields as the cache serves them: repeats kept, `Age` generated, hop-by-hop fields dropped.
  public var fields: [HeaderField]
  /// The URL that answered, as it may be shown.
  public var finalURL: String?
  /// What the cache had to do with it.
  public var cache: CacheStatus
  /// A file with the body; it stays as long as this value lives.
  public var body: StoredSource

  /// Whether the status is one of a client's or server's error (RFC 9110 §15.5, §15.6).
  public var isError: Bool { status >= 400 }

  /// Whether the same request may succeed later: 408, 425, 429, 500, 502, 503, 504 and a few that are in use beside them.
  public var isTemporaryError: Bool { RetryPolicy.isTransient(status: status) }

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
