import Curl
public import ImageCaches

/// The reason that a download failed.
public struct DownloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  public enum Code: String, Sendable, Codable {
    /// The text is not a supported source.
    case badSource = "bad-source"
    /// A local file can't be read.
    case unreadable = "file-unreadable"
    /// The HTTP status is not 2xx.
    case httpStatus = "http-status"
    /// The server requests a wait longer than ``ImageDownloader/Configuration/longestRetryWait``.
    case throttled = "throttled"
    /// The host name has no address, or the resolver failed.
    case unresolved = "host-not-found"
    /// The connection could not be established.
    case connectionFailed = "connection-failed"
    /// The host repeatedly failed to respond, so requests to it are suspended.
    case hostDown = "host-down"
    /// The connection broke, or the response is invalid.
    case transferFailed = "transfer-failed"
    /// One of the three timeouts expired.
    case timedOut = "timed-out"
    /// The body is shorter than announced.
    case truncated = "truncated"
    /// The TLS certificate isn't trusted, or TLS failed.
    case tls = "tls-failed"
    /// The address policy refuses the host or its address.
    case notAllowed = "not-allowed"
    /// More redirects than ``ImageDownloader/Configuration/redirects``, as in a loop.
    case tooManyRedirects = "too-many-redirects"
    /// A redirect is refused: to another scheme, or from https to http.
    case badRedirect = "bad-redirect"
    /// The body exceeds ``ImageDownloader/Configuration/byteLimit``.
    case tooLarge = "too-large"
    /// The content type or the first bytes are not those of an image.
    case notAnImage = "not-an-image"
    /// The body has no bytes.
    case empty = "empty-body"
    /// The bytes don't match the `sha256` pin.
    case digestMismatch = "digest-mismatch"
    /// No usable response is stored, and no request may be sent.
    case notCached = "not-cached"
    /// The receipt, its URL, its owner or the task was cancelled.
    case cancelled = "cancelled"
    /// The disk store failed; see ``DownloadError/Reason/cache(_:)``.
    case cache = "cache-failed"
  }

  /// The kind of failure, whose raw value appears in reports.
  public let code: Code
  /// What happened, in one sentence without secrets and without names of settings.
  public let message: String
  /// The source for display, without secrets.
  public let source: String
  /// The HTTP status; nil if no response arrived.
  public var status: Int?
  /// libcurl's code (libcurl-errors(3)); nil if libcurl didn't fail.
  public var curlCode: Int?
  /// The cause, if the code alone doesn't tell which setting would avoid the failure; otherwise nil.
  public var reason: Reason?
  /// Whether the same download may succeed later.
  public var isTemporary = false
  /// The digest of the bytes, if it isn't the pinned one; otherwise nil.
  public var foundDigest: ContentDigest?

  /// Creates a permanent failure.
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened, in one sentence without secrets.
  ///   - source: The source for display, without secrets.
  public init(_ code: Code, _ message: String, source: String) {
    self.init(code, message, source: source, status: nil, isTemporary: false)
  }

  init(_ code: Code, _ message: String, source: String, status: Int?, isTemporary: Bool) {
    (self.code, self.message, self.source) = (code, message, source)
    (self.status, self.isTemporary) = (status, isTemporary)
  }

  /// Whether the code is ``Code/cancelled``, which is not a failure of the source.
  public var isCancelled: Bool { code == .cancelled }

  /// The message, without the code and the source.
  public var description: String { message }

  static func badSource(_ text: String, _ message: String) -> DownloadError {
    let shown =
      text.hasPrefix("data:") ? ImageSource.data(text).displayText : Self.withoutUserInformation(text)
    return DownloadError(.badSource, "\(message): '\(shown)'", source: shown)
  }

  /// Removes a possible password without parsing: invalid URLs are shown too.
  private static func withoutUserInformation(_ text: String) -> String {
    let text = SecretText.hidden(in: text)
    guard let at = text.lastIndex(of: "@"), let slash = text[..<at].lastIndex(of: "/") else { return text }
    return String(text[...slash] + text[text.index(after: at)...])
  }

  static func cancelled(_ source: String) -> DownloadError {
    // AlamofireImage's text.
    DownloadError(.cancelled, "The request was explicitly cancelled.", source: source)
  }

  static func mismatch(_ digest: ContentDigest, pinned: ContentDigest, source: String) -> DownloadError {
    var error = DownloadError(
      .digestMismatch,
      "the SHA-256 is \(digest), not the pinned \(pinned); check the source, then its pin",
      source: source)
    error.foundDigest = digest
    return error
  }

  static func hostDown(_ state: RequestState) -> DownloadError {
    DownloadError(
      .hostDown,
      "\(state.url.host) has stopped responding; requests to it are suspended",
      source: state.key.displayText, status: nil, isTemporary: true)
  }

  static func throttled(_ status: Int, seconds: Double, source: String) -> DownloadError {
    DownloadError(
      .throttled,
      "the server returned \(status) and asks to wait \(Int(seconds)) s",
      source: source, status: status, isTemporary: true)
  }

  init(_ error: CacheError, source: String) {
    self.init(.cache, error.message, source: source)
    reason = .cache(error.reason)
  }
}

extension DownloadError {
  /// Translates libcurl's failure for users.
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
        .transferFailed, "the response header is too long; check that the URL names an image", source: source)
    case .longerThanAnnounced:
      self.init(
        .transferFailed, "\(error.message), so its end is unknown; contact the server's operator",
        source: source)
    case .stoppedBySink, .bodyUnreadable:
      self.init(.transferFailed, "the receiver stopped the transfer", source: source)
    case .transport:
      // Before a request is sent, 43 (CURLE_BAD_FUNCTION_ARGUMENT) is about the request's fields.
      let isAboutResponse = error.requests > 0 && [27, 43].contains(error.curlCode)
      let (code, message, reason): (Code, String, Reason?) =
        isAboutResponse
        ? (.transferFailed, "the server sent an invalid header; contact the server's operator", nil)
        : Self.meaning(ofCurl: error.curlCode, Self.withoutCredentials(error.message))
      self.init(code, message, source: source)
      self.reason = error.isAboutProxyScheme ? .proxyName : reason
      isTemporary = RetryPolicy.isTransient(curlCode: error.curlCode) && !error.isAboutProxyScheme
    }
    status = error.status
    if error.curlCode != 0 { curlCode = error.curlCode }
  }

  /// - Parameter noun: What is too large: a response's body, a file or another input.
  static func tooLarge(_ source: String, _ noun: String = "body", limit: Int) -> DownloadError {
    var error = DownloadError(.tooLarge, "the \(noun) is longer than \(limit) bytes", source: source)
    error.reason = .byteLimit(limit)
    return error
  }

  /// libcurl's message without the user names and passwords of the URLs that it quotes, such as a proxy's.
  static func withoutCredentials(_ message: String) -> String {
    message.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard let at = word.lastIndex(of: "@") else { return String(word) }
      let start =
        word.firstRange(of: "://")?.upperBound ?? word.firstIndex { $0 != "'" && $0 != "\"" && $0 != "(" }
      guard let start, start < at else { return String(word) }
      return "\(word[..<start])…\(word[at...])"
    }.joined(separator: " ")
  }

  private static func meaning(ofCurl code: Int, _ detail: String) -> (Code, String, Reason?) {
    switch code {
    case 1, 8: (.transferFailed, "the server doesn't speak HTTP: \(detail)", nil)
    case 3: (.badSource, "libcurl can't parse the URL: \(detail)", nil)
    case 5: (.unresolved, "the proxy's name has no address: \(detail)", .proxyName)
    case 6: (.unresolved, "the host has no address: \(detail); check its spelling and the resolver", nil)
    case 7: (.connectionFailed, "the connection failed: \(detail)", nil)
    case 18: (.truncated, "the connection closed before the end of the body: \(detail)", nil)
    case 28: (.timedOut, detail, nil)
    case 35, 53, 54, 58, 59, 64, 66, 80, 83, 90, 91: (.tls, "TLS failed: \(detail)", nil)
    case 60: (.tls, "the server's certificate isn't trusted: \(detail)", .untrustedCertificate)
    case 77: (.tls, "can't read the trusted certificates: \(detail)", .unreadableCertificates)
    default: (.transferFailed, "the transfer failed: \(detail)", nil)
    }
  }
}

extension CurlError {
  /// Whether the proxy's URL has a scheme that libcurl doesn't know. The code is that of a refused connection (7), but no
  /// later attempt can succeed.
  var isAboutProxyScheme: Bool { curlCode == 7 && message.hasPrefix("Unsupported proxy scheme") }
}
