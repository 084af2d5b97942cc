import Glibc
import Synchronization

/// nginx on 127.0.0.1, once with HTTP/1.1 and once with HTTP/2 over TLS, serving a directory of its own.
///
///     let server = try NginxServer(server: "keepalive_requests 5;")
///     try server.put(bytes, at: "a.png")
///     … server.url("/a.png"), server.secureURL("/a.png"), server.authority …
///     #expect(server.stop().count == 1)
public final class NginxServer: Sendable {
  /// Whether there are the programs that it needs.
  public static var isInstalled: Bool { path != nil && access("/usr/bin/openssl", X_OK) == 0 }

  /// Whether tests that need it run: where it is missing they fail in CI, and are passed over elsewhere.
  public static var isWanted: Bool { isInstalled || getenv("CI") != nil }

  private static let path: String? = {
    let places: [String] = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"]
    return places.first { access($0, X_OK) == 0 }
  }()

  /// A file with the certificate of the authority that vouches for the server.
  public let authority: String
  private let directory: String
  private let ports: (plain: UInt16, secure: UInt16)
  private let child: Mutex<ChildProcess?>

  /// A server that answers when this returns.
  /// - Parameters:
  ///   - http: directives of the `http` block.
  ///   - server: directives of both `server` blocks.
  public init(http: String = "", server: String = "") throws {
    guard let path = Self.path, Self.isInstalled else {
      throw ServerError(message: "these tests need nginx and openssl: apt-get install nginx-light openssl")
    }
    var template = Array("/tmp/imagemill-nginx-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ServerError(message: "can't make a directory in /tmp") }
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.directory = directory
    mkdir(directory + "/files", 0o755)
    let certificates = try TestAuthority(in: directory)
    authority = certificates.certificate
    let (plain, secure) = (try ListeningSocket(), try ListeningSocket())
    ports = (plain.port, secure.port)
    let configuration = """
      daemon off;
      \(getuid() == 0 ? "user root;" : "")
      worker_processes 1;
      pid \(directory)/pid;
      error_log stderr info;
      events { worker_connections 1024; }
      http {
        log_format fields '$msec $connection $server_protocol $status $body_bytes_sent $request_uri $http_range';
        access_log \(directory)/access.log fields;
        client_body_temp_path \(directory)/body;
        proxy_temp_path \(directory)/proxy;
        fastcgi_temp_path \(directory)/fastcgi;
        uwsgi_temp_path \(directory)/uwsgi;
        scgi_temp_path \(directory)/scgi;
        types { image/png png; application/xml xml; text/html html; }
        root \(directory)/files;
        \(http)
        server {
          listen 127.0.0.1:\(plain.port);
          \(server)
        }
        server {
          listen 127.0.0.1:\(secure.port) ssl http2;
          ssl_certificate \(certificates.serverCertificate);
          ssl_certificate_key \(certificates.serverKey);
          \(server)
        }
      }
      """
    try Self.write(Array(configuration.utf8), to: directory + "/nginx.conf")
    // nginx takes over the sockets that are open already, as it does when it is upgraded in place. The shell ends it when
    // its own input ends, and with it when the test does, however that is.
    let script = """
      "$0" -e stderr -p "$1" -c "$1/nginx.conf" & exec 3>&- 4>&-; read -r line; kill $! && wait $!
      """
    child = Mutex(
      try ChildProcess(
        ["sh", "-c", script, path, directory], variables: ["NGINX=3;4;"],
        descriptors: [plain.descriptor, secure.descriptor], printsTo: directory + "/errors.log"))
    plain.close()
    secure.close()
    // The sockets have listened all the while, so this waits in the queue until nginx takes it; nginx's death ends it.
    guard Self.answers(at: ports.plain) else {
      let errors = Self.read(directory + "/errors.log")
      stop()
      throw ServerError(message: "nginx doesn't answer:\n\(errors)")
    }
  }

  deinit { stop() }

  // MARK: What a test asks

  /// An `http` URL.
  public func url(_ path: String) -> String { "http://127.0.0.1:\(ports.plain)\(path)" }

  /// An `https` URL.
  public func secureURL(_ path: String) -> String { "https://127.0.0.1:\(ports.secure)\(path)" }

  /// Makes a file of the site.
  public func put(_ bytes: [UInt8], at name: String) throws {
    try Self.write(bytes, to: directory + "/files/" + name)
  }

  /// One request of the access log.
  public struct Entry: Sendable, Hashable {
    /// When the answer was sent, in seconds since 1970.
    public let time: Double
    /// The connection's number.
    public let connection: Int
    /// `HTTP/1.1` or `HTTP/2.0`.
    public let version: String
    /// The status that was answered.
    public let status: Int
    /// The bytes of the body that were sent.
    public let bytes: Int
    /// The request target.
    public let target: String
    /// The `Range` field; nil where there was none.
    public let range: String?
  }

  /// Ends the server.
  /// - Returns: all that it was asked; nothing the second time.
  @discardableResult
  public func stop() -> [Entry] {
    guard
      let child = child.withLock({ child in
        defer { child = nil }
        return child
      })
    else { return [] }
    child.end()
    let entries = Self.read(directory + "/access.log").split(separator: "\n").compactMap(Self.entry)
    // The directory is this server's own.
    do { try ChildProcess.run(["rm", "-rf", directory], printsTo: "/dev/null") } catch {}
    return entries.filter { $0.target != Self.readiness }
  }

  // MARK: Parts

  private static let readiness = "/is-nginx-there"

  private static func entry(_ line: Substring) -> Entry? {
    let words = line.split(separator: " ")
    guard words.count == 7, let time = Double(words[0]), let connection = Int(words[1]),
      let status = Int(words[3]), let bytes = Int(words[4])
    else { return nil }
    return Entry(
      time: time, connection: connection, version: String(words[2]), status: status, bytes: bytes,
      target: String(words[5]), range: words[6] == "-" ? nil : String(words[6]))
  }

  private static func answers(at port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = ListeningSocket.address(port)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    let request = Array("GET \(readiness) HTTP/1.0\r\n\r\n".utf8)
    guard isConnected, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return false
    }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) == 1
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "wbe") else { throw ServerError(message: "can't write \(path)") }
    fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0 else { throw ServerError(message: "can't write \(path)") }
  }

  static func read(_ path: String) -> String {
    guard let file = fopen(path, "rbe") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A socket that listens on a free port of 127.0.0.1, for another program to take over.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 511) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else {
      Glibc.close(descriptor)
      throw ServerError(message: "can't listen on 127.0.0.1: \(String(cString: strerror(errno)))")
    }
    // High enough that no number of the child's is in its way.
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 64)
    Glibc.close(descriptor)
    port = UInt16(bigEndian: address.sin_port)
  }

  func close() { Glibc.close(descriptor) }

  static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
