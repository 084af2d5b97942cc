import Curl
public import ImageCaches

/// Why a download failed.
public struct DownloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  public enum Code: String, Sendable, Codable {
    /// The text names no source that is supported.
    case badSource = "bad-source"
    /// A local file that can't be read.
    case unreadable = "file-unreadable"
    /// An HTTP status other than 2xx.
    case httpStatus = "http-status"
    /// The server keeps answering 429 or 503, or asks to wait for longer than is waited.
    case throttled = "throttled"
    /// The host's name has no address, or the resolver failed.
    case unresolved = "host-not-found"
    /// No connection.
    case connectionFailed = "connection-failed"
    /// A host that has not answered many times in a row is not asked any more, for now.
    case hostDown = "host-down"
    /// A connection that broke, or answers that make no sense.
    case transferFailed = "transfer-failed"
    /// One of the three time-outs.
    case timedOut = "timed-out"
    /// The body ended before its announced length.
    case truncated = "truncated"
    /// The TLS certificate isn't trusted, or TLS failed.
    case tls = "tls-failed"
    /// The address policy refuses the host or its address.
    case notAllowed = "not-allowed"
    /// More redirects than allowed, or a circle.
    case tooManyRedirects = "too-many-redirects"
    /// A redirect that isn't followed: to another scheme, or from https to http.
    case badRedirect = "bad-redirect"
    /// More bytes than ``ImageDownloader/Configuration/byteLimit``.
    case tooLarge = "too-large"
    /// The content type or the first bytes are no image's.
    case notAnImage = "not-an-image"
    /// A body of no bytes.
    case empty = "empty-body"
    /// Other bytes than the `sha256` pin says.
    case digestMismatch = "digest-mismatch"
    /// Nothing is stored, and no request may be sent.
    case notCached = "not-cached"
    /// The receipt, its URL, its owner or the task was cancelled.
    case cancelled = "cancelled"
    /// The cache directory failed.
    case cache = "cache-failed"
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence: what happened. It shows no secret, and names no setting of a program.
  public let message: String
  /// The source as it may be shown.
  public let source: String
  /// The HTTP status, where one came.
  public var status: Int?
  /// libcurl's code, where it was libcurl that failed.
  public var curlCode: Int?
  /// What stood in the way, where the code alone doesn't say which setting would change that.
  public var reason: Reason?
  /// Whether the same download may succeed later.
  public var isTemporary = false
  /// What the bytes are, where they aren't the pinned ones.
  public var foundDigest: ContentDigest?

  /// A failure.
  public init(_ code: Code, _ message: String, source: String) {
    self.init(code, message, source: source, status: nil, isTemporary: false)
  }

  init(_ code: Code, _ message: String, source: String, status: Int?, isTemporary: Bool) {
    (self.code, self.message, self.source) = (code, message, source)
    (self.status, self.isTemporary) = (status, isTemporary)
  }

  /// Whether it ended because somebody asked for that.
  public var isCancelled: Bool { code == .cancelled }

  /// The message.
  public var description: String { message }

  static func badSource(_ text: String, _ message: String) -> DownloadError {
    let shown =
      text.hasPrefix("data:") ? ImageSource.data(text).displayText : Self.withoutUserInformation(text)
    return DownloadError(.badSource, "\(message): '\(shown)'", source: shown)
  }

  /// Broken URLs are shown too, so that what may be a password is cut out without parsing.
  private static func withoutUserInformation(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@"), let slash = text[..<at].lastIndex(of: "/") else { return text }
    return String(text[...slash] + text[text.index(after: at)...])
  }

  static func cancelled(_ source: String) -> DownloadError {
    DownloadError(.cancelled, "The request was explicitly cancelled.", source: source)
  }

  static func mismatch(_ digest: ContentDigest, pinned: ContentDigest, source: String) -> DownloadError {
    var error = DownloadError(
      .digestMismatch,
      "the bytes are not the pinned ones: their SHA-256 is \(digest), not \(pinned); check the source, then its pin",
      source: source)
    error.foundDigest = digest
    return error
  }

  static func hostDown(_ state: RequestState) -> DownloadError {
    DownloadError(
      .hostDown,
      "\(state.url.host) has not responded for a while and is not asked any more",
      source: state.key.displayText, status: nil, isTemporary: true)
  }

  static func throttled(_ status: Int, seconds: Double, source: String) -> DownloadError {
    DownloadError(
      .throttled,
      "the server answered \(status) and asks to wait for \(Int(seconds)) s",
      source: source, status: status, isTemporary: true)
  }

  init(_ error: CacheError, source: String) {
    self.init(.cache, error.message, source: source)
    reason = .cache(error.reason)
  }
}

extension DownloadError {
  /// What libcurl's failure means to a user.
  init(
    _ error: CurlError, source: String, policy: AddressPolicy, configuration: ImageDownloader.Configuration
  ) {
    switch error.reason {
    case .cancelled, .shutDown: self = .cancelled(source)
    case .byteLimitExceeded: self = .tooLarge(source, limit: configuration.byteLimit)
    case .addressRefused(let address):
      self = policy.refusal(of: address).error(source: source)
    case .headTooLong:
      self.init(
        .transferFailed, "the server sent an endless header; it is no server for pictures", source: source)
    case .longerThanAnnounced:
      self.init(
        .transferFailed, "\(error.message): where it ends can't be told; ask whoever runs the server",
        source: source)
    case .stoppedBySink:
      self.init(.transferFailed, "the body was not wanted", source: source)
    case .transport:
      // Before a request is sent, 43 speaks of the request.
      let isAboutResponse = error.requests > 0 && [27, 43].contains(error.curlCode)
      let (code, message, reason): (Code, String, Reason?) =
        isAboutResponse
        ? (.transferFailed, "the server sent a header that makes no sense; ask whoever runs the server", nil)
        : Self.meaning(ofCurl: error.curlCode, error.message)
      self.init(code, message, source: source)
      self.reason = reason
      isTemporary = RetryPolicy.isTransient(curlCode: error.curlCode)
    }
    status = error.status
    if error.curlCode != 0 { curlCode = error.curlCode }
  }

  static func tooLarge(_ source: String, limit: Int) -> DownloadError {
    var error = DownloadError(.tooLarge, "the body is longer than \(limit) bytes", source: source)
    error.reason = .byteLimit(limit)
    return error
  }

  private static func meaning(ofCurl code: Int, _ detail: String) -> (Code, String, Reason?) {
    switch code {
    case 1, 8: (.transferFailed, "the server doesn't speak HTTP: \(detail)", nil)
    case 3: (.badSource, "libcurl can't use the URL: \(detail)", nil)
    case 5: (.unresolved, "the proxy's name has no address: \(detail)", .proxyName)
    case 6: (.unresolved, "the host has no address: \(detail); check its spelling and the resolver", nil)
    case 7: (.connectionFailed, "no connection: \(detail)", nil)
    case 18: (.truncated, "the connection ended before the body did: \(detail)", nil)
    case 28: (.timedOut, detail, nil)
    case 35, 53, 54, 58, 59, 64, 66, 80, 83, 90, 91: (.tls, "TLS failed: \(detail)", nil)
    case 60: (.tls, "the server's certificate isn't trusted: \(detail)", .untrustedCertificate)
    case 77: (.tls, "the certificates can't be read: \(detail)", .unreadableCertificates)
    default: (.transferFailed, "the transfer failed: \(detail)", nil)
    }
  }
}
