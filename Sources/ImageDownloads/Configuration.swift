public import Curl

extension ImageDownloader {
  /// All that a downloader is told; the defaults are those of the command line. Times are in seconds, sizes in bytes.
  public struct Configuration: Sendable {
    /// Active downloads in all; 1 or more.
    public var activeDownloads = 32
    /// Active downloads from one host; 1 or more.
    public var activeDownloadsPerHost = 6
    /// Hosts that are spoken to for the first time at once: what the resolver is spared.
    public var newHosts = 16
    /// Connections that are kept open for further downloads; each is a descriptor.
    public var connectionLimit = 256
    /// Files and directories that are read at once, the cache's among them; each is a thread and a descriptor.
    public var diskConcurrency = 64
    /// Which of the pending downloads of equal priority goes first.
    public var order = DownloadOrder.fifo
    /// Requests a second to one host; no limit where nil.
    public var rate: Double?
    /// One whole attempt.
    public var timeout: Double? = 60
    /// Being connected.
    public var connectTimeout: Double = 10
    /// No byte received.
    public var stallTimeout: Double = 20
    /// Tries after the first.
    public var retries = 3
    /// The first wait before a retry; it grows with jitter.
    public var retryWait: Double = 0.5
    /// The longest wait, `Retry-After` included.
    public var longestRetryWait: Double = 60
    /// A host that has given no answer for this long, ten times or more in a row, is not asked any more for a minute:
    /// what waits for it fails.
    public var hostPatience: Double = 30
    /// Fields for every source's own origin.
    public var headers: [HeaderField] = []
    /// What one origin gets, and no other, by `https://host` or `https://host:8443`.
    public var origins: [String: OriginSettings] = [:]
    /// A user name and password for the origins of sources that have none of their own.
    public var credential: OriginSettings.Credential?
    /// Credentials by host.
    public var netrc: Netrc?
    /// Proxies; none where nil.
    public var proxies: ProxySettings?
    /// A file of certificates (PEM) to trust in place of the system's.
    public var certificateAuthorities: String?
    /// Whether any certificate will do.
    public var acceptsAnyCertificate = false
    /// Whether HTTP/2 may be spoken over TLS.
    public var allowsHTTP2 = true
    /// Redirects that are followed for one source.
    public var redirects = 10
    /// What is wanted of the HTTP cache.
    public var cacheMode = CacheMode.standard
    /// For how long after it became stale a stored answer is used when its origin fails; its own `stale-if-error` counts too.
    public var staleIfError: Double = 0
    /// The longest body.
    public var byteLimit = 256 << 20
    /// Which hosts and addresses may be reached.
    public var addressPolicy = AddressPolicy()
    /// Content types that an image may have, in lower case: what `Accept` names. A format is read under any label, with
    /// a warning, if one of its own types is among them.
    public var acceptableContentTypes = ContentTypes.images
    /// What is sent as `User-Agent`.
    public var userAgent = "imagemill (+https://github.com/imagemill/imagemill)"
    /// Whether an active download whose last waiter has cancelled is aborted; otherwise it completes and its bytes go to the cache.
    public var abortsOnCancel = false

    /// The defaults.
    public init() {}
  }
}

/// Which of the pending downloads of equal priority goes first.
public enum DownloadOrder: String, Sendable, Hashable {
  /// The one that has waited longest.
  case fifo
  /// The one that came last.
  case lifo
}

/// What one origin gets, and no other.
public struct OriginSettings: Sendable, Hashable {
  /// Fields to send.
  public var headers: [HeaderField] = []
  /// A user name and password.
  public var credential: Credential?
  /// Active downloads from it; the configuration's number per host where nil.
  public var activeDownloads: Int?
  /// Requests a second; the configuration's rate where nil.
  public var rate: Double?

  /// Nothing of its own.
  public init() {}

  /// A user name and password, sent as Basic, or as Digest where the server asks for that.
  public struct Credential: Sendable, Hashable {
    /// The user's name.
    public var user: String
    /// The password.
    public var password: String

    /// A credential.
    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }
}
