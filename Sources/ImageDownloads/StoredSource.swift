public import struct FoundationEssentials.URL
public import ImageCaches

/// The downloaded bytes of a source: a file and its digest.
///
/// The file exists while a copy of this value lives, because it holds the object's pin.
public struct StoredSource: Sendable {
  /// How the bytes were obtained: downloaded, from the HTTP cache, or local.
  public enum Disposition: String, Sendable, Hashable {
    /// Downloaded for this call alone.
    case downloaded
    /// Downloaded once for this and another call.
    case merged
    /// Stored and fresh: no request was sent.
    case hit
    /// Stored, and confirmed by the origin.
    case revalidated
    /// Stored and stale: the origin failed, wasn't asked, or is asked later.
    case stale
    /// Read from a local file, a `data:` URL or standard input.
    case local
  }

  /// The SHA-256 of the bytes.
  public var digest: ContentDigest
  /// The path of a file with the bytes.
  package var path: String
  /// A file with the bytes.
  public var file: URL { URL(filePath: path) }
  /// The size of the file in bytes.
  public var byteCount: Int
  /// The `Content-Type` without parameters, in lower case; nil if the response has none.
  public var contentType: String?
  /// The URL after redirects, without secrets; nil for local sources.
  public var finalURL: String?
  /// The response's `ETag` field (RFC 9110 §8.8.3); nil if it has none.
  public var etag: String?
  /// The response's `Last-Modified` field (RFC 9110 §8.8.2); nil if it has none.
  public var lastModified: String?
  /// How the bytes were obtained: downloaded, from the HTTP cache, or local.
  public var disposition: Disposition
  /// The source without secrets, for display.
  public var displayText: String
  /// Keeps the object in the store; nil for a local file.
  public var pin: ObjectPin?
  /// A local file's fingerprint at the time of its digest; nil for objects in the store. The file may change at any
  /// time, so compare the fingerprint before and after reading it.
  package var fingerprint: FileFingerprint?
  /// Whether an equal ``fingerprint`` proves equal bytes. If the file was written just before its digest was computed,
  /// another write may leave the fingerprint unchanged.
  package var isFingerprintCertain = true
  /// Whether the response is for this user: a request had credentials or fields that the user set, its URL has a signature
  /// or token, or the server called the response private. Outputs made from it never leave the machine.
  package var isPrivate = false
  /// The response that is cached once a decoder has read its body to its end; nil if the body's length was announced.
  package var unconfirmed: UnconfirmedResponse?
}

/// The totals of a downloader since it was created.
public struct DownloadTotals: Sendable, Hashable {
  /// Bodies received. Bodies of error responses count only for ``ImageDownloader/fetch(_:followsRedirects:priority:)``.
  public var downloads = 0
  /// Requests sent, including retries, redirects and validations.
  public var requests = 0
  /// The bytes of the bodies received.
  public var bytes = 0
  /// Calls that joined another call's download.
  public var merged = 0
  /// Stored responses that the origin confirmed.
  public var revalidated = 0
  /// Stored responses that were fresh, so that no request was sent.
  public var hits = 0
  /// Stored responses that were served stale.
  public var stale = 0
  /// Attempts after the first, of all downloads.
  public var retries = 0

  /// Creates totals that are all 0.
  public init() {}
}

/// An event of a downloader. Events of one download arrive in order.
public enum DownloadEvent: Sendable, Hashable {
  /// A transfer from a host has started.
  case started(id: Int, source: String, host: String)
  /// Bytes have been received; `expected` is the announced total.
  case progressed(id: Int, received: Int, expected: Int?)
  /// A transfer from `url`, the source's or a redirect's target, has ended. `isUnchanged` tells that the server answered
  /// 304: what is stored is still valid. `error` is the failure, such as an HTTP status of 400 or more;
  /// ``retrying(source:after:error:)`` may follow.
  case finished(id: Int, url: String, bytes: Int, isUnchanged: Bool = false, error: DownloadError?)
  /// A transfer failed and will be retried.
  case retrying(source: String, after: Duration, error: DownloadError)
  /// A host gets no requests for a while.
  case hostPaused(host: String, for: Duration)
  /// A problem that doesn't fail the download.
  case warning(source: String, message: String)
}
