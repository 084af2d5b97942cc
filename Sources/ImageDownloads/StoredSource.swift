public import ImageCaches

/// A source's bytes at hand: a digest and a path, never bytes in memory.
///
/// The path stays valid as long as a copy of this value lives: it holds the object's pin.
public struct StoredSource: Sendable {
  /// How the bytes were had.
  public enum Disposition: String, Sendable, Hashable {
    /// Asked for and received.
    case downloaded
    /// Received once for this and another waiter.
    case merged
    /// Stored and fresh: nobody was asked.
    case hit
    /// Stored, and the origin said that they haven't changed.
    case revalidated
    /// Stored and stale; the origin failed, or is asked later.
    case stale
    /// A local file, a `data:` URL or standard input.
    case local
  }

  /// The SHA-256 of the bytes.
  public var digest: ContentDigest
  /// A file with the bytes.
  public var path: String
  /// How many they are.
  public var byteCount: Int
  /// The `Content-Type` without parameters, in lower case.
  public var contentType: String?
  /// Where the bytes came from after redirects, as it may be shown; nil for local sources.
  public var finalURL: String?
  /// The validator of the answer.
  public var etag: String?
  /// The validator of the answer.
  public var lastModified: String?
  /// How the bytes were had.
  public var disposition: Disposition
  /// The source as it may be shown.
  public var displayText: String
  /// Keeps an object of the store where it is; nil for a local file.
  public var pin: ObjectPin?
  /// A local file as it was when its digest was taken; nil for what the store holds. Whoever reads the file compares
  /// it before and after, since nobody keeps the file from being changed.
  public var stamp: FileStamp?
  /// Whether an equal ``stamp`` proves equal bytes; false where the file was written so shortly before its digest was
  /// taken that another write may have left the stamp as it was.
  public var isStampCertain = true
}

/// What a downloader has done so far.
public struct DownloadTotals: Sendable, Hashable {
  /// Bodies received; an error's page counts only for who asked for any response.
  public var downloads = 0
  /// Requests sent, retries, redirects and validations included.
  public var requests = 0
  /// Bytes of those bodies.
  public var bytes = 0
  /// Waiters that joined a download in flight.
  public var merged = 0
  /// Stored answers that the origin confirmed.
  public var revalidated = 0
  /// Stored answers that were fresh.
  public var hits = 0
  /// Stored answers that stood in for an origin that failed.
  public var stale = 0
  /// Attempts after the first.
  public var retries = 0

  /// Nothing yet.
  public init() {}
}

/// What happens in a downloader, as it happens. Events of one download come in order.
public enum DownloadEvent: Sendable, Hashable {
  /// A transfer from a host has begun.
  case started(id: Int, source: String, host: String)
  /// Bytes received so far of the announced total.
  case progressed(id: Int, received: Int, expected: Int?)
  /// A transfer from `url` has ended: after redirects that isn't the source's. `error` says why it failed, an HTTP
  /// status of 400 or more included; nil if it didn't. A failure may be followed by ``retrying(source:seconds:error:)``.
  case finished(id: Int, url: String, bytes: Int, error: DownloadError?)
  /// A transfer will be tried again.
  case retrying(source: String, seconds: Double, error: DownloadError)
  /// A host is left alone for a while.
  case hostPaused(host: String, seconds: Double)
  /// Something that the user should know and that fails nothing.
  case warning(source: String, message: String)
}
