public import WebValues

/// The options of one transfer. No option carries over to the next transfer.
public struct TransferOptions: Sendable {
  /// An absolute http or https URL without user name and password. libcurl refuses other schemes.
  public var url: String
  /// The method. A request with a ``body`` is a `PUT`, unless this is `POST`.
  public var method = "GET"
  /// The body of the request; nil for none. Its length is announced, and no `Expect` field is sent.
  public var body: TransferBody?
  /// Fields to send in addition to those of libcurl (`Host`, and `Accept: */*` unless given here).
  public var fields: [HeaderField] = []
  /// The `User-Agent` field.
  public var userAgent: String?
  /// The limit for connecting, TLS included, in seconds; more than 0.
  public var connectTimeout: Double = 10
  /// The limit for receiving no byte, in seconds; more than 0, rounded up to whole seconds.
  public var stallTimeout: Double = 20
  /// The limit for the whole transfer, in seconds; nil for none.
  public var timeout: Double?
  /// The maximum size of the body, in bytes.
  public var byteLimit = Int.max
  /// The rate at which this transfer and the others with the same key receive bodies together; nil for no limit.
  public var rateLimit: RateLimit?
  /// The proxy's URL; nil connects directly, regardless of the environment.
  public var proxy: String?
  /// A PEM file of certificate authorities to trust instead of the system's.
  public var certificateAuthorities: String?
  /// Whether to accept any server certificate.
  public var acceptsAnyCertificate = false
  /// Whether HTTP/2 may be negotiated over TLS.
  public var allowsHTTP2 = true
  /// Whether to open a new connection for this request.
  public var needsFreshConnection = false
  /// Whether the path is sent as it is, with `.` and `..`: they may be parts of an object's key.
  public var keepsPath = false
  /// The user name and password for the origin server.
  public var credential: Credential?
  /// Whether to connect to an address; also called before a connection to it is reused. Runs on the engine's thread
  /// and must not block. Not called if a proxy is used: the addresses would be the proxy's.
  public var allowsAddress: @Sendable (IPAddress) -> Bool = { _ in true }

  /// A GET request for `url`.
  public init(url: String) {
    self.url = url
  }

  /// A rate that transfers share.
  public struct RateLimit: Hashable, Sendable {
    /// What the transfers have in common, such as their host.
    public var key: String
    /// The bytes per second; more than 0.
    public var bytesPerSecond: Int

    /// Creates a rate.
    /// - Parameters:
    ///   - key: What the transfers have in common, such as their host.
    ///   - bytesPerSecond: The bytes per second; more than 0.
    public init(key: String, bytesPerSecond: Int) {
      self.key = key
      self.bytesPerSecond = bytesPerSecond
    }
  }

  /// A user name and password for the origin server.
  public struct Credential: Hashable, Sendable {
    /// The user name, not percent-encoded.
    public var user: String
    /// The password, not percent-encoded.
    public var password: String
    /// The authentication scheme.
    public var scheme: Scheme

    /// Creates a credential.
    /// - Parameters:
    ///   - user: The user name, not percent-encoded.
    ///   - password: The password, not percent-encoded.
    ///   - scheme: The authentication scheme. Default: `basic`.
    public init(user: String, password: String, scheme: Scheme = .basic) {
      self.user = user
      self.password = password
      self.scheme = scheme
    }

    /// An authentication scheme (RFC 7617, RFC 7616).
    public enum Scheme: String, Hashable, Sendable {
      /// Sent with the first request.
      case basic
      /// Sent in response to the server's challenge.
      case digest
    }
  }
}
