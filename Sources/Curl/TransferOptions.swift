/// All that one transfer is told. Every field is this request's alone: nothing is kept from one to the next.
public struct TransferOptions: Sendable {
  /// An absolute http or https URL without user name and password. Other schemes are refused by libcurl.
  public var url: String
  /// The method; a request has no body.
  public var method = "GET"
  /// Fields to send, beside those that libcurl makes (`Host`, `Accept: */*` unless given here).
  public var fields: [HeaderField] = []
  /// The `User-Agent` field.
  public var userAgent: String?
  /// From start to the connection being ready, in seconds; more than 0.
  public var connectTimeout: Double = 10
  /// No byte received for so long, in whole seconds; more than 0.
  public var stallTimeout: Double = 20
  /// The whole transfer, in seconds; nil for no end.
  public var timeout: Double?
  /// The longest body that is accepted, in bytes.
  public var byteLimit = Int.max
  /// A proxy's URL; nil connects directly whatever the environment says.
  public var proxy: String?
  /// A file of certificates (PEM) to trust in place of the system's.
  public var certificateAuthorities: String?
  /// Whether any certificate will do.
  public var acceptsAnyCertificate = false
  /// Whether HTTP/2 may be negotiated over TLS.
  public var allowsHTTP2 = true
  /// Whether a new connection must be made for this request.
  public var needsFreshConnection = false
  /// A user name and password, and how they are sent.
  public var credential: Credential?
  /// Decides on an address before it is connected to, and again when a connection to it is reused. It is
  /// called on the engine's thread and must not block. Not asked where a proxy is used: the addresses would be the proxy's.
  public var allowsAddress: @Sendable (IPAddress) -> Bool = { _ in true }

  /// A GET of `url`.
  public init(url: String) {
    self.url = url
  }

  /// A user name and password for the origin server.
  public struct Credential: Hashable, Sendable {
    /// The user's name.
    public var user: String
    /// The password.
    public var password: String
    /// How they are sent.
    public var scheme: Scheme

    /// A credential.
    public init(user: String, password: String, scheme: Scheme = .basic) {
      self.user = user
      self.password = password
      self.scheme = scheme
    }

    /// An authentication scheme (RFC 7617, RFC 7616).
    public enum Scheme: String, Hashable, Sendable {
      /// Sent with the first request.
      case basic
      /// Sent in answer to the server's challenge.
      case digest
    }
  }
}
