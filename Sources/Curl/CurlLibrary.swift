import CCurl
import CCurlLibrary

/// The libcurl that this process uses, as reported by `curl_version_info(3)`.
public struct CurlLibrary: Sendable {
  /// The version, such as `7.88.1`.
  public let version: String
  /// The TLS library and its version, such as `OpenSSL/3.0.17`; nil if libcurl doesn't support https.
  public let tls: String?
  /// Whether libcurl supports HTTP/2.
  public let hasHTTP2: Bool
  /// The content codings that libcurl can decode, of `gzip`, `br` and `zstd`.
  public let encodings: [String]
  /// The supported URL schemes, sorted.
  public let protocols: [String]
  /// The default file of certificate authorities; nil if libcurl was built without one.
  public let certificateFile: String?
  /// The default directory of certificate authorities, one file each; nil if libcurl was built without one.
  public let certificateDirectory: String?

  /// The installed libcurl; nil if it can't be loaded.
  public static let installed: CurlLibrary? = {
    guard ccurl_library_load() == nil, let info = ccurl_version_info()?.pointee else { return nil }
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
