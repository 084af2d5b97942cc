import Glibc
import Synchronization

/// A TLS server on 127.0.0.1 that agrees on HTTP/2 (ALPN, RFC 7301) and can't speak it; HTTP/1 it can. It serves one file.
public final class FalseHTTP2Server: Sendable {
  /// A file with the certificate of the authority that vouches for the server.
  public let authority: String
  private let directory: String
  private let port: String
  private let child: Mutex<ChildProcess?>

  /// What it does where HTTP/2 was agreed on.
  public enum Manner: String, Sendable, CaseIterable {
    case closes, babbles, isSilent
  }

  /// A server of one file, `/file.png`.
  public init(serving bytes: [UInt8], whoWithHTTP2 manner: Manner) throws {
    var template = Array("/tmp/imagemill-openssl-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ServerError(message: "can't make a directory in /tmp") }
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.directory = directory
    let certificates = try TestAuthority(in: directory)
    authority = certificates.certificate
    try NginxServer.write(bytes, to: directory + "/file.png")
    let log = directory + "/log"
    let child = try ChildProcess(
      [
        "python3", "-c", Self.script, certificates.serverCertificate, certificates.serverKey,
        directory + "/file.png", manner.rawValue,
      ], printsTo: log)
    self.child = Mutex(child)
    var port: String?
    for _ in 0..<3000 where port == nil {
      // The line may be there without its end.
      let lines = NginxServer.read(log).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      port = lines.first { $0.hasPrefix("PORT ") }.map { String($0.dropFirst(5)) }
      if port == nil { usleep(10_000) }
    }
    guard let port else { throw ServerError(message: "python3 doesn't listen:\n\(NginxServer.read(log))") }
    self.port = port
  }

  deinit { stop() }

  /// Ends with its standard input.
  private static let script = """
    import os, socket, ssl, sys, threading
    certificate, key, path, manner = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2", "http/1.1"])
    body = open(path, "rb").read()
    held = []

    def serve(plain):
      connection = context.wrap_socket(plain, server_side=True)
      held.append(connection)
      request = connection.recv(65536)
      if connection.selected_alpn_protocol() == "h2":
        if manner == "isSilent": return
        if manner == "babbles": connection.sendall(b"this is no frame of any kind, is it?" * 9)
      elif request:
        head = "HTTP/1.1 200 OK\\r\\nContent-Type: image/png\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
        connection.sendall(head.encode() + body)
      connection.close()

    listener = socket.create_server(("127.0.0.1", 0))
    print("PORT", listener.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
      threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """

  /// The file's URL.
  public var url: String { "https://127.0.0.1:\(port)/file.png" }

  /// Ends the server.
  public func stop() {
    let child = child.withLock { child in
      defer { child = nil }
      return child
    }
    guard let child else { return }
    child.end()
    do { try ChildProcess.run(["rm", "-rf", directory], printsTo: "/dev/null") } catch {}
  }
}
