public import struct FoundationEssentials.URL
public import Logging
package import ObjectStorage
public import WebValues

extension ImageDownloader {
  /// A downloader's settings; the defaults are those of the command line. Sizes are in bytes.
  public struct Configuration: Sendable {
    /// The server that `s3:` addresses name; nil if there is none.
    package var objectStores: ObjectStores?
    /// The maximum number of active downloads; 1 or more.
    public var activeDownloads = 32
    /// The maximum number of active downloads from one host; 1 or more.
    public var activeDownloadsPerHost = 6
    /// The maximum number of hosts contacted for the first time at once, which limits the load on the resolver.
    public var newHosts = 16
    /// The maximum number of connections kept open for reuse; each is a file descriptor.
    public var connectionLimit = 256
    /// The maximum number of concurrent disk operations, cache lookups included; each uses a thread and a descriptor.
    public var diskConcurrency = 64
    /// The order of pending downloads of equal priority.
    public var order = DownloadOrder.fifo
    /// The maximum number of requests per second to one host; nil for no limit.
    public var rate: Double?
    /// The maximum number of bytes of bodies per second from one host, in all its downloads together; nil for no limit.
    public var bytesPerSecond: Int?
    /// The limit for one attempt; nil for none.
    public var timeout: Duration? = .seconds(60)
    /// The limit for connecting, TLS included.
    public var connectTimeout = Duration.seconds(10)
    /// The limit for receiving no byte.
    public var stallTimeout = Duration.seconds(20)
    /// The maximum number of attempts after the first.
    public var retries = 3
    /// The wait before the first retry; later waits grow, with jitter.
    public var retryWait = Duration.milliseconds(500)
    /// The maximum wait before a retry, `Retry-After` included.
    public var longestRetryWait = Duration.seconds(60)
    /// A host without a response for this long, over ten or more attempts, is down: its pending downloads fail, and it
    /// gets no requests for a minute.
    public var hostPatience = Duration.seconds(30)
    /// Fields to send to every source's own origin.
    public var headers: [HeaderField] = []
    /// Settings for single origins, by `https://host` or `https://host:8443`.
    public var origins: [String: OriginSettings] = [:]
    /// The credential for a source's own origin if the source, ``origins`` and ``netrc`` have none.
    public var credential: OriginSettings.Credential?
    /// Credentials by host, from a netrc file; nil for none.
    public var netrc: Netrc?
    /// The proxies for http and https; nil for direct connections.
    public var proxies: ProxySettings?
    /// A PEM file of certificate authorities to trust instead of the system's.
    public var certificateAuthorities: URL?
    /// Whether to accept any server certificate.
    public var acceptsAnyCertificate = false
    /// Whether HTTP/2 may be negotiated over TLS.
    public var allowsHTTP2 = true
    /// The maximum number of redirects for one source.
    public var redirects = 10
    /// The use of the HTTP cache.
    public var cacheMode = CacheMode.standard
    /// When the run began that all requests belong to, in seconds since 1970; nil for none. Within five minutes, a run
    /// requests a source once, whatever its freshness.
    package var start: Double?
    /// If an origin fails, serve a stored response up to this long past its expiry; its `stale-if-error` may extend it.
    public var staleIfError = Duration.zero
    /// The maximum size of a body.
    public var byteLimit = 256 << 20
    /// Whether offline mode refuses the hosts that a request would be refused for, to plan requests.
    package var refusesHostsOffline = false
    /// The hosts and addresses that requests may reach.
    public var addressPolicy = AddressPolicy()
    /// The content types to accept, in lower case, sent as `Accept`. An image whose format has one of these types is
    /// accepted under any label, with a warning.
    public var acceptableContentTypes = ContentTypes.images
    /// The value of the `User-Agent` field (RFC 9110 §10.1.5).
    public var userAgent = "imagemill (+https://github.com/imagemill/imagemill)"
    /// Whether to abort an active download when its last caller cancels; otherwise it completes for the cache.
    public var abortsOnCancel = false

    /// Receives retries, pauses of hosts and problems as warnings, finished transfers at the level `debug` (default: none).
    /// Sources are logged without credentials and tokens.
    public var logger: Logger?

    /// Creates the default settings, those of the command line.
    public init() {}
  }
}

/// The order of pending downloads of equal priority (AlamofireImage's `DownloadPrioritization`).
public enum DownloadOrder: String, Sendable, Hashable {
  /// First in, first out: the earliest request starts first.
  case fifo
  /// Last in, first out: the latest request starts first.
  case lifo
}

/// Settings for a single origin, in addition to the downloader's.
public struct OriginSettings: Sendable, Hashable {
  /// Fields to send only to this origin. Default: none.
  public var headers: [HeaderField] = []
  /// The user name and password for this origin; nil for none.
  public var credential: Credential?
  /// The maximum number of active downloads; nil for
  /// ``ImageDownloader/Configuration/activeDownloadsPerHost``.
  public var activeDownloads: Int?
  /// The maximum number of requests per second; nil for ``ImageDownloader/Configuration/rate``.
  public var rate: Double?

  /// Creates settings that change nothing.
  public init() {}

  /// A user name and password, sent as Basic, or as Digest if the server asks for it.
  public struct Credential: Sendable, Hashable {
    /// The user name, decoded; without a colon for Basic (RFC 7617 §2).
    public var user: String
    /// The password, decoded; may be empty.
    public var password: String

    /// Creates a credential.
    /// - Parameters:
    ///   - user: The user name, not percent-encoded.
    ///   - password: The password, not percent-encoded.
    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }
}
