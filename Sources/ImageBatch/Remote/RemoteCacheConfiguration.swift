import Curl
package import ImageDownloads
package import ObjectStorage
import SystemIO
package import WebValues

/// A cache of outputs on another machine, in the layout of Bazel's HTTP cache: records under `ac/KEY`, bytes under
/// `cas/SHA256`. The same paths are keys in a bucket of object storage.
package struct RemoteCacheConfiguration: Sendable {
  /// What a batch may do with the cache.
  package enum Mode: String, Sendable, CaseIterable {
    /// Outputs are looked up.
    case read
    /// Outputs are looked up, and those that are rendered are uploaded.
    case readWrite = "read-write"
  }

  /// Where records and bytes are. Redirects aren't followed.
  package enum Location: Sendable {
    /// A URL that paths are appended to.
    case web(WebAddress)
    /// A bucket and the prefix of the keys; empty for none. Requests are signed if the service has an access key.
    case bucket(ObjectAddress, ObjectService)
  }

  package var location: Location
  package var mode = Mode.readWrite
  /// Fields of each request, such as `Authorization`.
  package var fields: [HeaderField] = []
  /// The limit for one request, for all delays by slow lookups together, and for the uploads that are left at the end;
  /// more than 0.
  package var timeout: Duration = .seconds(10)
  /// The proxy's URL; nil connects directly.
  package var proxy: String?
  /// A PEM file of certificate authorities to trust instead of the system's.
  package var certificateAuthorities: String?
  package var acceptsAnyCertificate = false
  /// The maximum number of concurrent lookups, from 1. Uploads take a quarter of it.
  package var connections = 16

  package init(_ location: Location) { self.location = location }

  /// The object for a path; nil if the location isn't a bucket.
  func object(for path: String) -> (address: ObjectAddress, service: ObjectService)? {
    guard case .bucket(let prefix, let service) = location else { return nil }
    let key = prefix.key.isEmpty || prefix.key.hasSuffix("/") ? prefix.key + path : "\(prefix.key)/\(path)"
    return (ObjectAddress(bucket: prefix.bucket, key: key), service)
  }

  /// Whether a field asks for encryption by the server. S3 refuses GET requests with it, except with the customer's key.
  private static func isOfUpload(_ name: String) -> Bool {
    let encryption = "x-amz-server-side-encryption"
    return name.hasPrefix(encryption) && !name.hasPrefix(encryption + "-customer-")
  }

  /// The normalized URL for a path; nil if an endpoint and a bucket make no URL.
  package func url(for path: String) -> String? {
    switch location {
    case .web(let url):
      let base = url.description
      return base + (base.hasSuffix("/") ? "" : "/") + path
    // Normalized, because libcurl omits a default port in the `Host` field that is signed.
    case .bucket: return object(for: path).flatMap { WebAddress($0.service.url(of: $0.address))?.description }
    }
  }

  /// The options of a request for a path. Called for each attempt, because a signature is valid for minutes only.
  /// - Parameters:
  ///   - path: `ac/KEY` or `cas/DIGEST`.
  ///   - upload: The body of a `PUT` request, and its SHA-256 in hexadecimal; nil for a `GET` request.
  ///   - accessKey: The key that signs the request; nil for none.
  func options(
    for path: String, upload: (body: TransferBody, digest: String)? = nil, by accessKey: AccessKey?
  ) -> TransferOptions {
    // Without a URL, libcurl refuses the request. The command has checked it.
    var options = TransferOptions(url: url(for: path) ?? "")
    options.fields = fields
    options.body = upload?.body
    if let object = object(for: path) {
      if let upload {
        options.fields.set("Content-Type", "application/octet-stream")
        // The signature covers the body too, but only the checksum is kept with the object.
        options.fields.set("x-amz-checksum-sha256", ObjectUpload.base64(hex: upload.digest))
      } else {
        options.fields.removeAll { Self.isOfUpload($0.name.lowercased()) }
      }
      options.fields = object.service.signed(
        options.fields, method: upload == nil ? "GET" : "PUT", url: options.url,
        payload: upload?.digest ?? RequestSigner.emptyPayload, by: accessKey, at: SystemTime.now)
      // A key may have `.` and `..`.
      options.keepsPath = true
    }
    options.connectTimeout = min(10, timeout / .seconds(1))
    options.stallTimeout = timeout / .seconds(1)
    options.timeout = timeout / .seconds(1)
    options.proxy = proxy
    options.certificateAuthorities = certificateAuthorities
    options.acceptsAnyCertificate = acceptsAnyCertificate
    return options
  }
}
