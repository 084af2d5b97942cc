import CCurl

/// The libcurl that this process is linked with, as `curl_version_info(3)` tells it.
public struct CurlLibrary: Sendable {
  /// As `7.88.1`.
  public let version: String
  /// The TLS library with its version, as `OpenSSL/3.0.17`; nil where https can't be spoken.
  public let tls: String?
  /// Whether HTTP/2 can be spoken.
  public let hasHTTP2: Bool
  /// What bodies can be unpacked from, beyond plain ones: of `gzip`, `br` and `zstd`.
  public let encodings: [String]
  /// The schemes that it was built for, sorted.
  public let protocols: [String]
  /// Where it looks for certificate authorities unless told otherwise; nil where it wasn't built with a place.
  public let certificateFile: String?
  /// As ``certificateFile``: a directory with a file for each authority.
  public let certificateDirectory: String?

  /// The installed one; nil where libcurl doesn't tell.
  public static let installed: CurlLibrary? = {
    guard let info = ccurl_version_info()?.pointee else { return nil }
    return CurlLibrary(info)
  }()

  private init(_ info: curl_version_info_data) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
    let features = UInt32(bitPattern: info.features)
    func has(_ feature: Int) -> Bool { features & UInt32(feature) != 0 }
    version = text(info.version) ?? "unknown"
    tls = has(Int(CURL_VERSION_SSL)) ? text(info.ssl_version) : nil
    hasHTTP2 = has(Int(CURL_VERSION_HTTP2))
    encodings = [
      (Int(CURL_VERSION_LIBZ), "gzip"), (Int(CURL_VERSION_BROTLI), "br"), (Int(CURL_VERSION_ZSTD), "zstd"),
    ].filter { has($0.0) }.map(\.1)
    var names: [String] = []
    var next = info.protocols
    while let pointer = next?.pointee {
      names.append(String(cString: pointer))
      next = next?.advanced(by: 1)
    }
    protocols = names.sorted()
    certificateFile = text(info.cainfo)
    certificateDirectory = text(info.capath)
  }
}
