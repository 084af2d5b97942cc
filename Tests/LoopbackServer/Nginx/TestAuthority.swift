/// A certificate authority of one test, and a certificate for 127.0.0.1 and localhost that it has signed. Made with openssl,
/// good for two days.
struct TestAuthority {
  /// The authority's certificate.
  let certificate: String
  /// The server's certificate.
  let serverCertificate: String
  /// The server's private key.
  let serverKey: String

  init(in directory: String) throws {
    certificate = directory + "/authority.pem"
    serverCertificate = directory + "/server.pem"
    serverKey = directory + "/server.key"
    let key = directory + "/authority.key"
    let request = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-days", "2",
    ]
    let log = directory + "/openssl.log"
    try ChildProcess.run(
      request + ["-keyout", key, "-out", certificate, "-subj", "/CN=An authority for tests"], printsTo: log)
    try ChildProcess.run(
      request + [
        "-keyout", serverKey, "-out", serverCertificate, "-subj", "/CN=127.0.0.1",
        "-CA", certificate, "-CAkey", key, "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
        "-addext", "basicConstraints=critical,CA:FALSE",
      ], printsTo: log)
  }
}
